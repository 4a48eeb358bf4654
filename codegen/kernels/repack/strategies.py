"""How rows of weights are interleaved: word by word, or by shuffles of vectors."""

from __future__ import annotations

from codegen.spec.choice import Choice
from codegen.spec.strategies import Isa, Strategy

ALL: tuple[Strategy, ...] = (
    Strategy("words", Isa.SCALAR, (), ()),
    Strategy("shuffle", Isa.SIMD128, (), ()),
)
"""Every strategy."""


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does."""
    return None
