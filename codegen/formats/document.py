"""docs/formats.md: what the entries of the table say, for people."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.formats.codes import Codes, Placed, Trits
from codegen.formats.format import Format
from codegen.formats.table import FORMATS
from codegen.formats.words import layout, part, value

_FRACTIONS = ("d", "m", "dmin")
"""Fields that are fractions."""

_HEAD = """\
# Formats

The block formats of GGML that the project knows. This page is generated from
`codegen/formats/table.py` by `make bless`, and `codegen check` compares it. All fields are
little-endian, and no block needs an alignment.

A *code* is the small integer that a block stores for an element. In formulas `d` is the block's
scale and `m` or `dmin` its minimum, which are fractions; `scale` and `minimum` are integers, one
for each group of elements. GGML computes an element in f32: `d` times `scale`, times what the code
stands for, plus or minus `dmin` times `minimum`. Fractions are stored as

* `f16`, `bf16` and `f32`, as IEEE 754 and its shortened form say;
* `e8m0`, one byte e that stands for 2^(e - 128). The OCP standard says 2^(e - 127), but the values
  of the tables here are twice the standard's;
* `ue4m3`, four bits of exponent with a bias of 7 and three of fraction, halved for the same
  reason. 0x7f stands for 0, and bit 7 means nothing.

A section lists which bits of which bytes hold what. Bytes of a row are numbered j = 0, 1 .. and
the bit fields of a byte k = 0, 1 .. from the lowest. Where a row repeats after some bytes, j
starts again and the numbers go on. Base-3 digits make a byte a fraction of 256: times 3, its whole part
is the first digit, and what is left has the next.

## Sizes and bounds

Bounds are the largest magnitudes of integers in a product with activations of -128 to 127. Weights
are codes as they stand, with no zero point taken off, or values of the table. A *pair* is the sum
of two products, which a relaxed dot product makes in an i16 lane. A *group sum* has the products
of the elements that share all factors, within one block of activations. A *scaled sum* adds a
block's group sums, each times its integer scale.
"""


def document() -> str:
    """The text of docs/formats.md."""
    lines = [
        _HEAD,
        "| format | type | elements | bytes | bits an element | activations | pair | group sum | scaled sum |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|",
        *(_row(block) for block in FORMATS.values()),
    ]
    for block in FORMATS.values():
        lines += ["", f"## {block.name}", "", *_section(block)]
    return "\n".join(lines) + "\n"


def _row(block: Format) -> str:
    number = "-" if block.gguf_type is None else int(block.gguf_type)
    bounds = block.bounds
    sums = (bounds.pair, bounds.group, bounds.block) if bounds else ()
    cells = [block.name, number, block.elements, block.bytes, f"{8 * block.bytes / block.elements:.4g}"]
    cells += [block.activations or "-", *(f"{one:,}" if one else "-" for one in sums or (0, 0, 0))]
    return f"| {' | '.join(map(str, cells))} |"


def _section(block: Format) -> Iterator[str]:
    if block.elements == 1:
        yield f"An element is {layout(block)}."
        return
    yield f"An element is `{value(block)}`."
    yield from _ranges(block)
    yield ""
    yield "| bytes | bits of each | what |"
    yield "|---|---|---|"
    for at, size, bits, what in sorted(_rows(block)):
        yield f"| {_span(range(at, at + size))} | {bits} | {what} |"
    if block.codes.table:
        yield ""
        yield f"The table: {', '.join(map(str, block.codes.table))}."


def _ranges(block: Format) -> Iterator[str]:
    """The ranges of a block's integers, a sentence each."""
    codes = block.codes
    used = f", of which quantisers make {codes.used[0]} to {codes.used[1]}" if codes.used else ""
    yield f"Codes are {codes.raw[0]} to {codes.raw[1]}{used}; they stand for {codes.value[0]} to {codes.value[1]}."
    for name, codes in block.integers[1:]:
        each = f"one for each {block.elements // codes.count} elements"
        yield f"A {'scale' if name == 'scales' else 'minimum'} is {codes.raw[0]} to {codes.raw[1]}, {each}."


def _rows(block: Format) -> Iterator[tuple[int, int, str, str]]:
    """Offset, bytes, their bits, and what they are, of each row."""
    for field in block.fields:
        if field.name in _FRACTIONS:
            yield field.start, field.stop - field.start, "all", _fraction(block, field.name)
    if block.sums:
        count = block.sums.count
        of_each = f"{count} i16, each the sum of {block.elements // count} codes"
        yield (
            block.sums.at,
            2 * count,
            "all",
            "f16 of d times the sum of all codes" if block.sums.scaled else of_each,
        )
    for name, codes in block.integers:
        for one in codes.placed:
            yield one.plane.at, one.bytes, _bits(one), _plane(name, one, codes)


def _fraction(block: Format, name: str) -> str:
    factor = block.minimum if name != "d" and block.minimum else block.scale
    many = f"{factor.count} {factor.number}, one for each {block.elements // factor.count} elements"
    return f"{name}: {many}" if factor.count > 1 else f"{name}: {factor.number}"


def _plane(name: str, one: Placed, codes: Codes) -> str:
    """Which bits of which numbers a plane has, and where each is."""
    runs, per_byte, run = one.shape
    what = f"{part(one, codes)}{name} {_span(one.codes)}"
    if per_byte == 1:
        return f"{what}, one a byte"
    first = f"{one.codes.start} + " if one.codes.start else ""
    index = f"{run} * k + j" if run > 1 else f"{per_byte} * j + k"
    again = f"; repeats after {run} bytes" if runs > 1 and run > 1 else ""
    return f"{what}: byte j has number {first}{index} in field k{again}"


def _bits(one: Placed) -> str:
    """The bits of a byte that a plane takes, field by field."""
    if isinstance(one.plane, Trits):
        return f"{one.plane.per_byte} base-3 digits"
    if one.plane.bits == 8:
        return "all, signed"
    return ", ".join(_span(range(place, place + one.plane.bits)) for place in one.plane.places)


def _span(numbers: range) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}..{numbers[-1]}"
