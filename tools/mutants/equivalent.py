"""Changes of an instruction that are no faults, since the results stay the same: by rules, each with its reason."""

from __future__ import annotations

import re

from tools.mutants.kinds import Place

_ZERO = r"(v128|[if]\d\d)\.const( i32x4)?( 0x0+| 0)+"
_ALL_ONES = r"v128\.const i32x4( 0xffffffff){4}"
_TWOS = r"v128\.const i32x4( 0x40000000){4}"
_OPERAND = r"(local\.get \d+|\S+\.const[^|]*)"


def _sign(opcode: str) -> str:
    """A pattern of an opcode that becomes the one of the other sign."""
    return rf"<{opcode}_(?P<sign>[su]) .*> \S+_(?!(?P=sign))[su].*>"


RULES = {
    "a count is not negative: the contract's checks let none pass": _sign(r"i(32|64)\.(div|lt|le|gt|ge)"),
    "counts and pages are less than 2^31": _sign(r"i64\.extend_i32"),
    "minima and maxima are those of magnitudes, whose sign bit is clear": _sign(r"i32x4\.(min|max)"),
    "a mask or a minimum takes the sign off": _sign(r"\S+\.shr") + rf"\|{_OPERAND}\|\S+\.(and|min_u)\|",
    "16 bits are stored, and no sign": _sign(r"i32\.load16") + r"\|i32\.store16",
    "a minimum of two that are equal is either": r"<\S+\.l[te]_[su] > \S+\.l[te]_[su]>\|select",
    "all lanes hold the same sum, if it is in no variable": r"\|(?!local)[^|]*\|<f32x4\.extract_lane 0 >",
    "nothing is shifted by 0": r"\|i32\.const 0\|<\S+\.sh\w+ > \S+\.sh",
    "a variable is zero before it is set to zero": rf"\|{_ZERO}\|<local\.set \d+ > drop>",
    "the byte of a zero that is not stored is the lowest of a float": rf"\|{_ZERO}\|<v128\.store.* > v128\.store",
    "2^-14 has one f16, be it a normal or a subnormal number": r"0x38800000\|<f32x4\.lt > f32x4\.le>",
    "a tile that notices more is computed exactly, too": r"<i64\.and > i64\.or>\|i64\.const \d+\|i64\.add",
    "a tile that notices all is computed exactly, too": r"<i64\.const 0 > i64\.const 1>\|local\.set",
    "a block whose 2 / d is 0 is quantised exactly, too": rf"<{_TWOS} >",
    "a block with another's 2 / d is quantised exactly, too": rf"{_TWOS}\|{_OPERAND}\|f32x4\.div\|<local\.set.*drop>",
    "a quant of 0 has no half to round": rf"\|{_ALL_ONES}\|<local\.set \d+ > drop>",
}
"""For each reason a pattern of what it is about: the three instructions before, the changed one, and two after it."""

_PATTERNS = {why: re.compile(pattern) for why, pattern in RULES.items()}


def reason(place: Place, new: str) -> str | None:
    """Why a change makes no difference, if a rule says so."""
    before = "|".join(place.near(offset) for offset in (-3, -2, -1))
    after = "|".join(place.near(offset) for offset in (1, 2))
    text = f"|{before}|<{place.instructions[place.at]} > {new}>|{after}|"
    return next((why for why, pattern in _PATTERNS.items() if pattern.search(text)), None)
