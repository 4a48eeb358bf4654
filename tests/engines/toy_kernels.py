"""A kernel simple enough to know its result by heart, faults to put into it, and jobs around it."""

from __future__ import annotations

import struct

import wasmtime

from codegen.engines import kernel_entry

EXPORT = "ggml_vec_dot_q4_0_q8_0"
CONTRACT = "vec_dot_q4_0_q8_0"

# Over all blocks, the sum of the products of the last byte of x and the last byte of y.
TOY = """(module
  {memory}
  (global $calls (mut i32) (i32.const 0))
  (func (export "ggml_vec_dot_q4_0_q8_0")
    (param $n i32) (param $s {ptr}) (param $bs {ptr}) (param $vx {ptr}) (param $bx {ptr}) (param $vy {ptr})
    (param $by {ptr}) (param $nrc i32) (local $sum i32)
    (if (i32.or (i32.and (local.get $n) (i32.const 31)) (i32.xor (local.get $nrc) (i32.const 1))) (then {guard}))
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    {start}
    (if (local.get $n) (then (loop $block
      (local.set $sum (i32.add (local.get $sum)
        (i32.mul (i32.load8_s offset={x} (local.get $vx)) (i32.load8_s offset={y} (local.get $vy)))))
      (local.set $vx ({ptr}.add (local.get $vx) ({ptr}.const 18)))
      (local.set $vy ({ptr}.add (local.get $vy) ({ptr}.const 34)))
      (br_if $block (local.tee $n (i32.sub (local.get $n) (i32.const 32)))))))
    (f32.store (local.get $s) (f32.convert_i32_s (local.get $sum)))
    {end}))"""

RIGHT = {
    "memory": '(memory (export "memory") 1)',
    "ptr": "i32",
    "guard": "unreachable",
    "start": "",
    "x": "17",
    "y": "33",
    "end": "",
}


KINDS = {"shared": "shared", "(memory i64": "memory64"}
"""Memories by a word of their declaration."""


def toy(name="toy", isa="scalar", **faults):
    parts = {**RIGHT, **faults}
    memory = "import" if "import" in parts["memory"] else "export"
    memory = next((kind for word, kind in KINDS.items() if word in parts["memory"]), memory)
    types = ["i32", *[parts["ptr"]] * 6, "i32"]
    return kernel_entry(
        name, CONTRACT, isa, bytes(wasmtime.wat2wasm(TOY.format(**parts))), EXPORT, types, memory
    )


TRAP = "trap"


def case(name, last_bytes, expect=None, n=None, nrc=1, **more):
    """A case of one block for each pair of last bytes."""
    x = b"".join(bytes(17) + struct.pack("b", a) for a, _ in last_bytes)
    y = b"".join(bytes(33) + struct.pack("b", b) for _, b in last_bytes)
    right = struct.pack(">f", sum(a * b for a, b in last_bytes)).hex()
    trap = {"trap": True} if expect == TRAP else {}
    return {
        "name": name,
        "kinds": ["toy"],
        "arguments": [32 * len(last_bytes) if n is None else n, "s", 0, "x", 0, "y", 0, nrc],
        "inputs": {"x": x.hex(), "y": y.hex()},
        "outputs": {"s": {"untouched": 4} if trap else {"f32": [expect or {"bits": f"0x{right}"}]}},
        **trap,
        **more,
    }


CASES = [
    case("empty", []),
    case("one", [(3, -5)]),
    case("three", [(1, 2), (-128, 127), (7, 7)], align=5),
    case("at the start", [(2, 3), (4, 5)], place="start"),
    case("at the end", [(2, 3), (4, 5)], place="end"),
    case("at 4 GiB", [(2, 3), (4, 5)], place="high"),
    case("n is no multiple", [], TRAP, n=33),
    case("nrc", [(1, 1)], TRAP, nrc=2),
]


def job(*kernels, cases=CASES, opcodes=()):
    return {
        "kernels": list(kernels),
        "vectors": {
            CONTRACT: {
                "format": "ggml-wasm-vectors",
                "version": 2,
                "contract": CONTRACT,
                "cases": list(cases),
            }
        },
        "opcodes": {"format": "ggml-wasm-opcodes", "version": 1, "cases": list(opcodes)},
    }


def opcode(name, text, operands, result, **more):
    """A known answer for an expression of $a and $b."""
    body = f"(v128.store offset=48 (i32.const 0) {text})"
    operand = "(v128.load offset={} (i32.const 0))"
    body = body.replace("$a", operand.format(0)).replace("$b", operand.format(16))
    wasm = wasmtime.wat2wasm(f"""(module
      (memory (export "memory") 1)
      (func (export "run") {body})
      (func (export "hot") (param $count i32)
        (loop $again {body} (br_if $again (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))""")
    return {
        "name": name,
        "requires": "simd128",
        "wasm": bytes(wasm).hex(),
        "operands": [operand.hex() for operand in operands],
        "result": result.hex(),
        **more,
    }
