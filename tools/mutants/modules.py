"""Faults beside a kernel's own instructions: what a module has or does that its contract does not allow."""

from __future__ import annotations

from functools import partial

import wasmtime

from codegen import KernelSpec, assemble, render_kernel
from tools.mutants.faults import flat_text
from tools.mutants.mutant import KernelMutant

_DOT, _MATRIX = "vec_dot_q4_0_q8_0__", "gemm_q4_0_q8_0_"
_STORE = "i32.const 0 i32.const 0 i32.store8"


def at_start(name: str, kernel: str, instructions: str) -> KernelMutant:
    """A fault that a kernel's export commits before anything else."""
    spec = KernelSpec.parse(kernel)
    return KernelMutant(f"{name}: {kernel}", spec, partial(_with_instructions, spec, instructions))


def beside(name: str, kernel: str, field: str) -> KernelMutant:
    """A module with one more field."""
    spec = KernelSpec.parse(kernel)
    return KernelMutant(f"{name}: {kernel}", spec, partial(_with_field, spec, field))


def _with_instructions(spec: KernelSpec, instructions: str) -> bytes:
    lines = flat_text(assemble(render_kernel(spec)))
    exported = next(line for line in lines if line.startswith(f'  (export "{spec.export}"'))
    number = int(exported.split("(func ")[1].rstrip(")"))
    start = next(at for at, line in enumerate(lines) if line.startswith(f"  (func (;{number};)"))
    after = start + 1 + lines[start + 1].lstrip().startswith("(local ")
    return bytes(wasmtime.wat2wasm("\n".join((*lines[:after], instructions, *lines[after:]))))


def _with_field(spec: KernelSpec, field: str) -> bytes:
    return assemble(render_kernel(spec).rstrip().removesuffix(")") + field + ")")


_EVERY = (
    f"{_DOT}scalar_u1",
    f"{_DOT}relaxed_u4",
    "quantize_row_q8_0__scalar_u1",
    "pack_activations_q8_0__simd128_u4",
    "repack_q4_0__simd128_u1",
    "gemv_q4_0_q8_0_4x1__scalar_u1",
    f"{_MATRIX}16x1__simd128_u1_output",
    "mul_mat_q4_0_4x1__scalar_u1",
)
"""A kernel of each operation."""

MODULES = (
    *(at_start("writes before its arguments are checked", kernel, _STORE) for kernel in _EVERY),
    *(beside("an export too many", kernel, '(func (export "helper"))') for kernel in _EVERY),
    *(beside("writes at instantiation", kernel, '(data (i32.const 65532) "1")') for kernel in _EVERY),
    *(
        at_start("SIMD in a scalar kernel", kernel, "v128.const i64x2 0 0 drop")
        for kernel in _EVERY
        if "__scalar" in kernel
    ),
    *(
        at_start(
            "a relaxed opcode in a strict kernel",
            kernel,
            "v128.const i64x2 0 0 v128.const i64x2 0 0 i8x16.relaxed_swizzle drop",
        )
        for kernel in _EVERY
        if "__simd128" in kernel
    ),
    at_start(
        "a fused multiplication and addition, whose rounding differs among engines",
        f"{_DOT}relaxed_u4",
        "v128.const i64x2 0 0 v128.const i64x2 0 0 v128.const i64x2 0 0 f32x4.relaxed_madd drop",
    ),
    at_start("bx not ignored", f"{_DOT}relaxed_u4", "local.get 3 local.get 4 i32.add local.set 3"),
    at_start("by not ignored", f"{_DOT}scalar_u1", "local.get 5 local.get 6 i32.add local.set 5"),
    at_start(
        "n beyond 16 bits cut off", f"{_DOT}scalar_u1", "local.get 0 i32.const 0x8000ffff i32.and local.set 0"
    ),
    at_start(
        "nrc beyond 8 bits cut off", f"{_DOT}scalar_u1", "local.get 7 i32.const 255 i32.and local.set 7"
    ),
    at_start(
        "reads the byte before x",
        f"{_DOT}relaxed_u4",
        "local.get 3 i32.const 1 i32.sub i32.load8_u drop",
    ),
    at_start(
        "reads the byte before x",
        "quantize_row_q8_0__scalar_u1",
        "local.get 0 i32.const 1 i32.sub i32.load8_u drop",
    ),
    at_start(
        "k beyond 32 bits cut off",
        "quantize_row_q8_0__scalar_u1",
        "local.get 2 i64.const 0xffffffff i64.and local.set 2",
    ),
    at_start(
        "a column stride of n floats",
        "pack_activations_q8_0__simd128_u4",
        "local.get 0 i32.const 2 i32.shl local.set 3",
    ),
    at_start(
        "a row stride of whole rows",
        "repack_q4_0__simd128_u1",
        "local.get 0 i32.const 32 i32.div_u i32.const 18 i32.mul local.set 3",
    ),
    at_start(
        "columns of results without gaps", f"{_MATRIX}16x1__simd128_u1_output", "local.get 6 local.set 2"
    ),
)
