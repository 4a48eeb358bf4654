// What threads gain: `node bench.js [THREADS [ROWS [N [ROUNDS]]]]` times products of a matrix on one thread and on several,
// in turn and some at a time, as the layers of a model follow each other, and prints medians.

import { load } from "./index.js";
import { layout } from "./kernels.js";

const [threads = 2, rows = 4096, n = 4096, rounds = 31] = (globalThis.process?.argv.slice(2) ?? []).map(Number);

if ([threads, rows, n, rounds].some((number) => !Number.isInteger(number) || number < 1)) {
  throw new RangeError("usage: node bench.js [THREADS [ROWS [N [ROUNDS]]]], whole numbers above 0");
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

const TOGETHER = 5;

async function timed(work) {
  const start = performance.now();
  for (let i = 0; i < TOGETHER; i++) await work();
  return (performance.now() - start) / TOGETHER;
}

const start = performance.now();
const ggml = await load({ threads });
console.log(`${ggml.bundle}, ${ggml.threads} threads, loaded in ${(performance.now() - start).toFixed(0)} ms`);
if (ggml.threadsReason) console.log(ggml.threadsReason);

const weights = new Uint8Array((rows * n * layout.q4Bytes) / layout.elements);
for (let i = 0; i < weights.length; i++) weights[i] = i % layout.q4Bytes === 1 ? 0x2c : (i * 2654435761) >>> 13;
const matrix = ggml.matrix(weights, rows, n);
for (const columns of [1, 4, 32]) {
  const values = Float32Array.from({ length: n * columns }, (_, i) => Math.sin(i));
  const into = new Float32Array(rows * columns);
  const [one, several] = [[], []];
  for (let round = -3; round < rounds; round++) {
    const pair = [
      await timed(() => ggml.mulMatSync(matrix, values, into)),
      await timed(() => ggml.mulMat(matrix, values, into)),
    ];
    if (round >= 0) [one, several].forEach((times, i) => times.push(pair[i]));
  }
  const [a, b] = [median(one), median(several)];
  const figures = `${a.toFixed(2)} ms on 1 thread, ${b.toFixed(2)} ms on ${ggml.threads}: ${(a / b).toFixed(2)} times as fast`;
  console.log(`${rows} x ${n} by ${columns}: ${figures}`);
}
await ggml.close();
