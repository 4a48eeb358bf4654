"""Engines that can hold few memories: a job runs in as many processes as it takes, and no collector has to help."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.engines import Engine, discover
from codegen.engines.engine import RUNNER, command_launcher
from codegen.engines.javascript import find_node
from codegen.kernels import registry
from codegen.verify import vectors
from codegen.verify.job import parts
from tests.engines.toy_kernels import CASES, case, job, opcode, toy

LARGE = {"memory": '(import "env" "memory" (memory i64 0))', "ptr": "i64"}

# An engine that never frees a memory, and has addresses for so many.
KEEPS = """
const kept = [];
const keep = (memory) => {
  if (kept.push(memory) > LIMIT) throw new RangeError("Cannot allocate Wasm memory");
};
const { instantiate, Memory } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(...words) { super(...words); keep(this); }
};
WebAssembly.instantiate = async (...words) => {
  const result = await instantiate(...words);
  const { exports } = result.instance ?? result;
  Object.values(exports).filter((one) => one instanceof Memory).forEach(keep);
  return result;
};
"""


def runs(of):
    """What each part has."""
    return [([kernel["name"] for kernel in part["kernels"]], len(part["opcodes"]["cases"])) for part in of]


def test_a_part_makes_no_more_memories_than_asked():
    low = [case("one", [(3, -5)])]
    opcodes = [opcode(str(i), "$a", [bytes(16)], bytes(16)) for i in range(5)]
    toys = [toy("a"), toy("b"), toy("large", **LARGE), toy("c")]
    assert runs(parts(job(*toys, opcodes=opcodes), 4)) == [
        (["a", "b"], 0), (["large"], 0), (["c"], 0), ([], 4), ([], 1)
    ]  # fmt: skip
    assert runs(parts(job(*toys, cases=low), 4)) == [(["a", "b", "large"], 0), (["c"], 0)]


@pytest.mark.parametrize("memories", [engine.memories for engine in discover() if engine.memories] or [16])
def test_parts_of_a_whole_job_are_the_job(memories):
    whole = vectors.job(registry.registered())
    found = list(parts(whole, memories))
    assert len(found) > 1
    assert [kernel for part in found for kernel in part["kernels"]] == whole["kernels"]
    assert [one for part in found for one in part["opcodes"]["cases"]] == whole["opcodes"]["cases"]
    for part in found:
        assert {kernel["interface"] for kernel in part["kernels"]} == part["vectors"].keys()


@pytest.mark.needs("node")
@pytest.mark.parametrize("limit", [4, 5])
def test_nothing_depends_on_a_memory_being_freed(limit: int, tmp_path: Path):
    hook = tmp_path / "keeps.cjs"
    hook.write_text(KEEPS.replace("LIMIT", str(limit)))
    launch = command_launcher([find_node(), "--require", hook, RUNNER])
    opcodes = [opcode(str(i), "$a", [bytes(range(16))], bytes(range(16))) for i in range(limit + 1)]
    asked = job(toy("a"), toy("b"), toy("c"), opcodes=opcodes)

    report = Engine("keeps", launch, memories=limit).run(asked)
    assert (report.error, [one.failure for one in report.subjects]) == (None, [None] * len(report.subjects))
    assert [kernel.passed for kernel in report.kernels] == [len(CASES)] * 3
    assert report.version.startswith("node ")

    in_one = Engine("keeps", launch).run(asked)
    assert "Cannot allocate Wasm memory" in in_one.kernels[-1].failure.got
