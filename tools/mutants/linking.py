"""Faults in objects, libraries and headers: a program of C that does not link, or gets a wrong number."""

from __future__ import annotations

from tools.mutants.mutant import ProgramMutant, code

_LINKING = "codegen/products/linking/"
_PROGRAMS, _FREE = (f"tests/linking/test_{name}.py" for name in ("c_programs", "freestanding"))

_SETS = "tests/unit/test_kernel_set.py"

LINKING: tuple[ProgramMutant, ...] = (
    code("linking: helpers keep their names", _PROGRAMS, f"{_LINKING}merge.py",
         'f"({kind} ${spec.name}__{name}" if name in own else match[0]', "match[0]"),
    code("linking: programs export what they link", _PROGRAMS, f"{_LINKING}object_file.py",
         "part(spec, symbol(spec)).hidden", "part(spec, symbol(spec)).functions"),
    code("linking: no word of what is needed", _PROGRAMS, f"{_LINKING}object_file.py",
         "wasm + _features(FEATURES[spec.isa])", "wasm"),
    code("linking: relaxed SIMD without SIMD", _PROGRAMS, f"{_LINKING}object_file.py",
         '("simd128", "relaxed-simd")', '("relaxed-simd",)'),
    code("linking: memory of 32 bits for 64", _FREE, f"{_LINKING}object_file.py",
         '"i64 0" if', '"0" if'),
    code("linking: a header of one ISA with the library of another", _PROGRAMS, f"{_LINKING}object_file.py",
         'return f"{spec.export}__{spec.isa}_{record.kind}_{record.activations}"', "return spec.export"),
    code("linking: an index of wrong places", _PROGRAMS, f"{_LINKING}archive.py",
         "at, name_at = at + len(entry)", "at, name_at = at + len(member.data)"),
    code("linking: members at odd places", _PROGRAMS, f"{_LINKING}archive.py",
         ' + b"\\n" * (len(data) % 2)', ""),
    code("linking: columns prepared for other kernels", _SETS, f"{_LINKING}kernel_set.py",
         "spec.isa is isa and spec.record == record", "spec.isa is isa"),
    code("linking: a header of other columns", _PROGRAMS, "templates/lib/header/pack_activations.wat.j2",
         "* {{ plan.record.bytes }}", "* {{ plan.block }}"),
)  # fmt: skip
