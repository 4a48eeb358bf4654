"""GGUF files of every shape the format has, sound, and then with lies told by someone who knows the format."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from tests.gguf_files import F32, Q4_0, RawTensor, alignment_entry, array, entry, layout, string, u32
from tools.fuzz.mutations import interesting

ARRAY, STRING = GGUFValueType.ARRAY, GGUFValueType.STRING
_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_OTHER_TYPES = (F32, GGMLQuantizationType.F16, GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q5_1,
                GGMLQuantizationType.Q6_K, GGMLQuantizationType.I8)  # fmt: skip
_UNKNOWN_TYPE = 77
_ROWS = ((), (1,), (2,), (3,), (5,), (2, 2), (3, 1, 2))
_NAMES = (b"", b"weight", b"\x1b[2J\nclear", b"\xff\xfe", "\u202e\u2028".encode(), b"n" * 500, b"a\0b")


@dataclass
class Model:
    """The parts of a file; None stands for the true value."""

    tensors: list[RawTensor]
    metadata: list[bytes]
    alignment: int = 32
    version: int = 3
    tensor_count: int | None = None
    metadata_count: int | None = None

    def content(self) -> bytes:
        """The file."""
        return layout(
            self.tensors,
            self.metadata,
            version=u32(self.version),
            tensor_count=self.tensor_count,
            metadata_count=self.metadata_count,
            alignment=self.alignment,
        )


def sound_model(random: Random) -> Model:
    """A small file that is as it should be, with at least one Q4_0 tensor."""
    alignment = random.choice((32, 32, 32, 1, 8, 64, 256))
    metadata = [_metadata(random, b"key%d" % i) for i in range(random.randint(0, 4))]
    if alignment != 32 or random.random() < 0.2:
        metadata.insert(random.randint(0, len(metadata)), alignment_entry(alignment))
    tensors = [_tensor(random, b"t%d" % i, random.random() < 0.6) for i in range(random.randint(0, 4))]
    tensors.insert(random.randint(0, len(tensors)), _tensor(random, b"weight", True))
    return Model(tensors, metadata, alignment, random.choice((2, 3, 3)))


def crowded_model(random: Random) -> Model:
    """A file of up to 150 KB that has as many things in it as fit, each as small as it can be."""
    model, count = sound_model(random), random.randint(500, 3_000)
    kind = random.randrange(4)
    if kind == 0:
        model.tensors += [RawTensor(b"s%d" % i, (1,), F32, b"four") for i in range(count)]
    elif kind == 1:
        model.metadata += [entry(b"m%d" % i, 0, b"\0") for i in range(count)]
    elif kind == 2:
        model.metadata.append(entry(b"big", ARRAY, array(STRING, count, string(b"") * count)))
    else:
        model.metadata.append(entry(b"big", ARRAY, array(ARRAY, count, array(0, 0) * count)))
    return model


def lie(random: Random, model: Model) -> None:
    """Makes one to four things in a model untrue."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        random.choice(_LIES)(random, model)


def _tensor(random: Random, name: bytes, q4_0: bool) -> RawTensor:
    kind = Q4_0 if q4_0 else random.choice((*_OTHER_TYPES, _UNKNOWN_TYPE))
    elements, size = (1, 1) if kind == _UNKNOWN_TYPE else GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    blocks, outer = random.choice((1, 1, 2, 3, 5, 9, 17)), random.choice(_ROWS)
    data = bytearray(random.randbytes(blocks * prod(outer) * size))
    if q4_0 and random.random() < 0.7:  # no infinite scales: a result that is NaN shows little
        for at in range(1, len(data), size):
            data[at] &= 0xBF
    return RawTensor(name, (blocks * elements, *outer), kind, bytes(data))


def _metadata(random: Random, key: bytes) -> bytes:
    kind = random.choice((*_SCALARS, STRING, ARRAY, ARRAY))
    if kind == ARRAY:
        return entry(key, ARRAY, _array(random, depth=1))
    if kind == STRING:
        return entry(key, STRING, string(random.randbytes(random.randint(0, 20))))
    return entry(key, kind, random.randbytes(_SCALARS[kind]))


def _array(random: Random, depth: int) -> bytes:
    kind, count = random.choice((*_SCALARS, STRING, STRING, ARRAY)), random.randint(0, 5)
    if kind == ARRAY and depth < 4:
        return array(ARRAY, count, b"".join(_array(random, depth + 1) for _ in range(count)))
    if kind in _SCALARS:
        return array(kind, count, random.randbytes(count * _SCALARS[kind]))
    return array(STRING, count, b"".join(string(b"s" * random.randint(0, 9)) for _ in range(count)))


# --- the lies


def _counts(random: Random, model: Model) -> None:
    if random.random() < 0.5:
        model.tensor_count = interesting(random, near=len(model.tensors))
    else:
        model.metadata_count = interesting(random, near=len(model.metadata))


def _version(random: Random, model: Model) -> None:
    model.version = interesting(random, near=3) % (1 << 32)


def _alignment(random: Random, model: Model) -> None:
    """Data is padded otherwise than the header says, or the header says what cannot be."""
    if random.random() < 0.5:
        model.alignment = random.choice((1, 8, 32, 48, 64, 4096))
    else:
        value = random.choice((0, 1, 24, 48, 4096, interesting(random) % (1 << 32)))
        model.metadata.append(alignment_entry(value))


def _metadata_entry(random: Random, model: Model) -> None:
    count, kind = interesting(random), random.choice((*_SCALARS, STRING, ARRAY, 13, 255))
    deep = array(ARRAY, 1) * random.choice((1, 3, 4, 5, 2000)) + array(kind, random.randint(0, 3), bytes(40))
    value = random.choice(
        (
            (kind, b""),
            (STRING, string(b"text", length=interesting(random, near=4))),
            (ARRAY, array(kind, count, bytes(random.randint(0, 60)))),
            (ARRAY, array(ARRAY, count, array(kind, count))),
            (ARRAY, array(STRING, 2, string(b"a") + string(b"b", length=interesting(random, near=1)))),
            (ARRAY, deep),
        )
    )
    key = random.choice((b"key0", b"new", b"general.alignment", *_NAMES))
    model.metadata.insert(random.randint(0, len(model.metadata)), entry(key, *value))


def _tensor_field(random: Random, model: Model) -> None:
    at = random.randrange(len(model.tensors))
    tensor = model.tensors[at]
    field = random.choice(("dims", "dims", "n_dims", "kind", "offset", "offset", "name", "data"))
    draws: dict[str, Callable[[], Any]] = {
        "dims": lambda: _dims(random, tensor),
        "n_dims": lambda: interesting(random, near=len(tensor.dims)) % (1 << 32),
        "kind": lambda: random.choice((random.randint(0, 45), Q4_0, interesting(random) % (1 << 32))),
        "offset": lambda: _offset(random, model),
        "name": lambda: random.choice((*_NAMES, random.choice(model.tensors).name)),
        "data": lambda: tensor.data[: random.randint(0, len(tensor.data))] + bytes(random.randint(0, 40)),
    }
    model.tensors[at] = dataclasses.replace(tensor, **{field: draws[field]()})


def _dims(random: Random, tensor: RawTensor) -> tuple[int, ...]:
    dims = list(tensor.dims) or [1]
    kind = random.randrange(5)
    if kind == 0:  # as many bytes, in another shape
        random.shuffle(dims)
    elif kind == 1:
        dims.insert(random.randint(0, len(dims)), random.choice((1, 2, interesting(random))))
    elif kind == 2:
        dims.pop()
    elif kind == 3:  # a product that wraps to what it was
        dims[-1] = (dims[-1] + (1 << random.randint(58, 63))) % (1 << 64)
    else:
        at = random.randrange(len(dims))
        dims[at] = interesting(random, near=dims[at])
    return tuple(dims)


def _offset(random: Random, model: Model) -> int:
    sizes = [-(-len(tensor.data) // model.alignment) * model.alignment for tensor in model.tensors]
    here = sum(sizes[: random.randint(0, len(sizes))])
    return random.choice((here, here - model.alignment, here + 1, interesting(random, near=here))) % (1 << 64)


def _tensor_again(random: Random, model: Model) -> None:
    model.tensors.insert(random.randint(0, len(model.tensors)), random.choice(model.tensors))


_LIES: tuple[Callable[[Random, Model], None], ...] = (
    _counts,
    _version,
    _alignment,
    _metadata_entry,
    _metadata_entry,
    _tensor_field,
    _tensor_field,
    _tensor_field,
    _tensor_field,
    _tensor_again,
)
