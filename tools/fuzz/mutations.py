"""Sound bytes made unsound: flipped, overwritten, shifted, cut and mixed with others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

WIDTHS = (1, 2, 4, 8)

# Where sizes, signs and products wrap, what divides and multiplies blocks, and the numbers next to these.
_TURNING_POINTS = (0, 8, 13, 18, 32, 64, 256, *(1 << bits for bits in (15, 16, 31, 32, 59, 60, 61, 62, 63)))
NUMBERS = sorted({(point + step) % (1 << 64) for point in _TURNING_POINTS for step in (-32, -2, -1, 0, 1, 2)})
"""Integers of up to 64 bits that programs get wrong."""


def interesting(random: Random, near: int = 0) -> int:
    """A number that is one of NUMBERS, or near one that means something here, or any."""
    kind = random.randrange(8)
    if kind < 4:
        return random.choice(NUMBERS)
    if kind < 7:
        return (near + random.choice((-64, -32, -18, -8, -1, 1, 8, 18, 32, 64, near))) % (1 << 64)
    return random.getrandbits(random.randint(1, 64))


def mutate(random: Random, sound: bytes, donor: bytes) -> bytes:
    """`sound`, which is not empty, with one to eight mutations; never `sound` itself."""
    content = bytearray(sound)
    while content == sound:
        for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            random.choice(_MUTATIONS)(random, content, donor)
    return bytes(content)


def _position(random: Random, content: bytearray) -> int:
    """A place, in the first half more often than not: headers are there."""
    return int(len(content) * random.random() ** 1.5)


def _flip(random: Random, content: bytearray, _donor: bytes) -> None:
    if content:
        content[_position(random, content)] ^= 1 << random.randrange(8)


def _overwrite(random: Random, content: bytearray, _donor: bytes) -> None:
    at, width = _position(random, content), random.choice(WIDTHS)
    value = interesting(random, near=random.choice((len(content), len(content) - at)))
    content[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")


def _nudge(random: Random, content: bytearray, _donor: bytes) -> None:
    """A number in the file becomes one near it."""
    at, width = _position(random, content), random.choice(WIDTHS)
    old = int.from_bytes(content[at : at + width], "little")
    value = interesting(random, near=old)
    content[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")


def _insert(random: Random, content: bytearray, _donor: bytes) -> None:
    at = _position(random, content)
    content[at:at] = random.randbytes(random.choice((1, 2, 4, 8, 32, random.randint(1, 64))))


def _delete(random: Random, content: bytearray, _donor: bytes) -> None:
    at = _position(random, content)
    del content[at : at + random.choice((1, 2, 4, 8, 32, random.randint(1, 64)))]


def _truncate(random: Random, content: bytearray, _donor: bytes) -> None:
    del content[random.randint(0, len(content)) :]


def _splice(random: Random, content: bytearray, donor: bytes) -> None:
    """A part of another file in place of one of this, as long or not."""
    start = random.randrange(len(donor))
    part = donor[start : start + random.randint(1, 200)]
    at = _position(random, content)
    content[at : at + random.choice((0, len(part), len(part), random.randint(0, 200)))] = part


def _repeat(random: Random, content: bytearray, _donor: bytes) -> None:
    """A part of this file again, elsewhere in it."""
    start, at = _position(random, content), _position(random, content)
    content[at:at] = content[start : start + random.randint(1, 100)]


_MUTATIONS: tuple[Callable[[Random, bytearray, bytes], None], ...] = (
    _flip,
    _overwrite,
    _overwrite,
    _nudge,
    _nudge,
    _insert,
    _delete,
    _truncate,
    _splice,
    _repeat,
)
