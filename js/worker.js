// A thread of the pool: the same module on the same memory, asleep until there is a job.

import { AT, WORDS, takePart } from "./share.js";

const AWAKE_MS = 0.2; // after a job, since the next one often follows at once and waking takes about 0.05 ms

// Where node's module of threads made it, it has a port; a browser's worker is one.
const port = globalThis.process?.getBuiltinModule?.("node:worker_threads")?.parentPort ?? globalThis;

async function start({ module, memory, at, thread }) {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  // A view of shared memory stays good when the memory grows, and the record stays where it is.
  const words = new Int32Array(memory.buffer, at, WORDS);
  port.postMessage("ready");
  for (let seen = 0; ; seen++) {
    awaitJob(words, seen);
    if (Atomics.load(words, AT.stop)) break;
    try {
      takePart(words, exports.mul_mat_q4_0, thread);
    } catch {
      Atomics.store(words, AT.failed, 1);
    }
    done(words);
  }
  done(words);
}

function awaitJob(words, seen) {
  const end = performance.now() + AWAKE_MS;
  while (performance.now() < end) if (Atomics.load(words, AT.generation) !== seen) return;
  Atomics.wait(words, AT.generation, seen);
}

// Whoever is the last one wakes the caller, if that waits.
function done(words) {
  if (Atomics.sub(words, AT.left, 1) === 1 && Atomics.exchange(words, AT.waiting, 0)) port.postMessage("done");
}

if (port === globalThis) port.onmessage = ({ data }) => start(data);
else port.once("message", start);
