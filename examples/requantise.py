"""Turn the matrices of a GGUF model into Q4_0, so that `python -m codegen run` has something to multiply.

    python examples/requantise.py IN.gguf OUT.gguf

Metadata and what is no matrix (norms, biases) are copied as they are, and so are matrices whose rows are not
whole Q4_0 blocks or whose type `gguf` cannot decode. Quantising what was quantised before adds one rounding
to another: right for putting real weights through the kernels, but a model to talk to starts from F16.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from gguf import (
    GGMLQuantizationType,
    GGUFReader,
    GGUFValueType,
    GGUFWriter,
    Keys,
    LlamaFileType,
    ReaderField,
    ReaderTensor,
    quants,
)
from rich.console import Console
from rich.progress import track

from codegen.base.errors import CodegenError, InputError
from codegen.formats import Q4_0 as BLOCK
from codegen.models.gguf_file import GGUFFile

Q4_0 = GGMLQuantizationType.Q4_0

# Not copied: the writer must know the one, and the other describes what changes here.
OWN_KEYS = {Keys.General.ALIGNMENT, Keys.General.FILE_TYPE}


def requantise(source: Path, target: Path) -> str:
    """Write `target`, complete or not at all; returns a line on what it holds."""
    # GGUFReader believes whatever it reads, so our own view proves the file sound first.
    with GGUFFile.open(source, need_q4_0=False) as file:
        if file.parts.count > 1:
            raise InputError(
                f"{source}: one of {file.parts.count} parts; `llama-gguf-split --merge` makes one file of them"
            )
    if target.exists() and target.samefile(source):
        raise InputError(f"{target}: is the input itself; give OUT.gguf another name")
    try:
        reader = GGUFReader(source)
    except (KeyError, ValueError) as error:  # a tensor type it does not know, for one
        raise InputError(f"{source}: gguf cannot read it ({error}); a newer gguf might") from error

    # A folder beside the target, since only within one file system does a rename replace a file at once.
    with TemporaryDirectory(prefix=".requantise-", dir=target.parent) as folder:
        unfinished = Path(folder, target.name)
        writer = GGUFWriter(unfinished, arch="")  # empty adds no entry: it is copied like any other
        try:
            converted = write(reader, writer)
        finally:
            writer.close()
        unfinished.replace(target)
    copied = len(reader.tensors) - converted
    return f"{target}: {converted} matrices made Q4_0, {copied} tensors copied, {target.stat().st_size} bytes"


def write(reader: GGUFReader, writer: GGUFWriter) -> int:
    """Write header and tensors, with one decoded matrix in memory at a time; returns how many became Q4_0."""
    writer.add_custom_alignment(int(reader.alignment))
    writer.add_file_type(LlamaFileType.MOSTLY_Q4_0)
    for field in reader.fields.values():
        # The reader lists the header's own numbers, too, as fields named GGUF.something.
        if field.name not in OWN_KEYS and not field.name.startswith("GGUF."):
            copy_metadata(field, writer)

    convert = [is_convertible(tensor) for tensor in reader.tensors]
    for tensor, converting in zip(reader.tensors, convert, strict=True):
        shape = [int(n) for n in reversed(tensor.shape)]
        kind, size = tensor.tensor_type, tensor.n_bytes
        if converting:
            kind, size = Q4_0, tensor.n_elements // BLOCK.elements * BLOCK.bytes
        # float32 only says that the shape counts elements; uint8 would say bytes.
        writer.add_tensor_info(tensor.name, shape, np.dtype(np.float32), size, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()

    console = Console(stderr=True)
    todo = list(zip(reader.tensors, convert, strict=True))
    for tensor, converting in track(todo, "Quantising", console=console, disable=not console.is_terminal):
        data = tensor.data
        if converting:
            data = quants.quantize(quants.dequantize(data, tensor.tensor_type), Q4_0)
        writer.write_tensor_data(data)
    return sum(convert)


def is_convertible(tensor: ReaderTensor) -> bool:
    """Whether it is a matrix of whole blocks that `gguf` can decode, and not Q4_0 already."""
    if tensor.tensor_type == Q4_0 or len(tensor.shape) != 2 or tensor.shape[0] % BLOCK.elements:
        return False
    try:
        quants.dequantize(tensor.data[:1], tensor.tensor_type)  # gguf has no list of what it decodes
    except NotImplementedError:
        return False
    return True


def copy_metadata(field: ReaderField, writer: GGUFWriter) -> None:
    """Copy one entry; strings as bytes, since nothing promises that a tokenizer's are UTF-8."""
    kind, *items = field.types
    if len(items) > 1:
        raise InputError(f"{field.name!r} is an array of arrays, which gguf cannot write; remove it")
    is_text = field.types[-1] == GGUFValueType.STRING
    values = [field.parts[i].tobytes() if is_text else field.parts[i].item() for i in field.data]
    if kind != GGUFValueType.ARRAY:
        writer.add_key_value(field.name, values[0], kind)
    elif values:  # GGUFWriter refuses an empty array
        writer.add_key_value(field.name, values, kind, sub_type=items[0])


def main() -> int:
    """Read the command line; the exit status is 2 for a call or a file that cannot be used."""
    parser = argparse.ArgumentParser(description="Turn the matrices of a GGUF model into Q4_0.")
    parser.add_argument("source", metavar="IN.gguf", type=Path)
    parser.add_argument("target", metavar="OUT.gguf", type=Path)
    arguments = parser.parse_args()
    try:
        print(requantise(arguments.source, arguments.target))
    except CodegenError as error:
        print(f"requantise: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # from writing: the view reports those of reading itself
        print(f"requantise: {arguments.target}: cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
