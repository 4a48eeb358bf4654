// A thread of the pool: the same module on the same memory, asleep until there is a job. `codegen js`
// joins this module and share.js into one script, which imports nothing.

import { AT, WORDS, join, leave, takePart } from "./share.js";

// How long it looks for the next job before it sleeps, in milliseconds: waking up takes long, and a thread that wakes up
// may share a core at first. Longer after jobs that came soon; and hardly where none did, as on a core that others want.
const LEAST_AWAKE = 0.02;
const MOST_AWAKE = 1;

// Where node's module of threads made it, it has a port; a browser's worker is one.
const port = globalThis.process?.getBuiltinModule?.("node:worker_threads")?.parentPort ?? globalThis;

async function start({ module, memory, at, thread }) {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  // A view of shared memory stays good when the memory grows, and the record stays where it is.
  const words = new Int32Array(memory.buffer, at, WORDS);
  port.postMessage("ready");
  let seen = 0;
  let awake = LEAST_AWAKE;
  while (!Atomics.load(words, AT.stop)) {
    const soon = changes(words, seen, awake);
    awake = soon ? Math.min(2 * awake, MOST_AWAKE) : Math.max(awake / 4, LEAST_AWAKE);
    if (!soon) Atomics.wait(words, AT.generation, seen);
    seen = Atomics.load(words, AT.generation);
    if (!join(words)) continue;
    try {
      takePart(words, exports.mul_mat_q4_0, thread);
    } catch {
      Atomics.store(words, AT.failed, 1);
    }
    if (leave(words)) port.postMessage("done");
  }
  port.postMessage("stopped");
}

// Whether there is another generation within so many milliseconds.
function changes(words, seen, milliseconds) {
  const end = performance.now() + milliseconds;
  do if (Atomics.load(words, AT.generation) !== seen) return true;
  while (performance.now() < end);
  return false;
}

if (port === globalThis) port.onmessage = ({ data }) => start(data);
else port.on("message", start);
