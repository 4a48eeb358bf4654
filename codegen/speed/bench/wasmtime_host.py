"""Contestants in wasmtime, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version

import numpy as np

from codegen.base.errors import KernelLoadError
from codegen.runtime.arena import Arena
from codegen.runtime.host import (
    EngineOptions,
    as_arguments,
    as_func,
    engine,
    instantiate,
    reason_of,
    types_of,
)
from codegen.runtime.linear_memory import U8
from codegen.speed.bench.clock import clock
from codegen.speed.bench.contestant import Calibrated, Contestant, WrongResultError
from codegen.speed.bench.entry import REPEAT, Buffer, Entry
from codegen.speed.bench.problem import Problem
from codegen.wasm.wasmtime_library import wasmtime


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
        contestants: list[Contestant] = [_Instance(entry) for entry in entries]
        for contestant in contestants:
            with suppress(WrongResultError):  # which it repeats whenever it is asked
                contestant.sample()
        yield contestants


class _Instance:
    """One entry, its operands in its memory."""

    def __init__(self, entry: Entry) -> None:
        self.name, self._entry, self._wrong = entry.name, entry, ""
        host = engine(EngineOptions())
        self._store = wasmtime.Store(host)
        try:
            module = wasmtime.Module(host, entry.wasm)
        except wasmtime.WasmtimeError as error:
            raise KernelLoadError(f"{entry.name}: refused by wasmtime ({reason_of(error)})") from None
        exports, memory = instantiate(module, host, self._store)
        self._repeat = as_func(exports[REPEAT])
        self._arena = Arena(memory)
        self._at = {buffer.name: self._placed(buffer) for buffer in entry.buffers}
        values = [self._at[one] if isinstance(one, str) else one for one in entry.arguments]
        _, *types = types_of(self._repeat, self._store)
        self._arguments = tuple(as_arguments(types, values))
        self._expected = entry.output.whole() if entry.output else np.zeros(0, np.uint8)
        self._calibrated = Calibrated()

    def _placed(self, buffer: Buffer) -> int:
        if buffer.pattern is None:
            return self._arena.allocate(buffer.bytes)
        return self._arena.put(np.resize(buffer.pattern, buffer.bytes))

    def sample(self) -> float:
        """See Contestant."""
        nanoseconds = 0.0
        if not self._wrong:
            self._results()[:] = 0xFF
            try:
                nanoseconds = self._calibrated.measure(self._run, self._entry.units)
                self._check()
            except wasmtime.Trap as trap:
                self._wrong = f"{self.name}: traps ({reason_of(trap)}); run `codegen verify`"
        if self._wrong:
            raise WrongResultError(self._wrong)
        return nanoseconds

    def _run(self, repetitions: int) -> float:
        now = clock()
        start = now()
        self._repeat(self._store, repetitions, *self._arguments)
        return now() - start

    def _results(self) -> U8:
        output = self._entry.output
        return self._arena.view(self._at[output.buffer], len(self._expected)) if output else self._expected

    def _check(self) -> None:
        output = self._entry.output
        if output and (wrong := output.difference(self._results(), self._expected)):
            self._wrong = f"{self.name}: {wrong}; run `codegen verify`"
