"""From wasm bytes to something that can be called, whatever the operation: engine, memory arena, Instance.

A call from Python costs tens of microseconds: what runs a kernel often loops inside wasm.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from codegen.arena import Arena
from codegen.assemble import assemble
from codegen.errors import KernelCallError, KernelLoadError, KernelTrapError
from codegen.host import EngineOptions, as_arguments, as_func, engine, instantiate, reason_of
from codegen.render import render
from codegen.spec import KernelSpec
from codegen.wasmtime_library import wasmtime


class Instance:
    """A kernel instantiated in wasmtime, and its memory.

    Threads may share it: each call of a subclass has the memory to itself from its first operand to its result.
    Who works on `arena` and calls `invoke` does so within `exclusive`.
    """

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        self.spec, self.wasm = spec, wasm
        self.engine = engine(options or EngineOptions())
        self.store = wasmtime.Store(self.engine)
        try:
            module = wasmtime.Module(self.engine, wasm)
        except wasmtime.WasmtimeError as error:
            raise KernelLoadError(f"{spec.name}: refused by wasmtime ({reason_of(error)})") from None
        exports, memory = instantiate(module, self.engine, self.store)
        self.function = as_func(exports[spec.export])
        self.arena = Arena(memory)
        self._lock, self._process = threading.RLock(), os.getpid()

    @classmethod
    def load(cls, spec: KernelSpec, options: EngineOptions | None = None) -> Self:
        """Renders, assembles and instantiates a spec.

        Raises:
            AssembleError: the text did not assemble.
            KernelLoadError: the engine lacks a feature that the kernel needs.
        """
        return cls(spec, assemble(render(spec)), options)

    @contextmanager
    def exclusive(self) -> Iterator[Arena]:
        """Keeps other threads out of the instance while operands and results are in its memory.

        wasmtime gives up the interpreter's lock during a call, and a store is for one thread at a time.

        Raises:
            KernelCallError: the process was forked from the one that loaded the kernel; a thread of that may have been
                within a call, whose state and lock nobody would ever release here.
        """
        if os.getpid() != self._process:
            raise KernelCallError(
                f"{self.spec.name}: loaded before this process was forked; load it again here"
            )
        with self._lock:
            yield self.arena

    def invoke(self, *arguments: int) -> None:
        """Calls the export, once, on what is already in memory.

        Args:
            arguments: one a parameter of the operation; addresses are unsigned.

        Raises:
            KernelCallError: an argument does not fit its parameter, or as `exclusive`.
            KernelTrapError: the call was outside the contract, or outside memory.
        """
        types = [kind for _, kind in self.spec.parameters]
        self.enter(self.function, *as_arguments(types, arguments))

    def enter(self, function: wasmtime.Func, *arguments: int) -> None:
        """Calls a function of wasm with arguments that wasmtime takes as they are.

        Raises:
            KernelCallError: as `exclusive`.
            KernelTrapError: it trapped.
        """
        try:
            with self.exclusive():
                function(self.store, *arguments)
        except wasmtime.Trap as trap:
            contract = trap.trap_code is wasmtime.TrapCode.UNREACHABLE
            raise KernelTrapError(
                f"{self.spec.name}: trapped ({reason_of(trap)})", contract=contract
            ) from None
