"""What to build: a kernel's contract and how it is done, as one value with one name.

    vec_dot_q4_0_q8_0__simd128-extmul_u4_a2_table_import
    ^op     ^x   ^y    ^isa    ^strategy ^unroll, accumulators, options

Left of the double underscore is the contract, right of it how it is done. What is the default is left
out of the name, and `KernelSpec.parse(spec.name) == spec` for every spec. docs/naming.md explains it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from codegen.errors import SpecError, shown
from codegen.formats import FORMATS
from codegen.strategies import ALL, BY_NAME, Isa, Sums

E = TypeVar("E", bound=StrEnum)

MAX_UNROLL = 16
MAX_ACCUMULATORS = 8


class Scales(StrEnum):
    """How f16 scales become f32, and how an infinity or NaN among those of several blocks is noticed."""

    ARITHMETIC = "arithmetic"
    """Computed; noticed in integer registers."""
    OVERFLOW = "overflow"
    """Computed; noticed since it overflows, or in a vector."""
    TABLE = "table"
    """Looked up in a table of 256 KiB in memory, which has those too."""


class Fold(StrEnum):
    """How the partial sums of several blocks become one integer a block."""

    SHUFFLE = "shuffle"
    """Moved together by shuffles, and added."""
    NARROW = "narrow"
    """Pairs added by a multiplication with ones, and narrowed."""


class Memory(StrEnum):
    """Whether the module owns and exports `memory`, or imports `env.memory`."""

    EXPORT = "export"
    IMPORT = "import"


STRATEGIES: dict[Isa, tuple[str, ...]] = {isa: tuple(s.name for s in ALL if s.isa is isa) for isa in Isa}
"""The names of each ISA's multiply strategies, the default first."""

OPS = ("vec_dot",)
OPERANDS = (("q4_0", "q8_0"),)

_NAME = re.compile(
    rf"(?P<op>{'|'.join(OPS)})_(?P<x>{'|'.join(FORMATS)})_(?P<y>{'|'.join(FORMATS)})"
    r"__(?P<isa>[a-z0-9]+)(?:-(?P<strategy>[a-z0-9]+))?"
    r"_u(?P<unroll>[1-9][0-9]?)(?:_a(?P<accumulators>[1-9]))?"
    r"(?:_(?P<scales>overflow|table))?(?:_(?P<fold>narrow))?(?P<import>_import)?"
)


@dataclass(frozen=True)
class KernelSpec:
    """One kernel to generate.

    Args:
        isa: the instruction set it may use.
        unroll: blocks of 32 weights per loop iteration, 1 to 16.
        accumulators: independent sums that the blocks of an iteration are spread over, 1 to 8; divides `unroll`.
        strategy: how weights and activations are multiplied; empty picks the ISA's default.
        scales: how f16 scales are converted.
        fold: how partial sums of blocks that go together are added up.
        memory: whether the module exports its memory or imports the host's.

    Raises:
        SpecError: the combination does not exist; the message names the parameter and what it may be.
    """

    isa: Isa
    unroll: int = 1
    accumulators: int = 1
    strategy: str = ""
    scales: Scales = Scales.ARITHMETIC
    fold: Fold = Fold.SHUFFLE
    memory: Memory = Memory.EXPORT
    op: str = "vec_dot"
    x: str = "q4_0"
    y: str = "q8_0"

    def __post_init__(self) -> None:
        for field, kind in (("isa", Isa), ("scales", Scales), ("fold", Fold), ("memory", Memory)):
            object.__setattr__(self, field, _member(kind, field, getattr(self, field)))
        for field in ("strategy", "op", "x", "y"):
            if type(getattr(self, field)) is not str:
                raise SpecError(f"{field} {shown(getattr(self, field))}: must be text")
        strategies = STRATEGIES[self.isa]
        object.__setattr__(self, "strategy", self.strategy or strategies[0])
        if self.strategy not in strategies:
            raise SpecError(f"strategy {shown(self.strategy)}: {self.isa} has {', '.join(strategies)}")
        if self.op not in OPS:
            raise SpecError(f"op {shown(self.op)}: known are {', '.join(OPS)}")
        if (self.x, self.y) not in OPERANDS:
            known = ", ".join(f"{x} x {y}" for x, y in OPERANDS)
            raise SpecError(f"formats {shown(self.x)} x {shown(self.y)}: {self.op} knows {known}")
        self._check_loop()

    def _check_loop(self) -> None:
        _check_range("unroll", self.unroll, MAX_UNROLL)
        _check_range("accumulators", self.accumulators, MAX_ACCUMULATORS)
        if self.unroll % self.accumulators:
            raise SpecError(f"accumulators = {self.accumulators}: must divide unroll = {self.unroll}")
        if self.strategy == "article" and (self.unroll, self.scales) != (1, Scales.ARITHMETIC):
            raise SpecError(
                "strategy 'article': reproduces a published kernel, unroll 1 and arithmetic scales only"
            )

        self._check_together()

    def _check_together(self) -> None:
        """What is done to several blocks at once needs several."""
        strategy = BY_NAME[self.strategy]
        together = self.unroll > self.accumulators and strategy.sums in (Sums.I16X8, Sums.I32X4)
        needs = "for SIMD with at least two blocks an accumulator"
        if self.scales is Scales.OVERFLOW and not together:
            raise SpecError(f"scales 'overflow': {needs}")
        if self.fold is Fold.NARROW and not together:
            raise SpecError(f"fold 'narrow': {needs}")
        if self.fold is Fold.NARROW and strategy.shift:
            raise SpecError(f"fold 'narrow': sums of {self.strategy!r} do not fit in i16; use 'shuffle'")

    @property
    def contract(self) -> str:
        """The name's left side: what every variant of this kernel computes."""
        return f"{self.op}_{self.x}_{self.y}"

    @property
    def export(self) -> str:
        """The function that a module exports: GGML's own name for it."""
        return f"ggml_{self.contract}"

    @property
    def name(self) -> str:
        """File name, golden's name, bench label and manifest key."""
        strategy = "" if self.strategy == STRATEGIES[self.isa][0] else f"-{self.strategy}"
        accumulators = "" if self.accumulators == 1 else f"_a{self.accumulators}"
        scales = "" if self.scales is Scales.ARITHMETIC else f"_{self.scales}"
        fold = "" if self.fold is Fold.SHUFFLE else f"_{self.fold}"
        memory = "_import" if self.memory is Memory.IMPORT else ""
        return f"{self.contract}__{self.isa}{strategy}_u{self.unroll}{accumulators}{scales}{fold}{memory}"

    @classmethod
    def parse(cls, name: str) -> KernelSpec:
        """The spec that a name stands for; SpecError where there is none or it is not the canonical name."""
        match = _NAME.fullmatch(name)
        if not match:
            raise SpecError(f"kernel {shown(name)}: not a kernel name; see `codegen list` or docs/naming.md")
        spec = cls(
            isa=_member(Isa, "isa", match["isa"]),
            unroll=int(match["unroll"]),
            accumulators=int(match["accumulators"] or 1),
            strategy=match["strategy"] or "",
            scales=Scales(match["scales"] or Scales.ARITHMETIC),
            fold=Fold(match["fold"] or Fold.SHUFFLE),
            memory=Memory.IMPORT if match["import"] else Memory.EXPORT,
            op=match["op"],
            x=match["x"],
            y=match["y"],
        )
        if spec.name != name:
            raise SpecError(f"kernel {shown(name)}: its name is {spec.name!r} (defaults are left out)")
        return spec


def _member(kind: type[E], field: str, value: str) -> E:
    try:
        return kind(value)
    except (ValueError, TypeError):
        raise SpecError(f"{field} {shown(value)}: known are {', '.join(kind)}") from None


def _check_range(field: str, value: int, top: int) -> None:
    if type(value) is not int or not 1 <= value <= top:
        raise SpecError(f"{field} = {shown(value)}: must be a whole number from 1 to {top}")
