// Times one module, in whatever has JavaScript and WebAssembly: loads it with its operands, warms it up, and samples it.
// bench.mjs does so for a command line, and a page in a browser; javascript_host.py tells what a job holds.

import { MEMORIES } from "./runner.mjs";

const PAGE = 65536;
const WARM_SHARE = 0.2; // of a slice
const LEAST_WARM = 10; // such slices that every module has, in which engines change to their optimising tier
const MOST_WARM = 50;
const SETTLED = 1.05; // times the best of them: three in a row below that, and nothing changes any more

// `data` are bytes, which an entry names by their places, and `now` tells microseconds.
export async function load(entry, { repeat, slice_s, data, now }) {
  const { name, memory: kind, wasm, buffers, arguments: words, types, units, output } = entry;
  const module = await WebAssembly.compile(data[wasm]);
  const ours = MEMORIES[kind] ? { memory: MEMORIES[kind](1) } : {};
  const { exports } = await WebAssembly.instantiate(module, { env: ours });
  const { memory } = { ...exports, ...ours };
  const at = {};
  let top = 0;
  for (const buffer of buffers) {
    at[buffer.name] = align(top);
    top = at[buffer.name] + buffer.bytes;
  }
  const pages = Math.ceil(top / PAGE) - memory.buffer.byteLength / PAGE;
  if (pages > 0) memory.grow(kind === "memory64" ? BigInt(pages) : pages);
  for (const { name, bytes, pattern } of buffers) {
    if (pattern !== null) fill(new Uint8Array(memory.buffer, at[name], bytes), data[pattern]);
  }
  const values = words.map((word, i) => (types[i] === "i64" ? BigInt(at[word] ?? word) : (at[word] ?? word)));
  const run = (repetitions) => exports[repeat](repetitions, ...values);
  const size = output ? output.lines * output.line : 0;
  const results = () => new Uint8Array(memory.buffer, at[output?.buffer] ?? 0, size); // anew, since one is empty after memory has grown
  const expected = output?.expected.map((place) => data[place]);
  const state = { slice: slice_s, now, repetitions: 1, wrong: null };
  return { name, run, results, units, output: output && { ...output, expected }, ...state };
}

function fill(bytes, pattern) {
  for (let done = 0; done < bytes.length; done += pattern.length) {
    bytes.set(pattern.subarray(0, bytes.length - done), done);
  }
}

// Engines compile well what has run long enough, on another thread, and switch at a later call.
export async function warm(module) {
  let best = Infinity;
  for (let slices = 0, settled = 0; slices < MOST_WARM && (slices < LEAST_WARM || settled < 3); slices++) {
    const { ns, wrong } = sample(module, WARM_SHARE);
    if (wrong) return; // and stays wrong, though the optimising tier may compute what the first one did not
    settled = ns < SETTLED * best ? settled + 1 : 0;
    best = Math.min(best, ns);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

// Nanoseconds a unit over a slice of time, and what is wrong with the results, or was at any time before.
export function sample(module, share = 1) {
  if (module.wrong) return { ns: 0, wrong: module.wrong };
  module.results().fill(0xff);
  try {
    for (;;) {
      const start = module.now();
      module.run(module.repetitions);
      const seconds = (module.now() - start) / 1e6;
      if (seconds >= (module.slice * share) / 2) {
        module.wrong = wrong(module, module.results());
        return { ns: (seconds / (module.repetitions * module.units)) * 1e9, wrong: module.wrong };
      }
      module.repetitions *= 2;
    }
  } catch (error) {
    module.wrong = `${module.name}: traps (${error.message}); run \`codegen verify --engine\``;
    return { ns: 0, wrong: module.wrong };
  }
}

// What entry.py's Output says: lines, each a pattern again and again, one pattern after the other.
function wrong({ name, output }, results) {
  if (!output) return null;
  const { lines, line, expected } = output;
  for (let i = 0; i < lines; i++) {
    const pattern = expected[i % expected.length];
    for (let from = 0; from < line; from += pattern.length) {
      const length = Math.min(pattern.length, line - from);
      const got = results.subarray(i * line + from, i * line + from + length);
      if (got.some((value, place) => value !== pattern[place])) return difference(name, output, i, from, got, pattern);
    }
  }
  return null;
}

function difference(name, { lines, item, names }, i, from, got, pattern) {
  const byte = got.findIndex((value, place) => value !== pattern[place]);
  const start = byte - (byte % item);
  const digits = (value) => value.toString(16).padStart(2, "0");
  const hex = (bytes) => `0x${[...bytes.subarray(start, start + item)].reverse().map(digits).join("")}`;
  const where = `${lines > 1 ? `${names[0]} ${i}, ` : ""}${names[1]} ${(from + start) / item}`;
  return `${name}: ${where} is ${hex(got)}, not ${hex(pattern)}; run \`codegen verify --engine\``;
}

const align = (address) => Math.ceil(address / 64) * 64;
