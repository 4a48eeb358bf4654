// A thread of the pool: the same module on the same memory, asleep until there is a job.

import { AT, WORDS, join, leave, takePart } from "./share.js";

const AWAKE_MS = 1; // after a job, since the next one often follows soon, and a thread that wakes up may share a core at first

// Where node's module of threads made it, it has a port; a browser's worker is one.
const port = globalThis.process?.getBuiltinModule?.("node:worker_threads")?.parentPort ?? globalThis;

async function start({ module, memory, at, thread }) {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  // A view of shared memory stays good when the memory grows, and the record stays where it is.
  const words = new Int32Array(memory.buffer, at, WORDS);
  port.postMessage("ready");
  for (let seen = 0; !Atomics.load(words, AT.stop);) {
    seen = awaitChange(words, seen);
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

// The generation, once it is another one.
function awaitChange(words, seen) {
  const end = performance.now() + AWAKE_MS;
  while (performance.now() < end) if (Atomics.load(words, AT.generation) !== seen) break;
  Atomics.wait(words, AT.generation, seen);
  return Atomics.load(words, AT.generation);
}

if (port === globalThis) port.onmessage = ({ data }) => start(data);
else port.on("message", start);
