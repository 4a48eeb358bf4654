"""The local variables of a matrix kernel's functions, in the order that their text declares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.kernels.tile.strategies import SCALE_BITS, MatrixMultiply
from codegen.spec.strategies import Local

WALK: tuple[Local, ...] = (
    Local("w_step", "ptr", "bytes from 4 rows of weights to the next 4"),
    Local("y_step", "ptr", "bytes of a column of activations"),
    Local("panel", "i32", "columns of this panel"),
)
"""Of the exported function, beside the ends of its operands."""


def tile_locals(
    strategy: MatrixMultiply, groups: int, columns: int, *, rolled: bool, exact: bool
) -> tuple[Local, ...]:
    """Of a function that keeps totals in registers."""
    found = [
        *(Local(f"w{g}", "ptr", f"weights of group {g}") for g in range(1, groups)),
        *(Local(f"y{c}", "ptr", f"activations of column {c}") for c in range(1, columns)),
        Local("end", "ptr", "where the activations of column 0 end"),
        *([Local("steps_end", "ptr", "where the words of this block's low nibbles end")] if rolled else []),
        *_constants(strategy),
        *_common(exact),
    ]
    for g in range(groups):
        found += _parts(strategy, g)
    for g in range(groups):
        found.append(Local(f"dx{g}", "v128", f"f32x4 scales, group {g}"))
        for c in range(columns):
            found.append(Local(f"sum{g}_{c}", "v128", f"sums of a block, group {g}, column {c}"))
            found.append(Local(f"total{g}_{c}", "v128", f"f32x4 totals, group {g}, column {c}"))
    return tuple(found)


def panel_locals(strategy: MatrixMultiply, groups: int, steps: int) -> tuple[Local, ...]:
    """Of a function that keeps totals in the output."""
    found = [
        *(Local(f"w{g}", "ptr", f"weights of group {g}") for g in range(1, groups)),
        Local("y0", "ptr", "activations of the next column"),
        Local("to", "ptr", "where its results are"),
        Local("end", "ptr", "where the activations of the first column end"),
        Local("left", "i32", "columns that are left"),
        *_constants(strategy),
        *_common(exact=False),
    ]
    for g in range(groups):
        for step in range(steps):
            found += [
                replace(part, name=f"{part.name}_{step}", role=f"{part.role}, step {step}")
                for part in _parts(strategy, g)
            ]
        found.append(Local(f"dx{g}", "v128", f"f32x4 scales, group {g}"))
        found.append(Local(f"sum{g}_0", "v128", f"sums of a block, group {g}"))
    return tuple(found)


def _constants(strategy: MatrixMultiply) -> Iterator[Local]:
    for constant in (*strategy.constants, SCALE_BITS):
        yield Local(constant.name, "v128", constant.role)


def _common(exact: bool) -> Iterator[Local]:
    yield Local("q", "v128", "packed weights of 4 rows")
    yield Local("a", "v128", "a word of activations, in all lanes")
    yield Local("dy", "v128", "a column's scale, in all lanes")
    if not exact:
        yield Local("seen", "i64", "f16 scales so far: a sign bit is set where one is infinite or NaN")


def _parts(strategy: MatrixMultiply, group: int) -> Iterator[Local]:
    for part in range(strategy.parts):
        yield Local(f"n{group}_{part}", "v128", f"nibbles of group {group}, part {part}")
