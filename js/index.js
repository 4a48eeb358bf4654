// GGML's Q4_0 matrix products in WebAssembly: `await load()` gives the fastest kernels that compute right here.

import { Arena } from "./arena.js";
import { Ggml } from "./ggml.js";
import { ISAS, pick } from "./pick.js";
import { Pool, whyAlone } from "./pool.js";
import { instantiate, isShared, requireWebAssembly } from "./modules.js";

const MOST_THREADS = 64;
const MOST_AUTO = 16; // some browsers report any number, and each worker takes time to start
const PROBE_PAGES = 16; // more than any known answer needs
const MAXIMUM_PAGES = [65536, 32768, 16384, 8192]; // a shared memory's addresses are set aside when it is made

export async function load(options = {}) {
  if (Object(options) !== options) throw new TypeError("options must be an object, or left out.");
  const { memory, isa, threads, workerUrl } = checked(options);
  await requireWebAssembly();
  const { room, reason } = roomFor(threads, memory);
  const { bundle, module, rejected } = await pick(isa ? [isa] : ISAS, memory ? ofSameKind(memory) : room);
  const arena = new Arena(room);
  const kernels = await instantiate(module, room);
  const made = { arena, kernels, bundle, rejected, threadsReason: reason };
  if (threads === 1 || reason) return new Ggml(made);
  try {
    const pool = await Pool.start(arena, module, kernels.mul_mat_q4_0, threads - 1, workerUrl);
    return new Ggml({ ...made, pool });
  } catch (error) {
    return new Ggml({ ...made, threadsReason: error.message });
  }
}

const OPTIONS = ["memory", "isa", "threads", "workerUrl"];

function checked(options) {
  const { memory, isa, threads = 1, workerUrl } = options;
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown) throw new TypeError(`options must be some of ${OPTIONS.join(", ")}, and one is ${unknown}.`);
  if (memory !== undefined) requireMemory(memory);
  if (isa !== undefined && !ISAS.includes(isa)) throw new RangeError(`isa must be one of ${ISAS.join(", ")}.`);
  if (!["undefined", "string"].includes(typeof workerUrl)) throw new TypeError("workerUrl must be a string.");
  if (threads === "auto") return { memory, isa, threads: Math.min(processors(), MOST_AUTO), workerUrl };
  if (typeof threads !== "number") throw new TypeError('threads must be a number, or "auto".');
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS) {
    throw new RangeError(`threads must be a whole number from 1 to ${MOST_THREADS}, and is ${threads}.`);
  }
  return { memory, isa, threads, workerUrl };
}

function requireMemory(memory) {
  const needed = "memory must be a WebAssembly.Memory with 32-bit addresses.";
  if (memory?.[Symbol.toStringTag] !== "WebAssembly.Memory") throw new TypeError(needed);
  try {
    memory.grow(0); // one of 64-bit addresses takes a BigInt
  } catch (error) {
    throw new TypeError(needed, { cause: error });
  }
}

function whyOneThread(memory) {
  return memory && !isShared(memory) ? "The memory given to load() is not shared." : whyAlone();
}

// Browsers may report no number of processors, to protect their users from being recognised.
function processors() {
  const os = globalThis.process?.getBuiltinModule?.("node:os");
  const told = [globalThis.navigator?.hardwareConcurrency, os?.availableParallelism?.()];
  return told.map(Math.floor).find((count) => count >= 1) ?? 1;
}

// The memory to work in; and why threads cannot share it, where there are to be several and they cannot.
function roomFor(threads, memory) {
  const reason = threads > 1 ? whyOneThread(memory) : undefined;
  if (memory) return { room: memory, reason };
  const shared = threads > 1 && !reason ? sharedMemory() : undefined;
  if (shared) return { room: shared };
  const none = threads > 1 ? "No shared memory can be had here, not even one of 512 MiB at most." : undefined;
  return { room: new WebAssembly.Memory({ initial: 0 }), reason: reason ?? none };
}

// Wrong kernels may write anywhere, so they are not tested in a caller's memory.
function ofSameKind(memory) {
  return new WebAssembly.Memory({ initial: 0, maximum: PROBE_PAGES, shared: isShared(memory) });
}

function sharedMemory() {
  for (const maximum of MAXIMUM_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: 0, maximum, shared: true });
    } catch {
      // not so many addresses
    }
  }
  return undefined;
}
