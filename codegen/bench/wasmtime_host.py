"""Contestants in wasmtime, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version

import numpy as np
import numpy.typing as npt
import wasmtime

from codegen.arena import Arena
from codegen.bench.clock import clock
from codegen.bench.contestant import Calibrated, Contestant, Entry, WrongResultError
from codegen.bench.problem import Problem
from codegen.errors import KernelLoadError
from codegen.host import EngineOptions, Extern, as_func, as_i32, as_memory, engine, reason_of
from codegen.plan import PAGE, TABLE_BYTES


class WasmtimeHost:
    """The engine of this package, with the features of the machine that it runs on."""

    name = "wasmtime"

    @property
    def version(self) -> str:
        """Name and version."""
        return f"wasmtime {version('wasmtime')}"

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        """Loads the entries, each with memory of its own; wasmtime has one tier, and is warm when it has compiled.

        Raises:
            KernelLoadError: a module is refused.
        """
        contestants: list[Contestant] = [_Instance(entry, problem) for entry in entries]
        for contestant in contestants:
            with suppress(WrongResultError):  # which it repeats whenever it is asked
                contestant.sample()
        yield contestants


class _Instance:
    """One entry, its operands in its memory."""

    def __init__(self, entry: Entry, problem: Problem) -> None:
        self.name, self._problem, self._wrong = entry.name, problem, ""
        self._expected = (
            None if entry.expected is None else np.resize(np.array(entry.expected, np.uint32), problem.rows)
        )
        host = engine(EngineOptions())
        self._store = wasmtime.Store(host)
        try:
            module = wasmtime.Module(host, entry.wasm)
        except wasmtime.WasmtimeError as error:
            raise KernelLoadError(f"{entry.name}: refused by wasmtime ({reason_of(error)})") from None
        pages = wasmtime.Limits(1 + TABLE_BYTES // PAGE, None)
        ours: dict[str | None, Extern] = {
            "memory": wasmtime.Memory(self._store, wasmtime.MemoryType(pages)),
            "f16_table": wasmtime.Global(
                self._store, wasmtime.GlobalType(wasmtime.ValType.i32(), False), wasmtime.Val.i32(0)
            ),
        }
        wanted = [one.name for one in module.imports]
        exports = wasmtime.Instance(self._store, module, [ours[name] for name in wanted]).exports(self._store)
        self._rows = as_func(exports["rows"])
        base = exports.get("heap_base")
        first = int(base.value(self._store)) if isinstance(base, wasmtime.Global) else 0
        memory = as_memory(ours["memory"] if "memory" in wanted else exports["memory"])
        self._arena = Arena(self._store, memory, TABLE_BYTES if "f16_table" in wanted else first)
        self._s = self._arena.allocate(4 * problem.rows)
        x, y = self._arena.put(problem.x), self._arena.put(problem.y)
        work = (problem.rows, problem.n, self._s, x, problem.x_step, y, 0)
        self._work = tuple(as_i32(value) for value in work)
        self._calibrated = Calibrated()

    def sample(self) -> float:
        """See Contestant."""
        nanoseconds = 0.0
        if not self._wrong:
            self._results()[:] = 0xFFFFFFFF
            try:
                nanoseconds = self._calibrated.measure(self._run, self._problem.rows)
                self._check()
            except wasmtime.Trap as trap:
                self._wrong = f"{self.name}: traps ({reason_of(trap)}); run `codegen verify`"
        if self._wrong:
            raise WrongResultError(self._wrong)
        return nanoseconds

    def _run(self, repetitions: int) -> float:
        now = clock()
        start = now()
        self._rows(self._store, repetitions, *self._work)
        return now() - start

    def _results(self) -> npt.NDArray[np.uint32]:
        return self._arena.view(self._s, 4 * self._problem.rows).view("<u4")

    def _check(self) -> None:
        if self._expected is None:
            return
        results = self._results()
        if len(wrong := np.flatnonzero(results != self._expected)):
            row = int(wrong[0])
            self._wrong = (
                f"{self.name}: row {row} is {results[row]:#010x}, not {self._expected[row]:#010x}; "
                "run `codegen verify`"
            )
