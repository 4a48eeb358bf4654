// What a user's program does: a product on two threads, whose every result is known.
import { load } from "ggml-wat";

const [rows, n] = [1024, 1024]; // enough for threads
// The sum of n activations of 0.5 in Q8_0, each 127 times the f16 nearest to 0.5 / 127.
const EACH = 511.96875;

export async function report() {
  const ggml = await load({ threads: 2 });
  const weights = new Uint8Array((rows * n * 18) / 32);
  const weightOf = (row) => (row % 16) - 8;
  for (let at = 0; at < weights.length; at += 18) {
    const nibble = weightOf(Math.floor((at * 32) / 18 / n)) + 8;
    weights.set([0x00, 0x3c], at); // a scale of 1
    weights.fill(nibble * 17, at + 2, at + 18);
  }
  const results = await ggml.mulMat(ggml.matrix(weights, rows, n), new Float32Array(n).fill(0.5));
  const wrong = results.findIndex((value, row) => value !== weightOf(row) * EACH);
  const { threads, threadsReason, isa } = ggml;
  await ggml.close();
  return { length: results.length, wrong, isa, threads, threadsReason };
}
