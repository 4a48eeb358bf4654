from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.speed.bench import machine
from codegen.speed.bench.machine import LEVELS


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("_CACHES", "_CGROUP", "_MEMINFO"):
        monkeypatch.setattr(machine, name, tmp_path / name)
    machine.cache_bytes.cache_clear()
    yield tmp_path
    machine.cache_bytes.cache_clear()


def cache(folder: Path, index: int, **facts: str) -> None:
    path = folder / "_CACHES" / f"index{index}"
    path.mkdir(parents=True)
    for name, text in facts.items():
        (path / name).write_text(f"{text}\n")


def test_caches_are_those_that_linux_tells(fresh: Path) -> None:
    cache(fresh, 0, type="Data", level="1", size="48K")
    cache(fresh, 1, type="Instruction", level="1", size="32K")
    cache(fresh, 2, type="Unified", level="2", size="2048K")
    cache(fresh, 3, type="Unified", level="3", size="266240K")
    assert machine.cache_bytes() == {1: 48 << 10, 2: 2 << 20, 3: 260 << 20}
    assert [machine.working_set(level) for level in LEVELS] == [24 << 10, 1 << 20, 32 << 20, 520 << 20]


def test_a_machine_that_tells_nothing_has_common_caches(fresh: Path) -> None:
    cache(fresh, 0, type="Unified", level="two", size="1M")
    cache(fresh, 1, type="Unified", level="2")
    assert machine.cache_bytes() == {1: 32 << 10, 2: 1 << 20, 3: 16 << 20}
    assert machine.working_set("memory") == 256 << 20


def test_free_memory_is_what_linux_calls_available(fresh: Path) -> None:
    (fresh / "_MEMINFO").write_text("MemTotal:  9 kB\nMemFree:  1 kB\nMemAvailable:   2048 kB\n")
    assert machine.free_memory() == 2 << 20


@pytest.mark.parametrize(("most", "free"), [("max", 2 << 20), ("1500000", 500_000), ("900000", 0)])
def test_a_container_has_no_more_than_its_own(most: str, free: int, fresh: Path) -> None:
    (fresh / "_MEMINFO").write_text("MemAvailable:   2048 kB\n")
    (fresh / "_CGROUP").mkdir()
    (fresh / "_CGROUP" / "memory.max").write_text(f"{most}\n")
    (fresh / "_CGROUP" / "memory.current").write_text("1000000\n")
    assert machine.free_memory() == free


def test_other_systems_have_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.free_memory() > 1 << 20
    monkeypatch.delattr("os.sysconf", raising=False)
    assert machine.free_memory() == 4 << 30


def test_the_processor_has_a_name() -> None:
    assert machine.processor().isprintable()
    assert machine.processor()
