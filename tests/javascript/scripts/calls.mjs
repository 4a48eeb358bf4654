// Typed calls of every bundle, in both kinds of memory, on the conformance vectors.

import { Arena } from "./dist/arena.js";
import { Ggml } from "./dist/ggml.js";
import { bundles } from "./dist/kernels.js";
import { validates } from "./dist/known.js";
import { compile, instantiate } from "./dist/modules.js";
import { equal, same } from "./harness.mjs";
import vectors from "./vectors.json" with { type: "json" };

const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
const floats = (bytes) => new Float32Array(bytes.buffer);

async function instance(bundle, shared) {
  const memory = new WebAssembly.Memory({ initial: 0, maximum: 1024, shared });
  const kernels = await instantiate(await compile(bundle.wasm, memory), memory);
  return new Ggml({ arena: new Arena(memory), kernels, bundle, rejected: [] });
}

// By operation: a case's inputs, and n, rows and columns, to results. Python chose cases that have these calls.
const CALLS = {
  vec_dot: (ggml, { x, y }) => Float32Array.of(ggml.vecDot(x, y)),
  quantize_row: (ggml, { x }) => ggml.quantizeRow(floats(x)),
  pack_activations: (ggml, { vx }, { n }) => ggml.prepare(floats(vx), n),
  repack: (ggml, { vx }, { n, rows }) => ggml.repack(vx, rows, n),
  gemv: (ggml, { x, y }, { n, rows }) => ggml.gemv(x, y, rows, n),
  gemm: (ggml, { x, y }, { n, rows, columns }) => ggml.gemm(x, y, rows, n, columns),
  mul_mat: (ggml, { x, y }, { n, rows }) => {
    const matrix = ggml.matrix(x, rows, n);
    const results = ggml.mulMatSync(matrix, floats(y));
    matrix.free();
    return results;
  },
};

function judge(got, wanted, what) {
  if (typeof wanted === "string") return same(got, fromHex(wanted), what);
  equal(got.length, wanted.length, `${what} length`);
  const bits = new Uint32Array(got.buffer);
  wanted.forEach((expect, i) => {
    const right = expect.bits
      ? bits[i] === Number(expect.bits)
      : expect.class === "nan"
        ? Number.isNaN(got[i])
        : Math.abs(got[i] - expect.value) <= expect.bound;
    if (!right) throw new Error(`${what} [${i}]: ${got[i]}, expected ${JSON.stringify(expect)}`);
  });
}

export const calls = {};
for (const bundle of bundles.filter(({ isa }) => validates(isa))) {
  for (const shared of [false, true]) {
    calls[`vectors of ${bundle.name}, ${shared ? "shared" : "unshared"}`] = async () => {
      const ggml = await instance(bundle, shared);
      for (const [op, cases] of Object.entries(vectors[bundle.name])) {
        for (const one of cases) {
          const inputs = Object.fromEntries(Object.entries(one.inputs).map(([name, hex]) => [name, fromHex(hex)]));
          judge(CALLS[op](ggml, inputs, one), one.wanted, `${op} ${one.name}`);
        }
      }
    };
  }
}
