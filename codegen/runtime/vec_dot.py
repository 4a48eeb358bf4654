"""Dot products from Python: blocks into memory, and rows of them in one call into wasm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from codegen.base.errors import KernelCallError
from codegen.formats import FORMATS
from codegen.formats.decoding import F32, Bytes
from codegen.kernels.spec import KernelSpec
from codegen.render.text import filled
from codegen.runtime.host import EngineOptions, as_arguments, as_bytes, as_count, as_func, types_of
from codegen.runtime.instance import Instance, Space
from codegen.wasm.assemble import assemble
from codegen.wasm.c_parameters import AddressType
from codegen.wasm.wasmtime_library import wasmtime

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
    """Rows of blocks in a kernel's memory, the `number`-th that it placed, and the numbers for `Kernel.call_rows`."""

    kernel: Kernel
    number: int
    rows: int
    arguments: tuple[int, ...]

    def compute(self) -> F32:
        """Computes all rows; the results, f32 of shape (rows,).

        Raises:
            KernelCallError: the kernel has placed other rows since.
        """
        with self.kernel.exclusive() as arena:
            if self.number != self.kernel.placed:
                raise KernelCallError("rows: the kernel has placed others since; place them again")
            if self.rows:
                self.kernel.call_rows(1, self.rows, *self.arguments)
            return arena.view(self.arguments[1], 4 * self.rows).copy().view("<f4")


class Kernel(Instance):
    """A kernel of vec_dot, ready to be called."""

    operations = ("vec_dot",)

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        super().__init__(spec, wasm, options)
        self.y = FORMATS[spec.y]
        caller = wasmtime.Instance(
            self.store, wasmtime.Module(self.engine, driver(spec.address_type)), [self.function]
        )
        self.repeat = as_func(caller.exports(self.store)["repeat"])
        self._repeat_types = types_of(self.repeat, self.store)
        self.placed = 0
        """How often it has placed rows."""

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
        x_step, y_step = (block.blocks(n) * block.bytes for block in (self.x, self.y))
        columns = rows if per_row else 1
        weights = as_bytes("x", x, rows * x_step, f"{rows} x {n} weights", longer=True)
        activations = as_bytes("y", y, columns * y_step, f"{columns} x {n} activations", longer=True)
        with self.exclusive():
            self.placed += 1
            at = self.put(n, Space(4 * rows), weights, x_step, activations, y_step if per_row else 0)
            return Placed(self, self.placed, rows, tuple(at))

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
