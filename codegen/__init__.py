"""WebAssembly SIMD kernels for GGML's quantised models, generated and verified.

    spec = KernelSpec(Isa.RELAXED, unroll=4)
    render(spec)            # the WAT
    Kernel.load(spec).vec_dot(x, y, n)
    verify(spec).passed

Everything here is defined elsewhere in the package.
"""

from codegen.assemble import Assembler, assemble
from codegen.errors import CodegenError
from codegen.host import EngineOptions
from codegen.judge import Report
from codegen.ops.vec_dot.kernel import Kernel
from codegen.options import Memory, Scales
from codegen.render import render
from codegen.spec import KernelSpec
from codegen.strategies import Isa
from codegen.verify import verify

__all__ = [
    "Assembler",
    "CodegenError",
    "EngineOptions",
    "Isa",
    "Kernel",
    "KernelSpec",
    "Memory",
    "Report",
    "Scales",
    "assemble",
    "render",
    "verify",
]
