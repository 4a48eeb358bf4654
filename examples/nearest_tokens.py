"""The nearest tokens of a word, with every product computed by a generated kernel in wasmtime.

    pip install '.[examples]'
    python examples/nearest_tokens.py king

The PyPI package wordllama ships a token embedding made from a language model's: 32,000 tokens, 256 numbers
each. Here it becomes a Q4_0 matrix in a real GGUF file, a seventh of its float32 size, and one matrix-vector
product gives the cosine of the word with every token. Beside it stands the float32 answer, to show what Q4_0
costs.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType, GGUFWriter, quants
from rich.console import Console
from rich.table import Table
from rich.text import Text

from codegen import Kernel, KernelSpec
from codegen.base.errors import CodegenError, InputError
from codegen.formats.quantise import quantize_q8_0
from codegen.models.gguf_file import GGUFFile

KERNEL = "vec_dot_q4_0_q8_0__relaxed_u4"
TENSOR = "token_embd.weight"  # the name that llama.cpp gives a token embedding
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"  # how the vocabulary writes the space before a word


def load_embedding() -> tuple[list[str], npt.NDArray[np.float32]]:
    """The tokens and their rows, scaled to length 1 so that a dot product is a cosine."""
    spec = find_spec("wordllama")  # finds the folder without importing the package, which we do not run
    if spec is None or not spec.submodule_search_locations or find_spec("safetensors") is None:
        raise InputError(
            "wordllama, which ships the embedding, or safetensors is missing; pip install -e '.[examples]'"
        )
    from safetensors.numpy import load_file  # here, so that the message above is seen where it is missing

    folder = Path(spec.submodule_search_locations[0])
    tokenizer = json.loads((folder / "tokenizers/l2_supercat_tokenizer_config.json").read_bytes())
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    (embedding,) = load_file(folder / "weights/l2_supercat_256.safetensors").values()
    rows = embedding.astype(np.float32)  # it is stored in float16
    return sorted(vocabulary, key=vocabulary.__getitem__), rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write_gguf(path: Path, tokens: list[str], rows: npt.NDArray[np.float32]) -> None:
    """Write the rows as one Q4_0 tensor, by GGML's own quantiser and writer."""
    writer = GGUFWriter(path, "embedding")
    writer.add_token_list(tokens)
    q4_0 = GGMLQuantizationType.Q4_0
    writer.add_tensor(TENSOR, quants.quantize(rows, q4_0), raw_dtype=q4_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def find(word: str, tokens: list[str]) -> int:
    """The token of a word, preferably of the word at its start, after a space."""
    for token in (SPACE + word, word):
        if token in tokens:
            return tokens.index(token)
    raise InputError(f"{word!r} is not one token of this vocabulary; try a commoner or a shorter word")


def nearest(cosines: npt.NDArray[np.float32], word: int, count: int) -> list[int]:
    """The tokens of the largest cosines, without the word itself."""
    order = np.argsort(-cosines, kind="stable").tolist()
    return [token for token in order if token != word][:count]


def show(word: str, count: int, keep: Path | None) -> None:
    """Compute both answers and print them side by side."""
    tokens, rows = load_embedding()
    word_token = find(word, tokens)

    with TemporaryDirectory(dir=keep.parent if keep else None) as folder:
        path = Path(folder, "embedding.gguf")
        write_gguf(path, tokens, rows)
        if keep:
            path = path.replace(keep)
        with GGUFFile.open(path) as file:
            matrix = file.matrix(TENSOR)
            kernel = Kernel.load(KernelSpec.parse(KERNEL))
            # GGML's mixed product: weights in Q4_0, the other operand in Q8_0.
            y = quantize_q8_0(rows[word_token])
            by_kernel = kernel.rows(matrix.read(), y, matrix.rows, matrix.columns)
    by_float = rows @ rows[word_token]

    # Tokens are shown as Text: one like "[b]" would be taken for markup.
    table = Table(title=Text(f"Nearest to {tokens[word_token]}"))
    for heading in ("Q4_0 in wasmtime", "cosine", "float32 in numpy", "cosine"):
        table.add_column(heading, justify="right" if heading == "cosine" else "left")
    for a, b in zip(nearest(by_kernel, word_token, count), nearest(by_float, word_token, count), strict=True):
        table.add_row(Text(tokens[a]), f"{by_kernel[a]:.3f}", Text(tokens[b]), f"{by_float[b]:.3f}")
    console = Console()
    console.print(table)
    largest = np.abs(by_kernel - by_float).max()
    console.print(f"{KERNEL}: {matrix.rows} rows of {matrix.columns} columns, one call from Python")
    console.print(f"largest difference of the two cosines over all tokens: {largest:.4f}")


def main() -> int:
    """Read the command line; the exit status is 2 for a call that cannot be answered."""
    parser = argparse.ArgumentParser(description="Print the nearest tokens of a word by a Q4_0 embedding.")
    parser.add_argument("word")
    parser.add_argument("--count", type=int, default=10, help="how many tokens (default: 10)")
    parser.add_argument("--gguf", type=Path, metavar="PATH", help="keep the GGUF file here")
    arguments = parser.parse_args()
    if arguments.count < 1:
        parser.error(f"--count {arguments.count}: ask for one token or more")
    try:
        show(arguments.word, arguments.count, arguments.gguf)
    except CodegenError as error:
        print(f"nearest_tokens: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"nearest_tokens: {error.filename}: {error.strerror}; check the path", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
