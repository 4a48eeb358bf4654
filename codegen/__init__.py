"""WebAssembly SIMD kernels for GGML's quantised models, generated and verified.

    spec = KernelSpec(Isa.RELAXED, unroll=4)
    render(spec)            # the WAT
    Kernel.load(spec).vec_dot(x, y, n)
    verify(spec).passed

Everything here is defined elsewhere in the package.
"""

from codegen.base.errors import CodegenError
from codegen.host import EngineOptions
from codegen.judge import Report
from codegen.kernels.spec import KernelSpec
from codegen.ops.gemm.kernel import MatrixKernel
from codegen.ops.mul_mat.kernel import MulMat
from codegen.ops.quantize_mat.kernel import Preparer
from codegen.ops.quantize_row.kernel import Quantizer
from codegen.ops.repack.kernel import Repacker
from codegen.ops.vec_dot.kernel import Kernel
from codegen.render.text import render
from codegen.spec.options import Memory, Scales
from codegen.spec.strategies import Isa
from codegen.verify import verify
from codegen.wasm.assemble import Assembler, assemble

__all__ = [
    "Assembler",
    "CodegenError",
    "EngineOptions",
    "Isa",
    "Kernel",
    "KernelSpec",
    "MatrixKernel",
    "Memory",
    "MulMat",
    "Preparer",
    "Quantizer",
    "Repacker",
    "Report",
    "Scales",
    "assemble",
    "render",
    "verify",
]
