"""WebAssembly SIMD kernels for GGML's quantised models, generated and verified.

    spec = KernelSpec(Isa.RELAXED, unroll=4)
    render(spec)            # the WAT
    Kernel.load(spec).vec_dot(x, y, n)
    verify(spec).passed

Everything here is defined elsewhere in the package.
"""

from codegen.base.errors import CodegenError
from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_kernel
from codegen.runtime.gemm import MatrixKernel
from codegen.runtime.host import EngineOptions
from codegen.runtime.mul_mat import MulMat
from codegen.runtime.pack_activations import Preparer
from codegen.runtime.quantize_row import Quantizer
from codegen.runtime.repack import Repacker
from codegen.runtime.vec_dot import Kernel
from codegen.spec.options import Memory, Scales
from codegen.spec.strategies import Isa
from codegen.verify.kernel import verify_kernel
from codegen.verify.report import Report
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
    "render_kernel",
    "verify_kernel",
]
