"""What to build: a kernel's contract and how it is done, as one value with one name.

    vec_dot_q4_0_q8_0__simd128-extmul_u4_a2_overflow_import
    ^op     ^x   ^y    ^isa    ^strategy ^unroll, accumulators, options

Left of the double underscore is the contract, and a tile where the operation has tiles (`_8x1`); right of it how it is
done. What is the default is left out of the name, and `KernelSpec.parse(spec.name) == spec` for every spec.
docs/naming.md explains it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from codegen.base.errors import SpecError, shown
from codegen.formats import FORMATS
from codegen.formats.layouts import Record
from codegen.kernels.operations import OPERATIONS, Operation, contract_of, interface_of
from codegen.spec.choice import Choice
from codegen.spec.options import OPTIONS, Memory, default
from codegen.spec.strategies import Isa
from codegen.wasm.c_parameters import AddressType

E = TypeVar("E", bound=StrEnum)


_NAME = (
    r"(?P<op>OPS)_(?P<x>FORMATS)(?:_(?P<y>FORMATS))?(?:_(?P<mr>[1-9][0-9]?)x(?P<nr>[1-9][0-9]?))?"
    r"__(?P<isa>[a-z0-9]+)(?:-(?P<strategy>[a-z0-9]+))?"
    r"_u(?P<unroll>[1-9][0-9]?)(?:_a(?P<accumulators>[1-9]))?(?P<options>(?:_[a-z]{2,}[0-9]*)*)"
)


@dataclass(frozen=True)
class KernelSpec(Choice):
    """One kernel to generate: a choice that exists.

    Raises:
        SpecError: the combination does not exist; the message names the parameter and what it may be.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "isa", _member(Isa, "isa", self.isa))
        for field, option in OPTIONS.items():
            object.__setattr__(self, field, _member(option, field, getattr(self, field)))
        for field in ("strategy", "op", "x", "y"):
            if type(getattr(self, field)) is not str:
                raise SpecError(f"{field} {shown(getattr(self, field))}: must be text")
        if self.op not in OPERATIONS:
            raise SpecError(f"op {shown(self.op)}: known are {', '.join(OPERATIONS)}")
        if isinstance(self.tile, list):  # as JSON has it
            object.__setattr__(self, "tile", tuple(self.tile))
        self._check_contract()
        self._check_strategy()
        self._check_loop()

    def _check_contract(self) -> None:
        if self.operands not in self.operation.operands:
            known = ", ".join(" x ".join(operands) for operands in self.operation.operands)
            raise SpecError(f"formats {shown(self.x)} x {shown(self.y)}: {self.op} knows {known}")
        tiles = self.operation.tiles
        whole = type(self.tile) is tuple and all(type(side) is int for side in self.tile)
        if not (whole and self.tile in tiles if tiles else self.tile is None):
            known = ", ".join(f"{mr}x{nr}" for mr, nr in tiles) or "no tiles"
            raise SpecError(f"tile {shown(self.tile)}: {self.op} has {known}")

    def _check_strategy(self) -> None:
        strategies = self.operation.strategies_of(self.isa, self.x)
        if not strategies:
            raise SpecError(f"isa {self.isa}: {self.op} has {', '.join(self.operation.isas(self.x))}")
        object.__setattr__(self, "strategy", self.strategy or strategies[0])
        if self.strategy not in strategies:
            if reason := self.operation.refusal(self.strategy, self.x):
                raise SpecError(f"strategy {shown(self.strategy)}: {reason}")
            raise SpecError(f"strategy {shown(self.strategy)}: {self.isa} has {', '.join(strategies)}")

    def _check_loop(self) -> None:
        _check_range("unroll", self.unroll, self.operation.most_unroll)
        _check_range("accumulators", self.accumulators, self.operation.most_accumulators)
        if self.unroll % self.accumulators:
            raise SpecError(f"accumulators = {self.accumulators}: must divide unroll = {self.unroll}")
        for field in self._chosen():
            if field not in (*self.operation.options, "memory"):
                raise SpecError(f"{field} {getattr(self, field)}: {self.op} has no such option")
        if reason := self.operation.why_not(self):
            raise SpecError(reason)

    def _chosen(self) -> list[str]:
        """The options that are not the default."""
        return [field for field, option in OPTIONS.items() if getattr(self, field) is not default(option)]

    @property
    def operation(self) -> Operation:
        """What there is to know of its operation."""
        return OPERATIONS[self.op]

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of its operands' formats."""
        return (self.x, self.y) if self.y else (self.x,)

    @property
    def contract(self) -> str:
        """What every variant of this kernel computes, whatever its tile."""
        return contract_of(self.op, self.operands)

    @property
    def record(self) -> Record | None:
        """What its prepared activations are, where it takes or gives such."""
        kind = self.operation.records.get(self.strategy)
        return None if kind is None else Record(kind, self.activations)

    @property
    def interface(self) -> str:
        """What callers see of it: its contract, and its records where they are part of that."""
        return interface_of(self.contract, self.record)

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and WebAssembly types of its export's parameters, in order."""
        return tuple((one.name, one.wasm_type(self.address_type)) for one in self.operation.parameters)

    @property
    def address_type(self) -> AddressType:
        """The WebAssembly type of its addresses."""
        return "i64" if self.memory is Memory.MEMORY64 else "i32"

    @property
    def export(self) -> str:
        """The function that a module exports: GGML's own name for it."""
        return self.operation.export.format(contract=self.contract)

    @property
    def name(self) -> str:
        """File name, golden's name, bench label and manifest key."""
        tile = f"_{self.tile[0]}x{self.tile[1]}" if self.tile else ""
        usual = self.operation.strategies_of(self.isa, self.x)[0]
        strategy = "" if self.strategy == usual else f"-{self.strategy}"
        accumulators = "" if self.accumulators == 1 else f"_a{self.accumulators}"
        options = "".join(f"_{getattr(self, field)}" for field in self._chosen())
        return f"{self.contract}{tile}__{self.isa}{strategy}_u{self.unroll}{accumulators}{options}"

    @classmethod
    def parse(cls, name: str) -> KernelSpec:
        """The spec that a name stands for; SpecError where there is none or it is not the canonical name."""
        known = {"OPS": tuple(OPERATIONS), "FORMATS": tuple(FORMATS)}
        match = re.fullmatch(re.sub("OPS|FORMATS", lambda word: "|".join(known[word[0]]), _NAME), name)
        if not match:
            raise SpecError(
                f"kernel {shown(name)}: not a kernel name; `codegen list` shows how they are built"
            )
        spec = cls(
            isa=_member(Isa, "isa", match["isa"]),
            unroll=int(match["unroll"]),
            accumulators=int(match["accumulators"] or 1),
            strategy=match["strategy"] or "",
            op=match["op"],
            x=match["x"],
            y=match["y"] or "",
            tile=(int(match["mr"]), int(match["nr"])) if match["mr"] else None,
            **_options(name, match["options"]),
        )
        if spec.name != name:
            raise SpecError(f"kernel {shown(name)}: its name is {spec.name!r} (defaults are left out)")
        return spec


def _options(name: str, words: str) -> dict[str, Any]:
    """The options that a name's last words stand for."""
    fields = {str(value): field for field, option in OPTIONS.items() for value in option}
    chosen = words.split("_")[1:]
    if unknown := [word for word in chosen if word not in fields]:
        raise SpecError(f"kernel {shown(name)}: {unknown[0]} is no option; there are {', '.join(fields)}")
    return {fields[word]: word for word in chosen}


def _member(kind: type[E], field: str, value: str) -> E:
    try:
        return kind(value)
    except (ValueError, TypeError):
        raise SpecError(f"{field} {shown(value)}: known are {', '.join(kind)}") from None


def _check_range(field: str, value: int, top: int) -> None:
    if type(value) is not int or not 1 <= value <= top:
        raise SpecError(f"{field} = {shown(value)}: must be a whole number from 1 to {top}")
