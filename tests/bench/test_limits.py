"""What the machine can do at most: loops that an optimiser cannot shorten, counted as what they are."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
import wasmtime

from codegen.kernels.plan import PAGE
from codegen.runtime.host import EngineOptions, as_func, as_memory
from codegen.runtime.host import engine as wasmtime_engine
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.limits import LIMITS, Limit, Unit, floors, unit_of
from codegen.speed.bench.problem import Problem
from codegen.wasm.cost import MainLoop, main_loop

PROBLEM = Problem(4096, 8, "l1")
LOOP_OVERHEAD = 16
"""Opcodes around the operations: counters, ends of loops, and what finds the end of the weights."""

every_limit = pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.unit)
OPERATION = re.compile(
    r"\(local\.set \$(\w+) \((\S+) \(local\.get \$(\w+)\) "
    r"\((local\.get|v128\.load)( offset=\d+ align=1 \(local\.get)? \$(\w+)\)+"
)


def parsed(limit: Limit) -> list[tuple[str, str, str]]:
    """Of each operation its chain, opcode, and other operand."""
    found = []
    for operation in limit.operations:
        match = OPERATION.fullmatch(operation)
        assert match, operation
        assert match[1] == match[3], "a chain goes on from itself"
        found.append((match[1], match[2], f"{match[5] or ''}{match[6]}"))
    return found


def test_each_unit_has_one() -> None:
    assert [limit.unit for limit in LIMITS] == list(Unit)
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)


@every_limit
def test_it_runs_and_its_rate_is_positive(limit: Limit, engine: Host) -> None:
    with engine.open([limit.entry(PROBLEM)], PROBLEM) as (contestant,):
        assert contestant.name == limit.name
        assert limit.per_ns(contestant.sample(), PROBLEM.x_step) > 0


@every_limit
@pytest.mark.parametrize("rows", [1, 2])
def test_it_runs_where_there_is_little_to_read(limit: Limit, rows: int, engine: Host) -> None:
    problem = Problem(32, rows, "l1")
    with engine.open([limit.entry(problem)], problem) as (contestant,):
        contestant.sample()


@every_limit
def test_its_operations_are_in_the_loop_once_each(limit: Limit) -> None:
    units = Counter(unit_of(opcode) for opcode in main_loop(limit.entry(PROBLEM).wasm, MainLoop("repeat", 1)))
    counted = Unit.VECTOR if limit.reads else limit.unit
    extra = units[counted] - len(limit.operations)
    assert 0 <= extra <= (LOOP_OVERHEAD if counted is Unit.SCALAR else 0) + (counted is Unit.MULTIPLY)
    assert units[None] == limit.reads // 16
    rest = sum(units.values()) - units[counted] - units[None]
    assert rest <= LOOP_OVERHEAD


@every_limit
def test_a_turns_operations_are_independent_but_for_chains_of_equal_length(limit: Limit) -> None:
    lengths = Counter(chain for chain, _, _ in parsed(limit))
    assert list(lengths) == list(limit.chains)
    assert len(set(lengths.values())) == 1
    assert [chain for chain, _, _ in parsed(limit)] == list(limit.chains) * next(iter(lengths.values()))


@every_limit
def test_no_optimiser_can_make_one_operation_of_two(limit: Limit) -> None:
    """Two additions of what stays the same are one of its double, two exclusive ors of it are none."""
    for chain in limit.chains:
        own = [(opcode, other) for name, opcode, other in parsed(limit) if name == chain]
        for (first, by), (second, and_by) in pairwise([*own, own[0]]):
            changes = (by in limit.chains and by != chain) or "offset" in by
            assert changes or first != second or by != and_by


def test_each_chain_of_vectors_has_every_operation() -> None:
    limit = LIMITS[0]
    kinds = {opcode for _, opcode, _ in parsed(limit)}
    for chain in limit.chains:
        assert {opcode for name, opcode, _ in parsed(limit) if name == chain} == kinds


def test_a_turn_reads_each_byte_once() -> None:
    (limit,) = (one for one in LIMITS if one.reads)
    offsets = [int(re.search(r"offset=(\d+)", operation)[1]) for operation in limit.operations]  # type: ignore[index]
    assert offsets == list(range(0, limit.reads, 16))


@pytest.mark.parametrize("x", [0, 100])
@pytest.mark.parametrize("remainder", [0, 1, 127])
def test_it_reads_to_the_end_of_the_weights_but_for_less_than_a_turn(x: int, remainder: int) -> None:
    """What ends a byte past the end of memory traps, if and only if the last whole turn reaches there."""
    (limit,) = (one for one in LIMITS if one.reads)
    store = wasmtime.Store(wasmtime_engine(EngineOptions()))
    module = wasmtime.Module(store.engine, limit.entry(PROBLEM).wasm)
    exports = wasmtime.Instance(store, module, []).exports(store)
    assert as_memory(exports["memory"]).data_len(store) == PAGE
    rows = as_func(exports["repeat"])
    turns = (PAGE - x) // limit.reads
    inside = turns * limit.reads + remainder
    rows(store, 2, 1, 32, 0, x, inside, 0, 0)
    with pytest.raises(wasmtime.Trap, match="out of bounds"):
        rows(store, 2, 1, 32, 0, x, (turns + 1) * limit.reads + remainder, 0, 0)
    rows(store, 1, turns, 32, 0, x, limit.reads, 0, 0)  # rows times bytes a row, not one of them
    with pytest.raises(wasmtime.Trap, match="out of bounds"):
        rows(store, 1, turns + 1, 32, 0, x, limit.reads, 0, 0)


def test_rates_are_operations_a_turn_and_bytes_a_row_over_the_time() -> None:
    by_unit = {limit.unit: limit for limit in LIMITS}
    assert by_unit[Unit.MULTIPLY].per_ns(40.0, 2304) == len(by_unit[Unit.MULTIPLY].operations) / 40
    assert by_unit[Unit.MEMORY].per_ns(40.0, 2304) == 2304 / 40


def test_a_floor_is_an_amount_over_the_rate_of_its_own_unit() -> None:
    per_row = {Unit.VECTOR: 100.0, Unit.SCALAR: 30.0, Unit.MEMORY: 600.0}
    rates = {Unit.VECTOR: 10.0, Unit.SCALAR: 3.0, Unit.MULTIPLY: 1.0}
    assert floors(per_row, rates) == {Unit.VECTOR: 10.0, Unit.SCALAR: 10.0}
