"""Specs made and parsed from anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Any

import numpy as np

from codegen.base.errors import SpecError
from codegen.kernels.operations import OPERATIONS, Operation
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import OPTIONS
from codegen.spec.strategies import Isa
from tools.fuzz.mutations import NUMBERS
from tools.fuzz.target import expect, refused

_OPTIONS = tuple(value for option in OPTIONS.values() for value in option)
_STRATEGIES = tuple(strategy.name for operation in OPERATIONS.values() for strategy in operation.strategies)


def _any_value(random: Random) -> Any:
    number = random.choice(NUMBERS)
    return random.choice(
        (None, True, 0, -1, 2.0, 2.5, float("nan"), number, -number, 10**30, "", "relaxed", "relaxed\n", "q4_0", "\0",
         "\udcff", "x" * 5000, b"relaxed", [], ["dot"], {}, (), set(), object, np.int64(2), np.float32(2), np.zeros(2),
         Isa.SCALAR, (4, 1), (4.0, True), *_OPTIONS, *OPERATIONS, *_STRATEGIES)
    )  # fmt: skip


def spec_fields(random: Random) -> tuple[dict[str, Any]]:
    """A spec that exists, with up to three fields of any value."""
    spec = any_spec(random)
    given = {field.name: getattr(spec, field.name) for field in fields(spec)}
    for name in random.sample(sorted(given), random.choice((0, 1, 1, 2, 3))):
        given[name] = _any_value(random)
    return (given,)


def make_spec(given: dict[str, Any]) -> str:
    """A spec that is made has a name that stands for it, and a plan."""
    try:
        spec = KernelSpec(**given)
    except SpecError as error:
        return refused(error)
    expect(KernelSpec.parse(spec.name) == spec, "name", f"{spec} {spec.name}")
    expect(hash(spec) == hash(KernelSpec.parse(spec.name)), "hash", spec)
    make_plan(spec)
    return "made"


def spec_name(random: Random) -> tuple[str]:
    """A name, or nearly one."""
    name = any_spec(random).name
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(name) + 1)
        part = random.choice(
            ("", "_", "_a2", "u", "0", "9", "relaxed", "\n", "\0", "\N{ARABIC-INDIC DIGIT TWO}", "*", name)
        )
        name = name[:at] + part + name[at + random.choice((0, 0, 1, 4)) :]
    return (name,)


def parse(name: str) -> str:
    """A name that is parsed is the name of what comes out."""
    try:
        spec = KernelSpec.parse(name)
    except SpecError as error:
        return refused(error)
    expect(spec.name == name, "name", name)
    return "parsed"


def any_spec(random: Random, operations: Sequence[Operation] = tuple(OPERATIONS.values())) -> KernelSpec:
    """Any spec that exists, of these operations."""
    while True:
        operation = random.choice(operations)
        x, y = (*random.choice(operation.operands), "")[:2]
        isa = random.choice(operation.isas(x))
        unroll = random.randint(1, operation.most_unroll)
        accumulators = random.choice((1, 1, random.randint(1, operation.most_accumulators)))
        strategy = random.choice(operation.strategies_of(isa, x))
        options: dict[str, Any] = {
            field: random.choice(tuple(option))
            for field, option in OPTIONS.items()
            if field in (*operation.options, "memory")
        }
        tile = random.choice(operation.tiles) if operation.tiles else None
        try:
            return KernelSpec(
                isa, unroll, accumulators, strategy, op=operation.name, x=x, y=y, tile=tile, **options
            )
        except SpecError:
            continue
