"""A kernel of somebody else, kept as text so that it can be timed beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codegen.kernels.spec import KernelSpec
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.wasm.assemble import assemble


@dataclass(frozen=True)
class Frozen:
    """A module that is timed, and that nothing generates, verifies or ships.

    Attributes:
        name: what it is called in results; no `KernelSpec` has this name.
        file: its text, in this folder, with the loop that `bench` calls.
        alike: a kernel of ours with the same additions in the same order: both give the same bits.
    """

    name: str
    file: str
    alike: KernelSpec

    @property
    def isa(self) -> Isa:
        """The feature that an engine must have for it."""
        return self.alike.isa

    @property
    def memory(self) -> Memory:
        """Its own."""
        return Memory.EXPORT

    @cached_property
    def wasm(self) -> bytes:
        """The module.

        Raises:
            AssembleError: its text did not assemble.
        """
        return assemble((Path(__file__).parent / self.file).read_text(encoding="utf-8"))


Timed = KernelSpec | Frozen
"""What `session.run` times."""

ARTICLE = Frozen(
    "vec_dot_q4_0_q8_0__article",
    "article.wat",
    KernelSpec(Isa.SIMD128, strategy="extmul"),
)
"""The kernel of the published table (codegen/speed/bench/article.py)."""
