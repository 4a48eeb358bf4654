"""WebAssembly modules as base64 text in JavaScript, without the section that imports the memory.

Modules for unshared and for shared memory differ in this section only, so both are made from the
same text at run time.
"""

from __future__ import annotations

import base64

_IMPORT = b"\1\3env\6memory\2"  # one import: the memory `env.memory`
_LIMITS = {"unshared": b"\0\0", "shared": b"\3\0\x80\x80\4"}  # no maximum; 65,536 pages at most


def text(data: bytes) -> str:
    """Bytes as base64, which JavaScript's `atob` decodes."""
    return base64.b64encode(data).decode("ascii")


def _section(memory: str) -> bytes:
    content = _IMPORT + _LIMITS[memory]
    return bytes([2, len(content)]) + content


def memory_import() -> dict[str, str]:
    """The section for each kind of memory."""
    return {memory: text(_section(memory)) for memory in _LIMITS}


def module_text(wasm: bytes) -> tuple[str, str]:
    """The text before and after the section.

    Args:
        wasm: a module that imports an unshared memory and nothing else.
    """
    before, section, after = wasm.partition(_section("unshared"))
    assert section, "the module imports something else"
    return text(before), text(after)
