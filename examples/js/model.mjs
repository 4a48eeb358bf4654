// Multiplies each Q4_0 matrix of a GGUF file by a column: `node model.mjs MODEL.gguf`, in a folder
// where ggml-wat and @huggingface/gguf are installed. One matrix at a time is held in memory.

import { open } from "node:fs/promises";
import process from "node:process";
import { GGMLQuantizationType, gguf } from "@huggingface/gguf";
import { load } from "ggml-wat";

function fail(message) {
  console.error(message);
  process.exit(2);
}

const [path] = process.argv.slice(2);
if (!path) fail("usage: node model.mjs MODEL.gguf");
const { tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
const isMatrix = ({ dtype, shape }) => dtype === GGMLQuantizationType.Q4_0 && shape.length === 2;
const matrices = tensorInfos.filter(isMatrix);
if (!matrices.length) fail(`${path}: has no Q4_0 matrix; examples/requantise.py makes a file that has`);

const ggml = await load({ threads: "auto" });
const file = await open(path);
for (const { name, shape, offset } of matrices) {
  const [n, rows] = shape.map(Number);
  const weights = new Uint8Array((rows * n * 18) / 32);
  const { bytesRead } = await file.read(weights, 0, weights.length, Number(tensorDataOffset + offset));
  if (bytesRead < weights.length) fail(`${path}: ends within ${name}`);
  const matrix = ggml.matrix(weights, rows, n);
  const activations = Float32Array.from({ length: n }, (_, i) => Math.cos(i));
  const start = performance.now();
  const results = await ggml.mulMat(matrix, activations);
  const ms = (performance.now() - start).toFixed(2);
  matrix.free();
  console.log(`${name}: ${rows} x ${n} in ${ms} ms, the first result is ${results[0]}`);
}
await file.close();
await ggml.close();
