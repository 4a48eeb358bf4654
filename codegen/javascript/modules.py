"""WebAssembly modules as text, for JavaScript to carry: base64, without the section that imports the memory.

This section is all in which a module for unshared memory and one for shared memory differ, so either is made of the
same text where it runs.
"""

from __future__ import annotations

import base64

_IMPORT = b"\1\3env\6memory\2"  # one import, `env.memory`, which is a memory
_LIMITS = {"unshared": b"\0\0", "shared": b"\3\0\x80\x80\4"}  # none; 0 to 65,536 pages, and shared


def text(data: bytes) -> str:
    """Bytes as JavaScript's `atob` reads them."""
    return base64.b64encode(data).decode("ascii")


def _section(memory: str) -> bytes:
    content = _IMPORT + _LIMITS[memory]
    return bytes([2, len(content)]) + content


def memory_import() -> dict[str, str]:
    """The section for each kind of memory."""
    return {memory: text(_section(memory)) for memory in _LIMITS}


def module_text(wasm: bytes) -> tuple[str, str]:
    """What stands before and after the section, in a module that imports an unshared memory and nothing else."""
    before, section, after = wasm.partition(_section("unshared"))
    assert section, "the module imports something else"
    return text(before), text(after)
