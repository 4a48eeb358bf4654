"""A format in words, made from its entry: for the headers of kernels and for docs/formats.md."""

from __future__ import annotations

from codegen.formats.codes import Codes, Placed, Trits
from codegen.formats.format import Factor, Format


def layout(block: Format) -> str:
    """The fields of a block in the order of its bytes, and the value of an element, in one line."""
    if block.elements == 1:
        return f"one {block.scale.number}"
    return f"{', then '.join(text for _, text in sorted(_fields(block)))}; {value(block)}"


def value(block: Format) -> str:
    """The value of an element, as a formula of the fields' names."""
    code = _zero_taken(_word(block.codes), block.codes)
    words = [f"table[{code}]" if block.codes.table else code]
    if block.scale.codes:
        words.append(_zero_taken("scale", block.scale.codes))
    formula = " * ".join([*words, "d"])
    if not block.minimum:
        return formula
    least = "minimum * dmin" if block.minimum.codes else "m"
    return f"{formula} {'+' if block.minimum.sign > 0 else '-'} {least}"


def part(one: Placed, codes: Codes) -> str:
    """Which bits of a code a plane has, where it has not all."""
    high = one.low + one.plane.bits - 1
    if one.plane.bits == codes.bits:
        return ""
    if high == one.low:
        return f"bit {high} of "
    return f"bits {one.low} {'and' if high == one.low + 1 else 'to'} {high} of "


def _fields(block: Format) -> list[tuple[int, str]]:
    """The offset of each field, and the field in words."""
    found = [(block.scale.at, _fraction(block.scale, "d"))]
    if block.minimum:
        found.append((block.minimum.at, _fraction(block.minimum, "dmin" if block.minimum.codes else "m")))
    if block.sums:
        found.append((block.sums.at, _sums(block)))
    integers = [field for field in block.fields if field.name in ("scales", "minima")]
    if integers:
        start, stop = min(field.start for field in integers), max(field.stop for field in integers)
        signed = "signed " * bool(block.scale.codes and block.scale.codes.signed)
        names = " and ".join(sorted({field.name for field in integers}, reverse=True))
        found.append((start, f"{stop - start} {signed}bytes of {names}"))
    return found + [(one.plane.at, _plane(one, block.codes)) for one in block.codes.placed]


def _fraction(factor: Factor, name: str) -> str:
    return f"{factor.count} {factor.number} {name}" if factor.count > 1 else f"{factor.number} {name}"


def _sums(block: Format) -> str:
    assert block.sums
    if block.sums.scaled:
        return "f16 d * the sum of all codes"
    return f"{block.sums.count} i16 sums of {block.elements // block.sums.count} codes each"


def _plane(one: Placed, codes: Codes) -> str:
    """A plane's bytes, and which element is where in them."""
    bits, run = one.plane.bits, one.plane.run
    if bits == 8:
        return f"{one.bytes} signed bytes"
    runs = f", in runs of {run}" if 1 < run < one.bytes else ""
    element = f"{part(one, codes)}element"
    if bits == 4 and run > 1:
        return f"{one.bytes} bytes{runs}: {element} j in the low nibble of byte j, j + {run} in the high"
    first = f"{one.codes.start} + " if one.codes.start else ""
    index = f"{one.plane.per_byte} * j + k" if run == 1 else f"j + {run} * k"
    return f"{one.bytes} bytes{runs}: {element} {first}{index} in {_place(one)} of byte j"


def _place(one: Placed) -> str:
    """Where in a byte the bits of code k are."""
    if isinstance(one.plane, Trits):
        return "base-3 digit k"
    bits = one.plane.bits
    return "bit k" if bits == 1 else f"the {bits} bits from {bits} * k"


def _word(codes: Codes) -> str:
    """What one code is called."""
    if any(isinstance(plane, Trits) for plane in codes.planes):
        return "digit"
    return {(1, 1): "bit", (4, 1): "nibble", (8, 1): "byte"}.get((codes.bits, len(codes.planes)), "code")


def _zero_taken(word: str, codes: Codes) -> str:
    return f"({word} - {codes.zero})" if codes.zero else word
