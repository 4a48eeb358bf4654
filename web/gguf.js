// The tensors of a GGUF file that a visitor opened: read in slices, and believed only where they lie in the file.

import { gguf } from "@huggingface/gguf";

const VERSIONS = [2, 3];
const MOST_DIMENSIONS = 4;
const MOST_ALIGNMENT = 2 ** 20; // the parser counts in 32 bits
const AGAIN = "It is damaged or incomplete: download or convert it again.";

/**
 * What is in a file: tensors with their places. `types` tells by number what a type is called, and how many elements
 * and bytes a block of it has. Throws an Error whose message is a sentence for the visitor.
 */
export async function read(file, types) {
  await checkHead(file);
  let header;
  try {
    header = await gguf("file:", { fetch: slices(file) });
  } catch {
    throw new Error(`The header of this file makes no sense. ${AGAIN}`);
  }
  if (header.tensorInfoByteRange[1] > file.size) throw new Error(`This file ends amid its header. ${AGAIN}`);
  const alignment = Number(header.metadata["general.alignment"] ?? 32);
  const sound = Number.isInteger(alignment) && alignment <= MOST_ALIGNMENT && Number.isInteger(Math.log2(alignment));
  if (!sound || header.tensorDataOffset < header.tensorInfoByteRange[1])
    throw new Error(`The alignment in this file makes no sense. ${AGAIN}`);
  const tensors = header.tensorInfos.map((info) => located(info, header.tensorDataOffset, file.size, types));
  const { "general.name": name, "general.architecture": architecture } = header.metadata;
  return { name: String(name ?? architecture ?? ""), tensors };
}

// The parser believes the counts that it reads, and takes zeros for what is past the end: what can be known at once is
// refused before it starts.
async function checkHead(file) {
  if (file.size === 0) throw new Error("This file is empty.");
  const view = new DataView(await file.slice(0, 24).arrayBuffer());
  const magic = view.byteLength >= 4 && view.getUint32(0) === 0x47475546;
  if (!magic) throw new Error("This is not a GGUF file: those begin with the letters GGUF.");
  if (view.byteLength < 24) throw new Error(`This file ends amid its header. ${AGAIN}`);
  const version = view.getUint32(4, true);
  if (version && version % 65536 === 0) {
    throw new Error("This GGUF file is big-endian, and can be converted: gguf-convert-endian FILE little.");
  }
  if (!VERSIONS.includes(version)) {
    throw new Error(`This is GGUF version ${version}, and versions 2 and 3 can be read: convert the model again.`);
  }
  const least = 32n * view.getBigUint64(8, true) + 13n * view.getBigUint64(16, true);
  if (least > BigInt(file.size)) throw new Error(`This file has less in it than its header says. ${AGAIN}`);
}

// Answers the parser's requests for ranges: a file of gigabytes is never read as a whole.
function slices(file) {
  return async (_url, { headers }) => {
    const [, from, to] = /(\d+)-(\d+)/.exec(headers.Range);
    return new Response(file.slice(Number(from), Number(to) + 1));
  };
}

function located({ name, shape, dtype, offset }, start, fileSize, types) {
  const called = name.length > 60 ? `${name.slice(0, 60)} …` : name;
  if (shape.length < 1 || shape.length > MOST_DIMENSIONS || shape.some((one) => one < 1n)) {
    throw new Error(`The shape of the tensor ${called} makes no sense. ${AGAIN}`);
  }
  const [type, elements, bytes] = types[dtype] ?? [`type ${dtype}`, 1, 0];
  if (shape[0] % BigInt(elements)) throw new Error(`The rows of the tensor ${called} are no whole blocks. ${AGAIN}`);
  // As BigInt, nothing wraps or loses digits, whatever the file says.
  const size = (shape.reduce((product, one) => product * one) / BigInt(elements)) * BigInt(bytes);
  if (start + offset + size > BigInt(fileSize)) {
    throw new Error(`The tensor ${called} goes past the end of this file. ${AGAIN}`);
  }
  return { name, type, shape: shape.map(Number), at: Number(start + offset), bytes: Number(size) };
}
