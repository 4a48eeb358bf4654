// Products on four threads that may pause, as any thread may on a busy machine.

import { load } from "./dist/index.js";
import { random, same } from "./harness.mjs";

const MILLISECONDS = 4000;

export async function report() {
  const made = random(5);
  const ggml = await load({ threads: 4 });
  const jobs = [
    [1031, 1024, 1],
    [2000, 1024, 1],
    [700, 1024, 4],
  ].map(([rows, n, columns]) => {
    const matrix = ggml.matrix(made.weights(rows, n), rows, n);
    const values = made.values(n * columns);
    return { matrix, values, wanted: ggml.mulMatSync(matrix, values) };
  });
  let count = 0;
  for (const end = performance.now() + MILLISECONDS; performance.now() < end; count += 16) {
    const batch = Array.from({ length: 16 }, (_, i) => jobs[(count + i) % jobs.length]);
    const got = await Promise.all(batch.map(({ matrix, values }) => ggml.mulMat(matrix, values)));
    got.forEach((results, i) => same(results, batch[i].wanted, `product ${count + i}`));
  }
  await ggml.close();
  return { count };
}
