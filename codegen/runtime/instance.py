"""From wasm bytes to something that can be called, whatever the operation: engine, memory arena, Instance.

A call from Python costs tens of microseconds: what runs a kernel often loops inside wasm.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from codegen.base.errors import KernelCallError, KernelLoadError, KernelTrapError
from codegen.formats import FORMATS
from codegen.formats.decoding import F32
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_kernel
from codegen.runtime.arena import Arena
from codegen.runtime.host import EngineOptions, as_arguments, as_func, engine, instantiate, reason_of
from codegen.runtime.linear_memory import U8
from codegen.wasm.assemble import assemble
from codegen.wasm.wasmtime_library import wasmtime


@dataclass(frozen=True)
class Space:
    """Memory that a kernel writes, so many bytes; as an argument, its address."""

    bytes: int


Argument = int | U8 | F32 | Space


class Instance:
    """A kernel instantiated in wasmtime, and its memory.

    Threads may share it: each call of a subclass has the memory to itself from its first operand to its result.
    Who works on `arena` and calls `invoke` does so within `exclusive`.

    Attributes:
        operations: names of those whose kernels it takes.
        x: the format of a kernel's first operand.
        record: what its prepared activations are, where it takes or gives such.
        kept: bytes at the start of memory that stay there from call to call.
    """

    operations: ClassVar[tuple[str, ...]] = tuple(OPERATIONS)

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op not in self.operations:
            known = " or ".join(self.operations)
            raise KernelCallError(
                f"{spec.name}: {type(self).__name__} takes no {spec.op}; name a {known} kernel"
            )
        self.spec, self.wasm = spec, wasm
        self.x, self.record, self.kept = FORMATS[spec.x], spec.record, 0
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
        return cls(spec, assemble(render_kernel(spec)), options)

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

    def compute(self, *arguments: Argument) -> bytes:
        """Calls the export, once, on what `put` makes of the arguments; the bytes of the first Space afterwards.

        Raises:
            KernelCallError, KernelTrapError: as `put` and `invoke`.
        """
        first, size = next((i, one.bytes) for i, one in enumerate(arguments) if isinstance(one, Space))
        with self.exclusive() as arena:
            numbers = self.put(*arguments)
            self.invoke(*numbers)
            return arena.view(numbers[first], size).tobytes()

    def put(self, *arguments: Argument) -> list[int]:
        """Arguments as numbers: arrays are copied into memory, in place of all that is not kept, and give addresses.

        Raises:
            KernelCallError: memory may not be as large, or as `exclusive`.
        """
        with self.exclusive() as arena:
            arena.rewind(self.kept)
            return [self._number(one) for one in arguments]

    def _number(self, argument: Argument) -> int:
        if isinstance(argument, Space):
            return self.arena.allocate(argument.bytes)
        if isinstance(argument, np.ndarray):
            return self.arena.put(argument.reshape(-1).view(np.uint8))
        return argument

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
