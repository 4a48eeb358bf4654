"""Static libraries: the `ar` format with the symbol index of GNU and System V, which wasm-ld asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MAGIC = b"!<arch>\n"
_END_OF_HEADER = b"`\n"


@dataclass(frozen=True)
class Member:
    """One object of a library.

    Attributes:
        name: its file name.
        data: its bytes.
        symbols: what a program can want of it.
    """

    name: str
    data: bytes
    symbols: tuple[str, ...]


def archive(members: Sequence[Member]) -> bytes:
    """A library of these objects; the same ones make the same bytes, since no time or owner is in it."""
    names = b"".join(member.name.encode() + b"/\n" for member in members)
    symbols = [(symbol, member) for member in members for symbol in member.symbols]
    words = b"".join(symbol.encode() + b"\0" for symbol, _ in symbols)
    index_bytes = 4 + 4 * len(symbols) + len(words)
    bodies = [_entry("//", names)]
    at = len(_MAGIC) + len(_entry("/", bytes(index_bytes))) + len(bodies[0])
    places, name_at = {}, 0
    for member in members:
        entry = _entry(f"/{name_at}", member.data)
        places[member.name] = at
        bodies.append(entry)
        at, name_at = at + len(entry), name_at + len(member.name) + 2
    offsets = b"".join(places[member.name].to_bytes(4, "big") for _, member in symbols)
    index = len(symbols).to_bytes(4, "big") + offsets + words
    return _MAGIC + _entry("/", index) + b"".join(bodies)


def _entry(name: str, data: bytes) -> bytes:
    """A header of 60 characters, and the data, to an even length."""
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}".encode() + _END_OF_HEADER
    return head + data + b"\n" * (len(data) % 2)
