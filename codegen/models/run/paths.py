"""Ways to multiply a model's matrices: mul_mat, and dot products row by row, both from within wasm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from codegen.base.errors import SpecError
from codegen.formats import Q4_0, Q8_0
from codegen.formats.decoding import Bytes
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels import registry
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.operations import contracts_of
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL
from codegen.models.run.batches import Group, Part
from codegen.models.run.driver import Driver
from codegen.oracle.dot import Expected
from codegen.runtime.arena import Arena
from codegen.runtime.mul_mat import MulMat
from codegen.runtime.repack import Repacker
from codegen.runtime.vec_dot import PARAMETERS, Kernel
from codegen.spec.strategies import Isa
from codegen.speed.bench.clock import clock
from codegen.verify.dot.judge import bound as dot_bound
from codegen.verify.tile.verification import bound as matrix_bound

F32 = npt.NDArray[np.float32]
F32_BYTES = 4

Columns = Mapping[int, F32]
"""Activations by their number of elements n, shape (columns, n)."""


class Path(Protocol):
    """One way; what it is given stays in its memory until it is given other matrices."""

    name: str
    label: str
    """A short name, for the head of a column."""
    ordered: bool
    """Whether it adds in the order of codegen/verify/tile/model.py, so that its results have the bits of that."""

    def place(self, groups: Sequence[Group], values: Columns) -> None:
        """Puts matrices and activations into memory, in place of any that were."""

    def products(self, part: Part) -> F32:
        """The products of its rows with all columns, shape (columns, rows), or of its first rows only."""

    def bound(self, expected: Expected, blocks: int) -> Fraction:
        """How far a result may be from the exact one."""

    def seconds(self, group: Group, passes: int) -> float:
        """Multiplies all parts of a group, `passes` times over; this thread's CPU time.

        Returns:
            Seconds, 0 where they cannot be told from nothing.
        """


def path_of(spec: KernelSpec) -> WasmPath:
    """The way that a kernel is for.

    Raises:
        SpecError: the kernel is of another operation, or multiplies other weights than the matrices that are read.
    """
    if spec.x != Q4_0.name:
        raise SpecError(
            f"kernel {spec.name!r}: multiplies {spec.x}, and only matrices of {Q4_0.name} are read; "
            f"name a kernel of {Q4_0.name}"
        )
    if spec.op == "mul_mat":
        return MulMatPath(spec)
    if spec.op == "vec_dot":
        return VecDotPath(spec)
    raise SpecError(f"kernel {spec.name!r}: multiplies no model; name a mul_mat or vec_dot kernel")


class WasmPath:
    """A kernel with a driver that calls it for matrix after matrix."""

    ordered = False

    def __init__(self, spec: KernelSpec, arena: Arena, driver: Driver) -> None:
        self.spec, self.name, self.label = spec, spec.name, spec.op
        self.arena, self._driver = arena, driver
        self.at: dict[Part, int] = {}
        self.values: Columns = {}
        self.at_y: dict[int, int] = {}
        self.s = 0

    def place(self, groups: Sequence[Group], values: Columns) -> None:
        """See Path."""
        parts = [part for group in groups for part in group.parts]
        self.arena.reset()
        self.values = values
        self.at_y = {n: self.arena.put(self._columns(values[n])) for n in {part.n for part in parts}}
        columns = len(next(iter(values.values())))
        self._make_room(columns, max(self.at_y))
        self.s = self.arena.allocate(F32_BYTES * columns * max(part.rows for part in parts))
        self.at = {part: self.arena.put(self._weights(part)) for part in parts}

    def seconds(self, group: Group, passes: int) -> float:
        """See Path."""
        at = [self.at[part] for part in group.parts]
        step = at[1] - at[0] if len(at) > 1 else 0
        arguments = self._arguments(group.parts[0])
        now = clock()
        start = now()
        self._driver(passes, len(at), step, *arguments)
        return now() - start

    def _columns(self, values: F32) -> Bytes:
        raise NotImplementedError

    def _weights(self, part: Part) -> Bytes:
        raise NotImplementedError

    def _make_room(self, columns: int, n: int) -> None:
        """For scratch memory."""

    def _arguments(self, part: Part) -> tuple[int, ...]:
        raise NotImplementedError

    def products(self, part: Part) -> F32:
        """See Path."""
        raise NotImplementedError

    def bound(self, expected: Expected, blocks: int) -> Fraction:
        """See Path."""
        raise NotImplementedError


class MulMatPath(WasmPath):
    """Weights are repacked, by our own kernel; then each matrix is one call, which takes activations as they are.

    Attributes:
        repack_seconds: CPU time of repacking so far, with the copies into wasm's memory and out of it.
    """

    ordered = True

    def __init__(self, spec: KernelSpec) -> None:
        self.kernel = MulMat.load(spec)
        names = tuple(name for name, _ in spec.parameters)
        super().__init__(spec, self.kernel.arena, Driver(self.kernel, self.kernel.function, names, "vx"))
        isa = Isa.SCALAR if spec.isa is Isa.SCALAR else Isa.SIMD128  # relaxed SIMD has nothing for it
        self._repacker = Repacker.load(registry.fastest()[contracts_of(spec.x)["repack"], isa])
        self.repack_seconds = 0.0
        self._work = self._end = 0

    def place(self, groups: Sequence[Group], values: Columns) -> None:
        """See Path."""
        super().place(groups, values)
        self._end = self.arena.allocate(0)

    def products(self, part: Part) -> F32:
        """See Path."""
        weights = self.kernel.adopt(self.at[part], part.rows, part.n, self._end)
        return self.kernel.multiply(weights, self.values[part.n])

    def bound(self, expected: Expected, blocks: int) -> Fraction:
        """See Path."""
        return matrix_bound(blocks, expected)

    def _columns(self, values: F32) -> Bytes:
        return np.ascontiguousarray(values).view(np.uint8).reshape(-1)

    def _weights(self, part: Part) -> Bytes:
        now = clock()
        start = now()
        made = self._repacker.repack(part.data, part.rows, part.n)
        self.repack_seconds += now() - start
        return made

    def _make_room(self, columns: int, n: int) -> None:
        self._work = self.arena.allocate(min(columns, PANEL) * Q8_0.blocks(n) * self.kernel.record.bytes)

    def _arguments(self, part: Part) -> tuple[int, ...]:
        columns, y = len(self.values[part.n]), self.at_y[part.n]
        return (
            part.n,
            self.s,
            part.rows,
            self.at[part],
            y,
            F32_BYTES * part.n,
            columns,
            part.rows,
            self._work,
        )


class VecDotPath(WasmPath):
    """Weights as they are in the file, a call a row; activations are Q8_0 beforehand, which is not timed."""

    def __init__(self, spec: KernelSpec) -> None:
        self.kernel = Kernel.load(spec)
        super().__init__(spec, self.kernel.arena, Driver(self.kernel, self.kernel.repeat, PARAMETERS, "x"))
        self._numbers = dot_plan(spec)

    def products(self, part: Part) -> F32:
        """See Path."""
        columns = len(self.values[part.n])
        self._driver(1, 1, 0, *self._arguments(part))
        size = F32_BYTES * columns * part.rows
        return self.arena.view(self.s, size).copy().view("<f4").reshape(columns, part.rows)

    def bound(self, expected: Expected, blocks: int) -> Fraction:
        """See Path."""
        return dot_bound(self._numbers, blocks, expected.magnitude)

    def _columns(self, values: F32) -> Bytes:
        return quantize_q8_0(values)

    def _weights(self, part: Part) -> Bytes:
        return part.data

    def _arguments(self, part: Part) -> tuple[int, ...]:
        x_step = Q4_0.blocks(part.n) * Q4_0.bytes
        y_column = Q8_0.blocks(part.n) * Q8_0.bytes
        y = self.at_y[part.n]
        columns = len(self.values[part.n])
        return (1, part.rows, columns, part.n, self.s, self.at[part], x_step, y, 0, y_column)
