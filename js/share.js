// One product that several threads compute: a record in shared memory, rows of it handed out in chunks by a counter.

// Words of the record. A generation more means a job more. `state` is OPEN while there are rows to take, and counts the
// workers that take some: one that wakes up too late does not join, and nobody waits for it. It is WAITED for where the
// caller sleeps until they are done. All in one word: whoever leaves knows by the same step whether to wake the caller,
// since a thread that pauses between two could wake the one who waits for a later job.
const FIELDS = ["generation", "state", "next", "failed", "stop"];
const JOB = ["n", "s", "weights", "values", "columns", "rows", "rowBytes", "work", "workBytes", "chunk"];
export const AT = Object.fromEntries([...FIELDS, ...JOB].map((name, i) => [name, i]));
export const WORDS = FIELDS.length + JOB.length;

const OPEN = 1 << 16;
const WAITED = 1 << 17;

/** Writes a job down, lets other threads join in it, and wakes them. Only while no other is under way. */
export function open(words, job) {
  for (const name of JOB) words[AT[name]] = job[name];
  Atomics.store(words, AT.next, 0);
  Atomics.store(words, AT.failed, 0);
  Atomics.store(words, AT.state, OPEN);
  wake(words);
}

/** Lets no further thread join. */
export function close(words) {
  Atomics.and(words, AT.state, ~OPEN);
}

export function wake(words) {
  Atomics.add(words, AT.generation, 1);
  Atomics.notify(words, AT.generation);
}

/** Whether threads that joined are still at work; after `close`. */
export const isBusy = (words) => Atomics.load(words, AT.state) !== 0;

/** Waits for them; false where they have left by now, and none will tell. */
export const waitFor = (words) => Atomics.or(words, AT.state, WAITED) !== 0;

/** Joins in the job, if one is open. */
export function join(words) {
  for (let state = Atomics.load(words, AT.state); state & OPEN;) {
    const found = Atomics.compareExchange(words, AT.state, state, state + 1);
    if (found === state) return true;
    state = found;
  }
  return false;
}

/** Leaves it; true for whoever is the last one, and is waited for. */
export const leave = (words) => Atomics.sub(words, AT.state, 1) === WAITED + 1;

/** Takes chunks of rows until none is left. Each thread has work memory of its own. */
export function takePart(words, mulMat, thread) {
  const job = JOB.map((name) => words[AT[name]] >>> 0);
  const [n, s, weights, values, columns, rows, rowBytes, work, workBytes, chunk] = job;
  for (;;) {
    const row = Atomics.add(words, AT.next, chunk) >>> 0;
    if (row >= rows) return;
    const count = Math.min(chunk, rows - row);
    mulMat(n, s + 4 * row, rows, weights + row * rowBytes, values, 4 * n, columns, count, work + thread * workBytes);
  }
}
