// Known answers: what an engine must compute before it is trusted. answers.js has them, of exact arithmetic.

import { cases, data, opcodes } from "./answers.js";
import { compile, decode, instantiate, validates as isValid } from "./modules.js";

const PAGE = 65536;
const CANONICAL_NAN = 0x7fc00000;
const OPCODE_RUNS = 20_000; // at a time, in the loop of a module that tries one opcode

const contents = (index) => decode(data[index]);
const texts = (indices) => indices.map((index) => data[index]);
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Grows a memory to at least so many bytes. */
function ensure(memory, bytes) {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
  if (missing > 0) memory.grow(missing);
}

// All probes share one memory and use it for one known answer at a time: an engine reserves gigabytes
// of addresses for each memory, and frees them only when it collects garbage.

/** Single opcodes of an ISA: `run` throws at once where the engine lacks one, `heat` works, `fault` names a wrong one. */
export async function opcodeProbe(isa, memory) {
  ensure(memory, PAGE);
  const probes = [];
  for (const { name, wasm, operands, result } of opcodes[isa]) {
    const { run, hot } = await instantiate(await compile(texts(wasm), memory), memory);
    const right = (compute) => {
      const bytes = new Uint8Array(memory.buffer);
      operands.forEach((operand, i) => bytes.set(contents(operand), 16 * i));
      bytes.fill(0x7e, 48, 64);
      compute();
      return same(bytes.subarray(48, 64), contents(result));
    };
    probes.push({ name, hot, right, run });
  }
  return {
    fault: () => probes.find(({ right, run, hot }) => !right(run) || !right(() => hot(1)))?.name,
    heat: () => probes.forEach(({ hot }) => hot(OPCODE_RUNS)),
  };
}

/** Whether an engine has an ISA, as far as validation tells. */
export const validates = (isa) => opcodes[isa].every(({ wasm }) => isValid(texts(wasm)));

/** The known answers of a set of kernels, in a memory that nobody else uses yet: wrong kernels write anywhere. */
export async function kernelProbe(module, bundle, memory, leastBytes) {
  const all = Object.entries(bundle.interfaces).flatMap(([name, interface_]) =>
    cases[interface_].map((one) => prepared(name, one, bundle)),
  );
  ensure(memory, Math.max(leastBytes, ...all.map(({ bytes }) => bytes)));
  const exports = await instantiate(module, memory);
  return {
    exports,
    memory,
    cases: all,
    call: ({ name, values }) => exports[name](...values),
    /** The first case that is wrong, if any. */
    fault: () => all.find((one) => !isRight(one, exports, new Uint8Array(memory.buffer))),
  };
}

// A case with its buffers at addresses, one after the other and none aligned, and its arguments as numbers.
function prepared(name, test, { record }) {
  const buffers = [];
  const at = {};
  let end = 1;
  const place = (buffer, size) => {
    at[buffer] = end;
    end += size + 61 - (size % 2);
  };
  for (const side of ["inputs", "outputs"]) {
    for (const [buffer, index] of Object.entries(test[side])) {
      const bytes = test.records === buffer ? repeated(contents(index), record.copies) : contents(index);
      place(buffer, bytes.length);
      buffers.push({ at: at[buffer], data: bytes, isOutput: side === "outputs" });
    }
  }
  for (const [buffer, size] of Object.entries(test.scratch ?? {})) place(buffer, size);
  const number = (value) => (typeof value === "object" ? BigInt(value.i64) : (at[value] ?? value));
  return { name, case: test.name, buffers, values: test.arguments.map(number), bytes: end };
}

// Records of kernels that want each word several times.
function repeated(bytes, copies) {
  const words = [...new Uint32Array(bytes.buffer)];
  return new Uint8Array(Uint32Array.from(words.flatMap((word) => Array(copies).fill(word))).buffer);
}

function isRight({ name, buffers, values }, exports, bytes) {
  for (const { at, data, isOutput } of buffers) isOutput ? bytes.fill(0x7e, at, at + data.length) : bytes.set(data, at);
  try {
    exports[name](...values);
  } catch {
    return false; // it trapped
  }
  return buffers.every(({ at, data, isOutput }) => !isOutput || equal(bytes.slice(at, at + data.length), data));
}

// Byte for byte, but that any NaN is as good as another.
function equal(got, wanted) {
  if (same(got, wanted)) return true;
  if (wanted.length % 4) return false;
  const [left, right] = [got, wanted].map(({ buffer }) => new Uint32Array(buffer));
  return right.every((bits, i) => left[i] === bits || (bits === CANONICAL_NAN && isNaNBits(left[i])));
}

const isNaNBits = (bits) => (bits & 0x7fffffff) > 0x7f800000;
