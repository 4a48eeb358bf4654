// A model's matrices times one column of activations: each checked, then all timed, one product of each a token.

import { bytesOf } from "./gguf-scan.js";
import { activations, isProduct, quantised } from "./plain.js";

const MOST_BYTES = 256 * 2 ** 20; // of weights in memory at a time
const WHOLE_TILES = 64; // rows that a large matrix is parted at
const CHECKED = 8; // rows of a matrix, the first and the last among them
const WARM_PASSES = 2;
const LEAST_PASSES = 3;
const LEAST_MS = 400; // of passes that are timed, in all: some steps of any browser's clock

const EMBEDDING = "token_embd.weight";
const LOOKED_UP = ["token_types.weight", "position_embd.weight", "per_layer_token_embd.weight"];

/**
 * Whether a token is multiplied with a tensor, once, as `codegen run` has it. An embedding is looked up, but that of
 * tokens is the output's matrix, too, where there is no other; of stacked matrices a token uses some.
 */
export function isCounted({ name, shape }, tensors) {
  if (shape.length > 2 && shape.slice(2).some((one) => one > 1)) return false;
  if (LOOKED_UP.includes(name)) return false;
  return name !== EMBEDDING || !tensors.some((one) => one.name === "output.weight");
}

/**
 * Multiplies all Q4_0 tensors of some files; what was checked, what was wrong, and the milliseconds
 * of a token, on one thread and on all.
 */
export async function multiply(files, tensors, ggml, tell) {
  const matrices = tensors.filter(({ type }) => type === "Q4_0");
  const total = matrices.reduce((sum, { bytes }) => sum + bytes, 0);
  const columns = new Map();
  const found = { matrices: matrices.length, rows: 0, wrong: [], msOneThread: 0, msAllThreads: 0, bytes: 0 };
  let done = 0;
  for (const batch of batches(parts(matrices, tensors))) {
    const placed = [];
    try {
      for (const part of batch) {
        const column = columns.get(part.n) ?? prepared(part.n);
        columns.set(part.n, column);
        placed.push(await place(files, part, ggml, column, found));
        done += part.bytes;
        tell({ done, total });
      }
      await time(
        placed.filter(({ counted }) => counted),
        ggml,
        found,
      );
    } finally {
      for (const { matrix } of placed) matrix.free();
    }
  }
  if (ggml.threads === 1) found.msAllThreads = found.msOneThread;
  return found;
}

function* parts(matrices, tensors) {
  for (const tensor of matrices) {
    const [n, ...outer] = tensor.shape;
    const rows = outer.reduce((product, one) => product * one, 1);
    const rowBytes = tensor.bytes / rows;
    const most = Math.max(1, Math.floor(MOST_BYTES / rowBytes / WHOLE_TILES)) * WHOLE_TILES;
    for (let first = 0; first < rows; first += most) {
      const count = Math.min(most, rows - first);
      const where = { file: tensor.file, at: tensor.at + first * rowBytes, bytes: count * rowBytes };
      yield { name: tensor.name, n, first, rows: count, ...where, counted: isCounted(tensor, tensors) };
    }
  }
}

function* batches(all) {
  let batch = [];
  let bytes = 0;
  for (const part of all) {
    if (batch.length && bytes + part.bytes > MOST_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(part);
    bytes += part.bytes;
  }
  if (batch.length) yield batch;
}

function prepared(n) {
  const values = activations(n);
  return { values, blocks: quantised(values) };
}

// Reads a matrix, multiplies it, and checks some of its rows.
async function place(files, part, ggml, { values, blocks }, found) {
  const weights = await bytesOf(files[part.file], part.at, part.at + part.bytes);
  const matrix = ggml.matrix(weights, part.rows, part.n);
  const results = await ggml.mulMat(matrix, values);
  const rowBytes = part.bytes / part.rows;
  for (const row of someOf(part.rows)) {
    found.rows++;
    if (isProduct(results[row], weights.subarray(row * rowBytes, (row + 1) * rowBytes), blocks)) continue;
    found.wrong.push({ name: part.name, row: part.first + row, got: results[row] });
  }
  return { matrix, values, results, counted: part.counted, bytes: part.bytes };
}

function someOf(rows) {
  const step = Math.max(1, (rows - 1) / (CHECKED - 1));
  return new Set(Array.from({ length: CHECKED }, (_, i) => Math.min(rows - 1, Math.round(i * step))));
}

// Times passes over all matrices of a batch, as a token makes one: weights come from where so many of them lie.
async function time(placed, ggml, found) {
  if (!placed.length) return;
  found.bytes += placed.reduce((sum, { bytes }) => sum + bytes, 0);
  found.msOneThread += await timed(() => {
    for (const { matrix, values, results } of placed) ggml.mulMatSync(matrix, values, results);
  });
  if (ggml.threads === 1) return;
  found.msAllThreads += await timed(async () => {
    for (const { matrix, values, results } of placed) await ggml.mulMat(matrix, values, results);
  });
}

// Milliseconds of a pass: as many are timed as a coarse clock needs.
async function timed(pass) {
  for (let i = 0; i < WARM_PASSES; i++) await pass();
  const begin = performance.now();
  for (let passes = 1; ; passes++) {
    await pass();
    const spent = performance.now() - begin;
    if (passes >= LEAST_PASSES && spent >= LEAST_MS) return spent / passes;
  }
}
