"""Models in several files that every reader of GGUF files here must judge alike."""

from __future__ import annotations

from dataclasses import dataclass

from tests.gguf_files import RawTensor, layout, split_entries

Files = dict[str, bytes]
"""Contents by name."""


@dataclass(frozen=True)
class Several:
    """Files that lie in one folder, or are chosen together, the first of which is opened."""

    files: Files
    wrong: str = ""
    """What the message must have in it; none where the files are the parts of one model."""


def _part(
    number: int, tensors: str, count: int = 3, total: int | None = 3, metadata: list[bytes] | None = None
) -> bytes:
    data = [RawTensor(name.encode(), data=name.encode() * 72) for name in tensors]
    return layout(data, split_entries(number - 1, count, total) if metadata is None else metadata)


def _parts(first: bytes, second: bytes, third: bytes) -> Files:
    contents = enumerate((first, second, third), 1)
    return {f"model-{number:05d}-of-00003.gguf": content for number, content in contents}


_A, _B, _C = _part(1, "a"), _part(2, "b"), _part(3, "c")

PARTS: dict[str, Several] = {
    "all": Several(_parts(_A, _B, _C)),
    "no total": Several(_parts(*(_part(n, t, total=None) for n, t in enumerate("abc", 1)))),
    "a first part without tensors": Several(
        _parts(_part(1, "", total=2), _part(2, "b", total=2), _part(3, "c", total=2))
    ),
    "a part twice": Several(
        _parts(_A, _B, _B), "model-00003-of-00003.gguf: part 3 of 3 by its name, and not by its header"
    ),
    "of another number of parts": Several(
        _parts(_A, _part(2, "b", count=4), _C), "00002-of-00003.gguf: part 2 of 3 by its name, and not by its"
    ),
    "of another number of tensors": Several(
        _parts(_A, _part(2, "b", total=9), _C), "00002-of-00003.gguf: part 2 of 3 by its name, and not by its"
    ),
    "a whole model among parts": Several(
        _parts(_A, _B, _part(3, "c", metadata=[])), "00003-of-00003.gguf: part 3 of 3 by its name, and not by"
    ),
    "a tensor in two parts": Several(
        _parts(_A, _B, _part(3, "a")), "00003-of-00003.gguf: tensor 'a' is in part 1, too"
    ),
    "a tensor too few": Several(
        _parts(_A, _B, _part(3, "")), "its parts have 2 tensors, split.tensors.count is 3"
    ),
}
