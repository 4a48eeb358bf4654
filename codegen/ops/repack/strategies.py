"""How rows of weights are interleaved: word by word, or by shuffles of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codegen.strategies import Isa, Strategy

if TYPE_CHECKING:  # the spec is made with this list
    from codegen.spec import KernelSpec


ALL: tuple[Strategy, ...] = (
    Strategy("words", Isa.SCALAR, (), ()),
    Strategy("shuffle", Isa.SIMD128, (), ()),
)
"""Every strategy."""


def why_not(spec: KernelSpec) -> str | None:
    """Why a combination of options does not exist; None where it does."""
    return None
