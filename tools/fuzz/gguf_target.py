"""GGUF files that someone damaged or made up: each is refused in one line, or what it gives is right.

A file that is accepted is computed with, and then overwritten, but for its matrices, while it is open: a result
that changes was made from bytes of something else.
"""

from __future__ import annotations

import functools
import os
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from gguf import GGUFReader

from codegen.base.errors import GGUFError
from codegen.formats import Q4_0
from codegen.kernels.registry import registered
from codegen.kernels.spec import KernelSpec
from codegen.models.gguf_file import GGUFFile, Matrix
from codegen.models.run.batches import Group, Part
from codegen.models.run.check import Verdict, check
from codegen.models.run.paths import WasmPath, path_of
from tests.gguf_files import F32, write_model
from tools.fuzz.gguf_models import crowded_model, lie, sound_model
from tools.fuzz.mutations import mutate
from tools.fuzz.target import Target, expect

_OPEN_S = 1.0
_MEMORY_BYTES, _MEMORY_PER_BYTE = 150_000, 32
"""What opening may allocate: Python's objects for a tensor are some eleven times what its header takes."""
_TRACED_BYTES = 3_000
"""Opening a larger file always has its memory measured, others sometimes: measuring costs time, and memory."""
_MESSAGE = 400
"""Longest message, without the path."""
_READER_BYTES = 20_000
"""gguf's reader takes seconds for larger headers."""
_SHAPES = {"norm": (32,), "a": (3, 64), "experts": (2, 3, 32), "b": (2, 416)}

Values = npt.NDArray[np.float32]

_SPECS = (
    *(spec for spec in registered() if spec.op in ("vec_dot", "mul_mat") and spec.x == "q4_0"),
    KernelSpec.parse("vec_dot_q4_0_q8_0__relaxed_u16_a8"),
)


@dataclass(frozen=True)
class File:
    """A mutated file, and what to do with it."""

    content: bytes
    need_q4_0: bool
    traced: bool
    kernel: KernelSpec
    seed: int


class GGUFTarget(Target[File]):
    """Opening a file and multiplying its matrices."""

    name, share, limit_s = "gguf", 6, 20

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.gguf"
        write_model(self.path, _SHAPES, {"norm": F32})
        self.written = self.path.read_bytes()

    def draw(self, random: Random) -> File:
        """A sound file, mutated or lied about, and a kernel."""
        content = self._content(random)
        traced = len(content) > _TRACED_BYTES or random.random() < 0.1
        return File(content, random.random() < 0.9, traced, random.choice(_SPECS), random.getrandbits(32))

    def _content(self, random: Random) -> bytes:
        if random.random() < 0.25:
            return mutate(random, self.written, sound_model(random).content())
        model = crowded_model(random) if random.random() < 0.005 else sound_model(random)
        sound = model.content()
        if random.random() < 0.6:
            lie(random, model)
        content = model.content()
        if content == sound or random.random() < 0.1:
            content = mutate(random, content, self.written)
        return content

    def check(self, case: File) -> Sequence[str]:
        """Opens it, and multiplies where it is accepted."""
        self.path.write_bytes(case.content)
        opened = self._open(case)
        if isinstance(opened, GGUFError):
            self._check_message(str(opened))
            return ("refused",)
        with opened as file:
            for matrix in file.matrices:
                _check_shape(matrix, case)
            places = sorted((matrix.start, len(matrix.read())) for matrix in file.matrices)
            expect(all(a + size <= b for (a, size), (b, _) in pairwise(places)), "overlap", places)
            read = self._agrees_with_reader(file, case)
            self._check_results(file, case)
        return ("accepted", "compared with gguf's reader") if read else ("accepted",)

    def save(self, case: File) -> tuple[str, bytes]:
        """The file itself."""
        return ".gguf", case.content

    def _open(self, case: File) -> GGUFFile | GGUFError:
        """What opening gives, within its time and memory.

        Too much once may be a table of Python's own that grew, which it does once in a process. What is the
        file's is too much again.
        """
        limit = _MEMORY_BYTES + _MEMORY_PER_BYTE * len(case.content)
        opened, seconds, peak = self._measure(case)
        if seconds > _OPEN_S or peak > limit:
            opened, seconds, peak = self._measure(case)
        expect(seconds <= _OPEN_S, "slow to open", f"{seconds:.3f} s, {len(case.content)} bytes")
        expect(peak <= limit, "memory to open", f"{peak} bytes for a file of {len(case.content)}")
        return opened

    def _measure(self, case: File) -> tuple[GGUFFile | GGUFError, float, int]:
        if case.traced:
            tracemalloc.start()
        start = time.thread_time()
        opened: GGUFFile | GGUFError
        try:
            opened = GGUFFile.open(self.path, need_q4_0=case.need_q4_0)
        except GGUFError as error:
            opened = error
        finally:
            seconds, peak = time.thread_time() - start, tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()  # where it was not started, the peak is 0 and this does nothing
        return opened, seconds, peak

    def _check_message(self, message: str) -> None:
        fits = len(message) <= len(str(self.path)) + _MESSAGE
        sound = message.isprintable() and message.startswith(f"{self.path}: ") and "; " in message
        expect(fits and sound, "message", repr(message))

    def _agrees_with_reader(self, file: GGUFFile, case: File) -> bool:
        """Whether gguf's own reader could be asked where the tensors are.

        It says no to a file with a tensor of a type it does not know, of whatever error. Any other file that is
        accepted here it has to accept as well.
        """
        if len(case.content) > _READER_BYTES:
            return False
        try:
            reader = GGUFReader(self.path)
        except Exception as error:
            expect(any(t.type.isdigit() for t in file.left_out), "not sound to gguf's reader", repr(error))
            return False
        theirs = reader.tensors
        names = {(t.name, t.tensor_type.name) for t in theirs if t.tensor_type.name != "Q4_0"}
        expect(names == {(t.name, t.type) for t in file.left_out}, "left out", f"{names} {file.left_out}")
        wanted = [t for t in theirs if t.tensor_type.name == "Q4_0"]
        expect([m.name for m in file.matrices] == [t.name for t in wanted], "names", case.content[:400])
        for matrix, tensor in zip(file.matrices, wanted, strict=True):
            start, end = int(tensor.data_offset), int(tensor.data_offset) + int(tensor.n_bytes)
            columns, *rows = (int(n) for n in tensor.shape)
            expect((matrix.columns, matrix.rows) == (columns, int(np.prod(rows))), "shape", matrix.name)
            expect(end <= len(case.content), "past the end", f"{matrix.name} ends at {end}")
            expect(
                (start - reader.data_offset) % reader.alignment == 0, "alignment", f"{matrix.name} at {start}"
            )
            expect(
                matrix.read() == case.content[start:end], "bytes", f"{matrix.name} is not {start} to {end}"
            )
        return True

    def _check_results(self, file: GGUFFile, case: File) -> None:
        path, random = _path(case.kernel), Random(case.seed)
        chosen = random.sample(file.matrices, min(2, len(file.matrices)))
        inputs = [_activations(random, matrix.columns) for matrix in chosen]
        before = []
        for matrix, y in zip(chosen, inputs, strict=True):
            part, verdict = _placed(path, matrix, y, 0x5A), Verdict()
            check(part, [path], y, {path.name: verdict})
            expect(not verdict.wrong, "wrong result", f"{case.kernel.name}: {verdict.first_wrong}")
            before.append(path.products(part).tobytes())
        self._overwrite_around(file.matrices, case)
        for matrix, y, bits in zip(chosen, inputs, before, strict=True):
            after = path.products(_placed(path, matrix, y, 0xA5)).tobytes()
            expect(after == bits, "bytes outside the tensor", f"{case.kernel.name}, {matrix.name}")

    def _overwrite_around(self, matrices: Sequence[Matrix], case: File) -> None:
        """Inverts every byte of the open file that is no matrix's."""
        changed = ~np.frombuffer(case.content, np.uint8)
        for matrix in matrices:
            changed[matrix.start : matrix.start + len(matrix.read())] ^= 0xFF
        with self.path.open("r+b") as file:
            os.pwrite(file.fileno(), changed.tobytes(), 0)


def _check_shape(matrix: Matrix, case: File) -> None:
    size = matrix.rows * matrix.columns // Q4_0.elements * Q4_0.bytes
    expect(matrix.columns % Q4_0.elements == 0, "columns", f"{matrix.name}: {matrix.columns}")
    start = matrix.start
    expect(0 < start <= len(case.content) - size, "outside the file", f"{matrix.name}: {start}, {size}")
    data = matrix.read()
    expect(len(data) == size > 0, "size", f"{matrix.name}: {len(data)}, not {size}")
    expect(data == case.content[start : start + size], "not the file's bytes", matrix.name)


@functools.cache
def _path(spec: KernelSpec) -> WasmPath:
    return path_of(spec)


def _placed(path: WasmPath, matrix: Matrix, y: Values, byte: int) -> Part:
    """All of a matrix, in memory full of this: what a kernel reads beside it, it reads as this."""
    path.arena.reset()
    first = path.arena.allocate(0)
    path.arena.view(first, path.arena.end - first)[:] = byte
    part = Part(matrix, 0, matrix.rows, True)
    path.place([Group((part,))], {matrix.columns: y})
    return part


def _activations(random: Random, n: int) -> Values:
    """Columns of any size, rarely so large that scales are infinite."""
    columns = random.choice((1, 1, 2, 5))
    size = random.choice((1.0, 1.0, 1e-3, 1e3, 1e7, 1e30) if random.random() < 0.3 else (1.0,))
    values = np.random.default_rng(random.getrandbits(32)).standard_normal((columns, n)) * size
    return values.astype(np.float32)
