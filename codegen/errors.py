"""What can go wrong, by kind. Every message is one line that names the thing and the mend."""

from __future__ import annotations


class CodegenError(Exception):
    """Base of all errors this package raises on purpose."""


class SpecError(CodegenError, ValueError):
    """A kernel name, parameter or combination of parameters that does not exist."""


class AssembleError(CodegenError):
    """The assembler is missing or broken, or refused the text."""


class KernelCallError(CodegenError, ValueError):
    """A kernel was called with buffers or sizes that its contract forbids."""


class GGUFError(CodegenError):
    """A GGUF file, or a tensor in it, that cannot be used."""


class InputError(CodegenError):
    """A file or value given by the caller that cannot be used."""


class GoldenError(CodegenError):
    """The committed golden files cannot be compared or written."""
