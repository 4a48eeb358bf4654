// A walk over the header of a GGUF file that proves it sound: codegen/models/gguf_scan.py once more, with
// its rules and its words. Nothing in a file is believed: every count, length and offset is held
// against the size of the file before it is used. A window of the header is in memory at a time.

import { quoted, shown } from "./names.js";

const VERSIONS = [2, 3];
const MOST_DIMENSIONS = 4;
const MOST_DEPTH = 4; // of arrays in arrays
const WINDOW = 2 ** 20; // bytes that are read at once
const MOST_SHOWN = 200; // bytes of a string that is there to be shown
const MEND = "the file is damaged or incomplete: download or convert it again";

const [UINT16, UINT32, INT32, STRING, ARRAY] = [2, 4, 5, 8, 9];
const WIDTHS = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const LEAST = { ...WIDTHS, [STRING]: 8, [ARRAY]: 12 }; // the fewest bytes that an item can take
const LEAST_METADATA = 13;
const LEAST_TENSOR = 32;

const READ = {
  "general.alignment": [UINT32, "UINT32"],
  "split.no": [UINT16, "UINT16"],
  "split.count": [UINT16, "UINT16"],
  "split.tensors.count": [INT32, "INT32"],
};
const SHOWN = ["general.name", "general.architecture"];

/** Some bytes of a file; throws an Error with a sentence where they are not there any more. */
export async function bytesOf(file, start, end) {
  const bytes = await file
    .slice(start, end)
    .arrayBuffer()
    .catch(() => null);
  if (bytes?.byteLength === end - start) return new Uint8Array(bytes);
  throw new Error(`${shown(file.name)}: cannot be read, or changed while it was read; choose it again.`);
}

/**
 * What the header of a file says: `tensors` with their places, `split`, null in a whole model, and
 * the model's `name`. `types` tells by number what a type is called, and how many elements and bytes
 * a block of it has.
 */
export const scan = (file, types) => new Scan(file, types).header();

class Scan {
  #file;
  #types;
  #position = 0;
  #window = new DataView(new ArrayBuffer(0));
  #windowStart = 0;

  constructor(file, types) {
    this.#file = file;
    this.#types = types;
  }

  async header() {
    if (!this.#file.size) this.#fail("the file is empty", "download or convert it again");
    await this.#magicAndVersion();
    const tensorCount = await this.#number(8, "tensor count");
    const metadataCount = await this.#number(8, "metadata count");
    const { numbers, texts } = await this.#metadata(metadataCount);
    const alignment = this.#alignment(numbers);
    const split = this.#split(numbers);
    this.#checkCount(tensorCount, LEAST_TENSOR, "tensors");
    const infos = [];
    for (let i = 0; i < tensorCount; i++) infos.push(await this.#tensorInfo(i));
    const dataStart = ((BigInt(this.#position) + alignment - 1n) / alignment) * alignment;
    const tensors = infos.map((info) => this.#located(info, dataStart, alignment));
    this.#checkPlaces(tensors);
    return { name: texts["general.name"] ?? texts["general.architecture"] ?? "", split, tensors };
  }

  async #magicAndVersion() {
    const magic = String.fromCharCode(...(await this.#bytes(4n, "magic")));
    if (magic !== "GGUF") {
      this.#fail(`not a GGUF file, it starts with ${quoted(magic)}`, "give the path of a .gguf file");
    }
    const version = Number(await this.#number(4, "version"));
    // GGML's own test: the magic is the same in both byte orders.
    if (version && version % 65536 === 0) {
      this.#fail("a big-endian file", "gguf-convert-endian FILE little converts it in place");
    }
    if (!VERSIONS.includes(version)) {
      this.#fail(`GGUF version ${version}`, "versions 2 and 3 can be read: convert the model again");
    }
  }

  // Walks over the metadata; what of it matters here.
  async #metadata(count) {
    this.#checkCount(count, LEAST_METADATA, "metadata entries");
    const numbers = {};
    const texts = {};
    const keys = new Set();
    for (let i = 0; i < count; i++) {
      const key = await this.#string(`key of metadata entry ${i}`);
      const what = `metadata ${quoted(key)}`;
      if (keys.has(key)) this.#fail(`${what} is there twice`);
      keys.add(key);
      const kind = Number(await this.#number(4, what));
      if (Object.hasOwn(READ, key)) {
        const [wanted, name] = READ[key];
        if (kind !== wanted) this.#fail(`${key} is not of type ${name}`);
        numbers[key] = await this.#number(WIDTHS[kind], what);
      } else if (kind === STRING && SHOWN.includes(key)) texts[key] = await this.#text(what);
      else await this.#skipValue(kind, what);
    }
    return { numbers, texts };
  }

  #alignment({ "general.alignment": alignment = 32n }) {
    if (!alignment || alignment & (alignment - 1n)) {
      this.#fail(`general.alignment is ${alignment}, not a power of two`);
    }
    return alignment;
  }

  #split({ "split.no": number, "split.count": count = 0n, "split.tensors.count": tensors }) {
    if (count < 2n) return null;
    if (number === undefined) this.#fail(`split.count is ${count}, and there is no split.no`);
    if (number >= count) this.#fail(`split.no is ${number}, not less than split.count, ${count}`);
    return {
      number: Number(number) + 1,
      count: Number(count),
      tensors: tensors === undefined ? null : Number(tensors),
    };
  }

  async #skipValue(kind, what, depth = 0) {
    if (kind in WIDTHS) this.#skip(BigInt(WIDTHS[kind]), what);
    else if (kind === STRING) this.#skip(await this.#number(8, what), what);
    else if (kind !== ARRAY) this.#fail(`${what} has unknown type ${kind}`);
    else if (depth === MOST_DEPTH) {
      const limit = "this is a limit of the reader here: leave the entry out";
      this.#fail(`${what} has arrays more than ${MOST_DEPTH} deep`, limit);
    } else await this.#skipArray(what, depth + 1);
  }

  async #skipArray(what, depth) {
    const kind = Number(await this.#number(4, what));
    const count = await this.#number(8, what);
    if (!(kind in LEAST)) this.#fail(`${what} is an array of unknown type ${kind}`);
    this.#checkCount(count, LEAST[kind], `items of ${what}`);
    if (kind in WIDTHS) this.#skip(count * BigInt(WIDTHS[kind]), what);
    else for (let i = 0; i < count; i++) await this.#skipValue(kind, what, depth);
  }

  // Of a tensor only the dimensions can be judged yet.
  async #tensorInfo(index) {
    const name = await this.#string(`name of tensor ${index}`);
    const what = `tensor ${quoted(name)}`;
    const count = Number(await this.#number(4, what));
    if (count < 1 || count > MOST_DIMENSIONS) {
      this.#fail(`${what} has ${count} dimensions, not 1 to ${MOST_DIMENSIONS}`);
    }
    const shape = [];
    for (let i = 0; i < count; i++) shape.push(await this.#number(8, what));
    if (shape.includes(0n)) this.#fail(`${what} has a dimension of 0`);
    const kind = Number(await this.#number(4, what));
    return { name, what, shape, kind, offset: await this.#number(8, what) };
  }

  // As BigInt, nothing wraps or loses digits, whatever the file says.
  #located({ name, what, shape, kind, offset }, dataStart, alignment) {
    const [type, elements, bytes] = this.#types[kind] ?? [String(kind), 1, 0];
    if (shape[0] % BigInt(elements)) {
      this.#fail(`${what} has ${shape[0]} columns, ${type} needs a multiple of ${elements}`);
    }
    if (offset % alignment) {
      this.#fail(`${what} has offset ${offset}, not a multiple of the alignment ${alignment}`);
    }
    const size = (shape.reduce((product, one) => product * one) / BigInt(elements)) * BigInt(bytes);
    const end = dataStart + offset + size;
    if (end > this.#file.size) {
      this.#fail(`${what} ends at byte ${end}, past the end of the file at ${this.#file.size}`);
    }
    return { name, type, shape: shape.map(Number), at: Number(dataStart + offset), bytes: Number(size) };
  }

  #checkPlaces(tensors) {
    const counts = new Map();
    for (const { name } of tensors) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const [name, many] of counts) if (many > 1) this.#fail(`tensor ${quoted(name)} is there twice`);
    const sorted = [...tensors].sort((a, b) => a.at - b.at || a.bytes - b.bytes);
    sorted.slice(1).forEach((second, i) => {
      const first = sorted[i];
      if (second.at >= first.at + first.bytes) return;
      this.#fail(`tensors ${quoted(first.name)} and ${quoted(second.name)} overlap`);
    });
  }

  #checkCount(count, least, what) {
    const left = this.#file.size - this.#position;
    if (count * BigInt(least) > left) this.#fail(`${count} ${what} cannot be in the ${left} bytes left`);
  }

  async #string(what) {
    const bytes = await this.#bytes(await this.#number(8, what), what);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return this.#fail(`${what} is not UTF-8`);
    }
  }

  // The start of a string that is there to be shown, whatever is in it.
  async #text(what) {
    const length = await this.#number(8, what);
    const start = this.#skip(length, what);
    return new TextDecoder().decode(await this.#at(start, Math.min(MOST_SHOWN, Number(length))));
  }

  async #number(width, what) {
    const start = this.#skip(BigInt(width), what);
    if (!this.#has(start, width)) await this.#at(start, width);
    const at = start - this.#windowStart;
    if (width === 8) return this.#window.getBigUint64(at, true);
    return BigInt(width === 4 ? this.#window.getUint32(at, true) : this.#window.getUint16(at, true));
  }

  async #bytes(count, what) {
    return this.#at(this.#skip(count, what), Number(count));
  }

  #has(start, count) {
    return start >= this.#windowStart && start + count <= this.#windowStart + this.#window.byteLength;
  }

  async #at(start, count) {
    if (!this.#has(start, count)) {
      const end = Math.min(this.#file.size, start + Math.max(count, WINDOW));
      this.#window = new DataView((await bytesOf(this.#file, start, end)).buffer);
      this.#windowStart = start;
    }
    return new Uint8Array(this.#window.buffer, start - this.#windowStart, count);
  }

  // Moves over some bytes; where they start.
  #skip(count, what) {
    const start = this.#position;
    if (count > this.#file.size - start) this.#fail(`${what} goes past the end of the file at ${this.#file.size}`);
    this.#position = start + Number(count);
    return start;
  }

  #fail(what, mend = MEND) {
    throw new Error(`${shown(this.#file.name)}: ${what}; ${mend}.`);
  }
}
