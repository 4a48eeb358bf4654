"""What matrices are multiplied with: columns of f32, random and seeded, or out of an .npy file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codegen.base.errors import InputError

F32 = npt.NDArray[np.float32]


def activations(n: int, columns: int, seed: int, source: Path | None) -> F32:
    """Columns of n elements, shape (columns, n): normally distributed, or the first columns * n numbers of a file.

    Raises:
        InputError: the file is not a one-dimensional array of at least as many finite numbers.
    """
    if source is None:
        values = np.random.default_rng(seed).standard_normal(columns * n).astype(np.float32)
    else:
        values = _read(source, n, columns)
    return values.reshape(columns, n)


def _read(source: Path, n: int, columns: int) -> F32:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a file is old and slow to read is no matter
            # Mapped for its header only: a page that the file has no more would kill the program.
            loaded = np.load(source, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or 'not an .npy file'})") from None
    except Exception:  # a header is parsed as Python: what a broken one raises has no end
        raise InputError(f"{source}: not an .npy file; write it with numpy.save") from None
    if not isinstance(loaded, np.memmap) or loaded.ndim != 1 or loaded.dtype.kind not in "fiu":
        raise InputError(f"{source}: must be one-dimensional and of numbers")
    if loaded.size < columns * n:
        asked = f"{columns} times {n}" if columns > 1 else f"{n}"
        raise InputError(f"{source}: has {loaded.size} numbers, a matrix needs {asked}; give as many")
    read = np.fromfile(source, loaded.dtype, columns * n, offset=loaded.offset)
    if read.size < columns * n:
        raise InputError(f"{source}: became shorter while it was read; try again once nothing writes it")
    with np.errstate(over="ignore"):
        values = np.asarray(read, np.float32)
    if not np.isfinite(values).all():
        raise InputError(f"{source}: has infinities or NaN among its first {columns * n} numbers")
    return values
