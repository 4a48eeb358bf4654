"""Dot products from Python: blocks into memory, and rows of them in one call into wasm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from codegen.assemble import assemble
from codegen.c_parameters import AddressType
from codegen.errors import KernelCallError
from codegen.formats import FORMATS, Format
from codegen.formats.decode import Bytes
from codegen.host import EngineOptions, as_arguments, as_bytes, as_count, as_func, types_of
from codegen.linear_memory import U8
from codegen.render import filled
from codegen.runtime import Instance
from codegen.spec import KernelSpec
from codegen.wasmtime_library import wasmtime

F32 = npt.NDArray[np.float32]

IGNORED = 0x5A5A5A5A
"""What is passed for bs, bx and by: a kernel that does not ignore them goes wrong."""


PARAMETERS = ("rounds", "rows", "columns", "n", "s", "x", "x_step", "y", "y_step", "y_column")
"""Of the driver's `repeat`."""


@cache
def driver(address_type: AddressType) -> bytes:
    """The module that calls a kernel row by row, and round by round; for addresses of this type."""
    return assemble(filled("driver.wat.j2", address_type=address_type))


@dataclass(frozen=True)
class Placed:
    """Rows of blocks in a kernel's memory, until it places others; the numbers are those of templates/driver.wat.j2."""

    kernel: Kernel
    number: int
    rows: int
    n: int
    s: int
    x: int
    x_step: int
    y: int
    y_step: int

    def run(self, rounds: int) -> None:
        """Computes all rows, `rounds` times over.

        Raises:
            KernelCallError: the kernel has placed other rows since.
        """
        with self.kernel.exclusive():
            if not self.kernel.holds(self):
                raise KernelCallError("rows: the kernel has placed others since; place them again")
            if self.rows:
                at = self.n, self.s, self.x, self.x_step, self.y, self.y_step
                self.kernel.call_rows(rounds, self.rows, *at)

    def compute(self) -> F32:
        """Computes all rows; the results, f32 of shape (rows,).

        Raises:
            KernelCallError: as `run`.
        """
        with self.kernel.exclusive() as arena:
            self.run(1)
            return arena.view(self.s, 4 * self.rows).copy().view("<f4")


class Kernel(Instance):
    """A kernel of vec_dot, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "vec_dot":
            raise KernelCallError(f"{spec.name}: computes no dot product; name a vec_dot kernel")
        super().__init__(spec, wasm, options)
        self.x: Format = FORMATS[spec.x]
        self.y: Format = FORMATS[spec.y]
        caller = wasmtime.Instance(
            self.store, wasmtime.Module(self.engine, driver(spec.address_type)), [self.function]
        )
        self.repeat = as_func(caller.exports(self.store)["repeat"])
        self._repeat_types = types_of(self.repeat, self.store)
        self._placed = 0

    def vec_dot(self, x: Bytes, y: Bytes, n: int) -> float:
        """The dot product of n elements.

        Args:
            x: at least n / 32 weight blocks.
            y: at least n / 32 activation blocks.
            n: elements, a multiple of 32.

        Raises:
            KernelCallError: n is not a multiple of 32 or negative, or a buffer is shorter than n says.
        """
        return float(self.rows(x, y, 1, n)[0])

    def rows(self, x: Bytes, y: Bytes, rows: int, n: int, *, per_row: bool = False) -> F32:
        """The dot products of `rows` rows of n elements, in one call into wasm.

        Args:
            x: rows * n / 32 weight blocks, row after row.
            y: n / 32 activation blocks that all rows share, or with `per_row` as many as x has.
            rows: how many.
            n: elements a row, a multiple of 32.
            per_row: whether each row has its own activations.

        Raises:
            KernelCallError: as `vec_dot`.
        """
        with self.exclusive():
            return self.place(x, y, rows, n, per_row=per_row).compute()

    def place(self, x: Bytes, y: Bytes, rows: int, n: int, *, per_row: bool = False) -> Placed:
        """Copies the blocks of `rows` into wasm memory, in place of those of an earlier call."""
        rows, n = as_count("rows", rows), as_count("n", n, self.x.elements)
        x_step, y_step = self._steps(n)
        weights = self._checked("x", x, rows * x_step)
        activations = self._checked("y", y, y_step * (rows if per_row else 1))
        with self.exclusive() as arena:
            arena.reset()
            self._placed += 1
            s = arena.allocate(4 * rows)
            at_x, at_y = arena.put(weights), arena.put(activations)
            return Placed(self, self._placed, rows, n, s, at_x, x_step, at_y, y_step if per_row else 0)

    def holds(self, placed: Placed) -> bool:
        """Whether these rows are still the ones in memory."""
        return placed.number == self._placed

    def call_rows(
        self, rounds: int, rows: int, n: int, s: int, x: int, x_step: int, y: int, y_step: int
    ) -> None:
        """Calls the kernel rounds * rows times, both at least 1, on blocks already in memory; templates/driver.wat.j2.

        Raises:
            KernelTrapError: the kernel trapped.
        """
        if rounds < 1 or rows < 1:
            raise KernelCallError(f"rounds = {rounds}, rows = {rows}: must be at least 1")
        one_column = (rounds, rows, 1, n, s, x, x_step, y, y_step, 0)
        self.enter(self.repeat, *as_arguments(self._repeat_types, one_column))

    def call(self, n: int, s: int, x: int, y: int, nrc: int = 1) -> None:
        """Calls the export itself, once, on blocks already in memory. What it should ignore is not zero.

        Raises:
            KernelTrapError: the call was outside the contract, or outside memory.
        """
        self.invoke(n, s, IGNORED, x, IGNORED, y, IGNORED, nrc)

    def _steps(self, n: int) -> tuple[int, int]:
        blocks = n // self.x.elements
        return blocks * self.x.bytes, blocks * self.y.bytes

    @staticmethod
    def _checked(name: str, data: Bytes, need: int) -> U8:
        found = as_bytes(name, data)
        if found.size < need:
            raise KernelCallError(f"{name}: {found.size} bytes, n asks for {need}; pass whole blocks")
        return found[:need]
