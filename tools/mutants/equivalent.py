"""Changes of an instruction that are no faults, since the results stay the same: by rules, each with its reason."""

from __future__ import annotations

import re

from tools.mutants.kinds import Place

_ZERO = r"(v128|[if]\d\d)\.const( i32x4)?( 0x0+| 0)+"
_ALL_ONES = r"v128\.const i32x4( 0xffffffff){4}"
_TWOS = r"v128\.const i32x4( 0x40000000){4}"
_127S = r"v128\.const i32x4( 0x42fe0000){4}"
_SAME = r"v128\.const i32x4 (?P<word>0x\w+)( (?P=word)){3}"
_REDUCED = r"i8x16\.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11"
_ROTATED = r"i8x16\.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3"
_COLUMNS_SET = (
    r"\|local\.get (?P<step>\d+)\|i32\.add\|local\.set \d+\|local\.get (?P<first>\d+)\|local\.get (?P=step)\|i32\.add"
    r"\|local\.set (?P<end>\d+)\|local\.get (?P=first)\|local\.get (?P=end)\|"
)
_COLUMNS_STEP = (
    r"\|i32\.const (?P<bytes>\d+)\|i32\.add\|local\.set (?P<one>\d+)\|local\.get (?P<other>\d+)\|i32\.const (?P=bytes)"
    r"\|i32\.add\|local\.set (?P=other)\|local\.get (?!(?P=one)\||(?P=other)\|)\d+\|local\.get \d+\|"
)
_UNROLLED = (
    r"\|i32\.const (64|128)\|i32\.div_u\|i32\.const \d+\|i32\.mul\|i32\.add\|local\.set \d+\|local\.get \d+"
    r"\|local\.get \d+\|"
)
_PANEL_STARTS = r"if\|loop\|local\.get \d+\|local\.get \d+\|i64\.load align"
_PANEL_ENDS = r"br_if 0\|end\|end\|local\.get \d+\|i64\.const[^|]*\|i64\.and\|\|"
_OPERAND = r"(local\.get \d+|\S+\.const[^|]*)"


def _sign(opcode: str) -> str:
    """A pattern of an opcode that becomes the one of the other sign."""
    return rf"<{opcode}_(?P<sign>[su]) .*> \S+_(?!(?P=sign))[su].*>"


RULES = {
    "a count is not negative: the contract's checks let none pass": _sign(r"i(32|64)\.(div|rem|lt|le|gt|ge)"),
    "counts and pages are less than 2^31": _sign(r"i64\.extend_i32"),
    "minima and maxima are those of magnitudes, whose sign bit is clear": _sign(r"i32x4\.(min|max)"),
    "a mask or a minimum takes the sign off": _sign(r"\S+\.shr") + rf"\|{_OPERAND}\|\S+\.(and|min_u)\|",
    "16 bits are stored, and no sign": _sign(r"i32\.load16") + r"\|i32\.store16",
    "a mask takes the sign off a byte": r"<i32\.load8_u .*> i32\.load8_s .*>"
    r"(\|i32\.const \d\|i32\.shr_u)?\|i32\.const (1|15)\|i32\.and\|",
    "the lesser or greater of two that are equal is either": r"<\S+\.(?P<way>[lg])[te]_[su] > "
    r"\S+\.(?P=way)[te]_[su]>\|select",
    "all lanes hold the same sum, if it is in no variable": r"\|(?!local)[^|]*\|<f32x4\.extract_lane 0 >",
    "nothing is shifted by 0": r"\|i32\.const 0\|<\S+\.sh\w+ > \S+\.sh",
    "nothing is added or taken away": r"\|i32\.const 0\|<i32\.add > i32\.sub>",
    "a variable is zero before it is set to zero": rf"\|{_ZERO}\|<local\.set \d+ > drop>",
    "the byte of a zero that is not stored is the lowest of a float": rf"\|{_ZERO}\|<v128\.store.* > v128\.store",
    "2^-14 has one f16, be it a normal or a subnormal number": r"0x38800000\|<f32x4\.lt > f32x4\.le>",
    "a tile that notices more is computed exactly, too": r"<i64\.and > i64\.or>\|i64\.const \d+\|i64\.add",
    "a tile that notices all is computed exactly, too": r"<i64\.const 0 > i64\.const 1>\|local\.set",
    "a block that is noticed more is quantised exactly, too": rf"<{_SAME} > v128\.const.*>"
    r"\|f32x4\.(lt\|v128\.and\|i32x4\.all_true|gt\|local\.get \d+\|v128\.const[^|]*\|f32x4\.lt)",
    "a block that is always noticed is quantised exactly, too": r"<f32x4\.(lt > f32x4\.gt>\|v128\.and\|i32x4\.all_true"
    r"|gt > f32x4\.lt>\|local\.get \d+\|v128\.const[^|]*\|f32x4\.lt)",
    "a block whose 2 / d is 0 is quantised exactly, too": rf"<{_TWOS} >",
    "a block with another's 2 / d is quantised exactly, too": rf"{_TWOS}\|{_OPERAND}\|f32x4\.div\|<local\.set.*drop>",
    "of one block's scale, which all lanes have, the first lane is stored": rf"^{_REDUCED}\|.*"
    rf"<(?!{_TWOS}|{_127S}){_SAME} > v128\.const i32x4 (?P=word) ",
    "the scale after the last block's is not stored": rf"<{_ROTATED} > .*>\|local\.set \d+\|local\.get \d+\|i32\.const"
    rf"|\|{_ROTATED}\|<local\.set \d+ > drop>\|local\.get \d+\|i32\.const",
    "the words of a splat are all the same": r"<i8x16\.shuffle (\d)( \1){7} (\d)( \3){7} > ",
    "a byte after a row or column is the next one's": r"\|i32\.const (?P<row>18|36|40|72|160|288)\|i32\.add\|"
    r"<local\.set \d+ >[^>]*load8_u[^>]*>\|local\.get \d+\|i32\.const (?P=row)\|i32\.add",
    "a part of a record does not end at 4 GiB": r"<i32\.ne > i32\.lt_u>\|br_if 0\|end\|local\.get \d+\|i32\.const -",
    "what an unrolled loop leaves, the loop for single blocks does as well": rf"{_UNROLLED}<i32\.ne > i32\.lt_[su]>"
    r"\|if\|loop\|local\.get \d+\|(v128\.load align|i32\.load offset)"
    r"|<i32\.ne > i32\.lt_[su]>\|br_if 0\|end\|end\|local\.get \d+\|local\.get \d+\|i32\.ne\|if",
    "the first of several columns does not end at 4 GiB": rf"({_COLUMNS_SET}|{_COLUMNS_STEP})<i32\.ne > i32\.lt_u>"
    rf"|<i32\.ne > i32\.lt_u>\|({_PANEL_STARTS}|{_PANEL_ENDS})",
    "a quant of 0 has no half to round": rf"\|{_ALL_ONES}\|<local\.set \d+ > drop>",
}
"""For each reason a pattern of what it is about: the latest instruction of the same loop that moves lanes, the ten
before the changed one, that one with what stands in its place, and the ten after it."""

_WINDOW = 10

_PATTERNS = {why: re.compile(pattern) for why, pattern in RULES.items()}


def reason(place: Place, new: str) -> str | None:
    """Why a change makes no difference, if a rule says so."""
    before = "|".join(place.near(offset) for offset in range(-_WINDOW, 0))
    after = "|".join(place.near(offset) for offset in range(1, _WINDOW + 1))
    text = f"{place.lanes}|{before}|<{place.instructions[place.at]} > {new}>|{after}|"
    return next((why for why, pattern in _PATTERNS.items() if pattern.search(text)), None)
