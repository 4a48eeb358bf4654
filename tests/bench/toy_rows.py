"""A module that bench can time and whose results are known, and faults to put into it."""

from __future__ import annotations

import struct

from codegen.speed.bench.entry import Buffer, Entry, Output
from codegen.speed.bench.problem import Problem
from codegen.wasm.assemble import assemble

# A row's result: the sum of its first word and the activations' first.
_TOY = """(module
  (memory (export "memory") 1)
  (global $calls (mut i32) (i32.const 0))
  (func (export "repeat")
    (param $rounds i32) (param $rows i32) (param $n i32) (param $s i32)
    (param $x i32) (param $x_step i32) (param $y i32) (param $y_step i32)
    (local $i i32) (local $value i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (loop $round
      (local.set $i (i32.const 0))
      (loop $row
        (local.set $value
          (i32.add
            (i32.load align=1 (i32.add (local.get $x) (i32.mul (local.get $i) (local.get $x_step))))
            (i32.load align=1 (local.get $y))))
        FAULT
        (i32.store (i32.add (local.get $s) (i32.shl (local.get $i) (i32.const 2))) (local.get $value))
        (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $rows))))
      (br_if $round (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))))"""

_OFF = "(then (local.set $value (i32.add (local.get $value) (i32.const 1))))"

LATER = 200
"""Calls after which the fault "later" is there: more than any warm-up has."""

FAULTS = {
    "every row": f"(if (i32.const 1) {_OFF})",
    "the first row": f"(if (i32.eqz (local.get $i)) {_OFF})",
    "the last row": f"(if (i32.eq (local.get $i) (i32.sub (local.get $rows) (i32.const 1))) {_OFF})",
    "a row left out": "(if (i32.eq (local.get $i) (i32.const 1)) (then (local.set $i (i32.const 2)) (br $row)))",
    "at first": f"(if (i32.eq (global.get $calls) (i32.const 1)) {_OFF})",
    "memory grown": f"(drop (memory.grow (i32.const 1))) (if (i32.const 1) {_OFF})",
    "a trap": "(unreachable)",
    "a read outside memory": "(drop (i32.load (i32.const -4)))",
}
_IS_LATER = f"(i32.gt_u (global.get $calls) (i32.const {LATER}))"
LATER_FAULTS = {
    "another value": f"(if {_IS_LATER} {_OFF})",
    "nothing computed": f"(if {_IS_LATER} (then (return)))",
}
GROWS = "(if (i32.lt_u (memory.size) (i32.const 40)) (then (drop (memory.grow (i32.const 1)))))"
"""No fault: a module may grow its memory, which then may be elsewhere."""


def toy(problem: Problem, fault: str = "", name: str = "toy", isa: str = "scalar") -> Entry:
    """The module, its memory, and what it computes where it has no fault."""
    (y,) = struct.unpack_from("<I", problem.y)
    firsts = (
        struct.unpack_from("<I", problem.pattern, row * problem.x_step)[0] for row in range(problem.distinct)
    )
    results = b"".join(struct.pack("<I", (first + y) & 0xFFFFFFFF) for first in firsts)
    return Entry(
        name,
        isa,
        assemble(_TOY.replace("FAULT", fault)),
        (
            Buffer("s", 4 * problem.rows),
            Buffer("x", problem.bytes, problem.pattern),
            Buffer("y", len(problem.y), problem.y),
        ),
        (problem.rows, problem.n, "s", "x", problem.x_step, "y", 0),
        problem.rows,
        Output("s", 1, 4 * problem.rows, (results,)),
    )
