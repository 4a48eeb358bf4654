"""Sets of kernels of which one is wrong: its first byte of results has another last bit, or it traps."""

from __future__ import annotations

import re

from codegen.kernels.spec import KernelSpec
from codegen.products.javascript.bundles import Bundle
from codegen.products.linking.merge import bundle
from codegen.wasm.assemble import assemble

WRONG_BIT = "(i32.store8 {out} (i32.xor (i32.load8_u {out}) (i32.const 1)))"
TRAP = "(unreachable)"


def doctored(one: Bundle, op: str, after: int = 0, fault: str = WRONG_BIT) -> bytes:
    """The set's module, where the kernel of an operation has a fault from so many calls on."""
    (spec,) = (spec for spec in one.specs if spec.op == op)
    text = bundle(one.specs)
    exported = f'(func ${spec.export} (export "{spec.export}")'
    assert text.count(exported) == 1
    hidden = text.replace(exported, f"(func ${spec.export}")
    return assemble(
        hidden.rstrip().removesuffix(")") + _wrapper(spec, text.partition(exported)[2], after, fault) + ")\n"
    )


def _wrapper(spec: KernelSpec, function: str, after: int, fault: str) -> str:
    parameters = re.findall(r"^\s+\(param \$(\w+) (\w+)\)", function.partition("(local")[0], re.MULTILINE)
    declared = " ".join(f"(param ${name} {kind})" for name, kind in parameters)
    passed = " ".join(f"(local.get ${name})" for name, _ in parameters)
    out = "(local.get $y)" if spec.op == "quantize_row" else "(local.get $s)"
    return f"""
  (global $calls (mut i32) (i32.const 0))
  (func (export "{spec.export}") {declared}
    (call ${spec.export} {passed})
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (if (i32.gt_u (global.get $calls) (i32.const {after}))
      (then {fault.format(out=out)})))
"""
