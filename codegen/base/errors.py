"""What can go wrong, by kind. Every message is one line that names the thing and the mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 100


def printable(text: str) -> str:
    """The text in one line: whatever a path or a program put in it, nothing that a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """A value as a message shows it: its repr, not too long, whatever the value is."""
    try:
        text = repr(value)
    except Exception:  # an int too long to print, or a repr of somebody's own
        return f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about a word that is not known: the one that may have been meant, "" where none is near."""
    found = difflib.get_close_matches(word[:_LONGEST], list(known), 1)
    return f"; did you mean {found[0]}?" if found else ""


class CodegenError(Exception):
    """Base of all errors this package raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class SpecError(CodegenError, ValueError):
    """A kernel name, parameter or combination of parameters that does not exist."""


class TemplateError(CodegenError):
    """A template is missing, or wrong."""


class AssembleError(CodegenError):
    """The assembler is missing or broken, or refused the text."""


class KernelCallError(CodegenError, ValueError):
    """A kernel was called with buffers or sizes that its contract forbids."""


class KernelLoadError(CodegenError):
    """An engine refused a kernel, for want of a feature that the kernel needs."""


class CannotRunError(CodegenError):
    """Kernels cannot run on this machine, or not within the limits of this process: no fault of a kernel."""


class KernelTrapError(CodegenError):
    """A kernel trapped.

    Attributes:
        contract: whether by its own check of n and nrc, and not by a read or write outside memory.
    """

    def __init__(self, message: str, *, contract: bool) -> None:
        super().__init__(message)
        self.contract = contract


class GGUFError(CodegenError):
    """A GGUF file, or a tensor in it, that cannot be used."""


class InputError(CodegenError):
    """A file or value given by the caller that cannot be used."""


class GoldenError(CodegenError):
    """The committed golden files cannot be compared or written."""


class MachineCodeError(CodegenError):
    """The machine code of a kernel cannot be had here, or cannot be read."""
