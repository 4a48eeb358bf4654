"""The one list of operations: for each its contracts and its strategies.

A name's left side is an operation and its operands' formats, as `vec_dot_q4_0_q8_0`: its contract. Each later
stage has a table of its own, from an operation's name to what the stage does for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from codegen.formats import FORMATS
from codegen.formats.layouts import Kind, Record
from codegen.kernels.dot import strategies as vec_dot
from codegen.kernels.pack_activations import strategies as pack_activations
from codegen.kernels.quantize_row import strategies as quantize_row
from codegen.kernels.repack import strategies as repack
from codegen.kernels.tile import strategies as gemm
from codegen.spec.choice import Choice
from codegen.spec.strategies import Isa, Strategy
from codegen.wasm.c_parameters import Parameter, parameters
from codegen.wasm.cost import RELAXED_DOTS, RELAXED_TRUNC

MAX_UNROLL = 16
"""Blocks that a turn of any main loop has at most."""


@dataclass(frozen=True)
class Operation:
    """What a family of kernels computes, and how it is called.

    Attributes:
        name: GGML's own word for it.
        operands: the formats that it is made for, one or two names each.
        parameters: its export's parameters, in order; it returns nothing.
        export: the export's name, with `{contract}` in it.
        strategies: the ways to do it; the first of an ISA is its default. An ISA without any has no such kernels.
        why_not: why a spec of it does not exist, where its options do not go together.
        relaxed_opcodes: the relaxed SIMD opcodes whose results it can promise, as it uses them.
        tiles: rows and columns that its kernels compute at a time; empty where it has no tiles.
        options: what else its kernels can choose, fields of codegen/spec/options.py; `memory` they all can.
        most_unroll: blocks that a turn of the main loop can have.
        most_accumulators: independent sums that its kernels can have.
        package: whose frame its kernels have, where that is another operation's.
        records: by strategy, the kind of prepared activations that its kernels take or give, where they do.
    """

    name: str
    operands: tuple[tuple[str, ...], ...]
    parameters: tuple[Parameter, ...]
    export: str
    strategies: tuple[Strategy, ...]
    why_not: Callable[[Choice], str | None]
    relaxed_opcodes: tuple[int, ...]
    tiles: tuple[tuple[int, int], ...] = ()
    options: tuple[str, ...] = ()
    most_unroll: int = MAX_UNROLL
    most_accumulators: int = 1
    package: str = ""
    records: Mapping[str, Kind] = field(default_factory=dict)

    def strategies_of(self, isa: Isa, x: str) -> tuple[str, ...]:
        """The names of an ISA's strategies for a format of the first operand, the default first."""
        fit = (one for one in self.strategies if one.isa is isa and not one.refuses(FORMATS[x]))
        return tuple(strategy.name for strategy in fit)

    def refusal(self, strategy: str, x: str) -> str | None:
        """Why a strategy of any ISA has no kernel with a format of the first operand; None where it has, or is none."""
        found = (one.refuses(FORMATS[x]) for one in self.strategies if one.name == strategy)
        return next(found, None)

    def isas(self, x: str) -> tuple[Isa, ...]:
        """The ISAs that it has strategies for, with a format of the first operand."""
        return tuple(isa for isa in Isa if self.strategies_of(isa, x))

    @property
    def template(self) -> str:
        """The frame of its kernels, of any formats, in templates/."""
        return f"frames/{self.package or self.name}.wat.j2"


_MATRIX = parameters("int n, float *s, size_t bs, const void *vx, const void *vy, int nr, int nc")
"""GGML's parameters of a matrix product."""

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            name="vec_dot",
            operands=tuple(
                (x.name, x.activations)
                for x in FORMATS.values()
                if not all(strategy.refuses(x) for strategy in vec_dot.ALL)
            ),
            parameters=parameters(
                "int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc"
            ),
            export="ggml_{contract}",
            strategies=vec_dot.ALL,
            why_not=vec_dot.why_not,
            relaxed_opcodes=RELAXED_DOTS,
            options=("scales", "fold"),
            most_accumulators=8,
        ),
        Operation(
            name="quantize_row",
            operands=(("q8_0",),),
            parameters=parameters("const float *x, void *y, int64_t k"),
            export="{contract}",
            strategies=quantize_row.ALL,
            why_not=quantize_row.why_not,
            relaxed_opcodes=(RELAXED_TRUNC,),
        ),
        Operation(
            name="pack_activations",
            operands=(("q8_0",),),
            parameters=parameters("int n, void *s, const float *vx, size_t bx, int nr"),
            export="{contract}",
            strategies=pack_activations.ALL,
            why_not=pack_activations.why_not,
            relaxed_opcodes=(RELAXED_TRUNC,),
            options=("activations",),
            records={kind.value: kind for kind in Kind},
        ),
        Operation(
            name="repack",
            operands=(("q4_0",),),
            parameters=parameters("int n, void *s, const void *vx, size_t bx, int nc"),
            export="{contract}",
            strategies=repack.ALL,
            why_not=repack.why_not,
            relaxed_opcodes=(),
            most_unroll=1,
        ),
        Operation(
            name="gemv",
            operands=(("q4_0", "q8_0"),),
            parameters=_MATRIX,
            export="{contract}",
            strategies=gemm.ALL,
            why_not=gemm.why_not,
            relaxed_opcodes=RELAXED_DOTS,
            tiles=gemm.GEMV_TILES,
            options=("activations", "inner"),
            most_unroll=1,
            records=gemm.KINDS,
            package="gemm",
        ),
        Operation(
            name="gemm",
            operands=(("q4_0", "q8_0"),),
            parameters=_MATRIX,
            export="{contract}",
            strategies=gemm.ALL,
            why_not=gemm.why_not,
            relaxed_opcodes=RELAXED_DOTS,
            tiles=gemm.GEMM_TILES,
            options=("activations", "inner", "totals"),
            most_unroll=1,
            records=gemm.KINDS,
            package="gemm",
        ),
        Operation(
            name="mul_mat",
            operands=(("q4_0",),),
            parameters=parameters(
                "int n, float *s, size_t bs, const void *vx, const float *vy, size_t by, int nr, int nc, void *work"
            ),
            export="{contract}",
            strategies=gemm.ALL,
            why_not=gemm.why_not,
            relaxed_opcodes=(*RELAXED_DOTS, RELAXED_TRUNC),
            tiles=gemm.GEMM_TILES,
            options=("activations", "inner", "totals"),
            most_unroll=1,
        ),
    )
}


def contract_of(operation: str, operands: tuple[str, ...]) -> str:
    """A contract's name."""
    return "_".join((operation, *operands))


def contracts_of(weights: str) -> dict[str, str]:
    """The contracts that multiply weights of a format, and that make their operands, by operation."""
    x, y = weights, FORMATS[weights].activations
    operands = {
        "vec_dot": (x, y),
        "quantize_row": (y,),
        "pack_activations": (y,),
        "repack": (x,),
        "gemv": (x, y),
        "gemm": (x, y),
        "mul_mat": (x,),
    }
    return {name: contract_of(name, each) for name, each in operands.items()}


def interface_of(contract: str, record: Record | None) -> str:
    """The name of a contract and of the records that its kernels take or give."""
    return contract if record is None else f"{contract}-{record.name}"
