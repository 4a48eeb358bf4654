// One product that several threads compute: a record in shared memory, rows of it handed out in chunks by a counter.

import { layout } from "./kernels.js";

// Words of the record. A generation more means a job more; `left` are workers that are not done with it.
const FIELDS = ["generation", "next", "left", "failed", "waiting", "stop"];
const JOB = ["n", "s", "weights", "values", "columns", "rows", "work", "workBytes", "chunk"];
export const AT = Object.fromEntries([...FIELDS, ...JOB].map((name, i) => [name, i]));
export const WORDS = FIELDS.length + JOB.length;

/** Writes a job down for other threads, who read it once they see the generation change. */
export function describe(words, job) {
  for (const name of JOB) words[AT[name]] = job[name];
}

/** Takes chunks of rows until none is left. Each thread has work memory of its own. */
export function takePart(words, mulMat, thread) {
  const [n, s, weights, values, columns, rows, work, workBytes, chunk] = JOB.map((name) => words[AT[name]] >>> 0);
  const groupBytes = (n / layout.elements) * layout.groupBytes;
  for (;;) {
    const row = Atomics.add(words, AT.next, chunk) >>> 0;
    if (row >= rows) return;
    const count = Math.min(chunk, rows - row);
    const from = weights + (row / layout.groupRows) * groupBytes;
    mulMat(n, s + 4 * row, rows, from, values, 4 * n, columns, count, work + thread * workBytes);
  }
}
