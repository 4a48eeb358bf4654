// Workers that multiply together with the caller's thread.

import { script } from "./script.js";
import { AT, WORDS, close, isBusy, open, takePart, waitFor, wake } from "./share.js";

const START_MS = 10_000;
const NOT_LOADED =
  "it cannot be loaded; where a Content-Security-Policy forbids it, allow blob: in worker-src, or give load() a workerUrl";
const MOST_LOOKS = 100_000; // meanwhile: a clock may stand still
const AWAKE_MS = 0.2; // how long the caller looks for the end of others' last chunks before it sleeps

// What rows are handed out in: several chunks a thread, so that a slow moment of one costs little, and whole tiles.
const CHUNKS_PER_THREAD = 6;
const CHUNK_ROWS = 16;

const nodeThreads = () => globalThis.process?.getBuiltinModule?.("node:worker_threads");

/** Why there can be only one thread here, or undefined. */
export function whyAlone() {
  if (typeof SharedArrayBuffer !== "function" || globalThis.crossOriginIsolated === false) {
    return (
      "Memory cannot be shared here: a page needs the headers Cross-Origin-Opener-Policy: same-origin and " +
      "Cross-Origin-Embedder-Policy: require-corp."
    );
  }
  if (!nodeThreads() && typeof Worker !== "function") return "There are no workers here.";
  return undefined;
}

let scriptUrl; // of the blob, which all pools use

// Starts a worker from its text, since bundles have no other file. Workers of node's module, which deno
// and bun have too, never keep a process alive. Browsers need an address.
function startWorker(url) {
  const threads = nodeThreads();
  // Without the options of this process, of which some are for its main script.
  if (threads) return new threads.Worker(script, { eval: true, execArgv: [] });
  scriptUrl ??= URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  return new Worker(url ?? scriptUrl);
}

function listen(worker, event, handler) {
  if (worker.on) worker.on(event, handler);
  else worker.addEventListener(event, ({ data, message }) => handler(data ?? message));
}

export class Pool {
  #arena;
  #at;
  #words;
  #mulMat;
  #workers;
  #broken = null;
  #settle = null; // of the promise that the caller waits for

  /** Starts workers on an arena of shared memory; rejects where they do not start. */
  static async start(arena, module, mulMat, count, url) {
    const pool = new Pool();
    pool.#arena = arena;
    pool.#mulMat = mulMat;
    pool.#at = arena.allocate(4 * WORDS); // never given back: a worker that is being ended may still look at it
    pool.#words = new Int32Array(arena.memory.buffer, pool.#at, WORDS).fill(0);
    pool.#workers = [];
    const timer = setTimeout(() => pool.#end(`no answer after ${START_MS / 1000} s`), START_MS);
    try {
      for (let i = 0; i < count; i++) pool.#workers.push(startWorker(url));
      await pool.#wait(() => pool.#greet(module));
    } catch (error) {
      pool.#end(error.message);
      throw pool.#broken;
    } finally {
      clearTimeout(timer);
    }
    return pool;
  }

  /** Why it has no threads any more, if it has none. */
  get reason() {
    return this.#broken?.message;
  }

  get threads() {
    return this.#broken ? 1 : this.#workers.length + 1;
  }

  /** Multiplies. Where it rejects and `threads` is 1, lost workers may still write to the job's memory. */
  async run(job) {
    const words = this.#words;
    const wanted = job.rows / (this.threads * CHUNKS_PER_THREAD);
    const chunk = Math.max(1, Math.ceil(wanted / CHUNK_ROWS)) * CHUNK_ROWS;
    open(words, { ...job, chunk });
    let failure;
    try {
      takePart(words, this.#mulMat, 0);
    } catch (error) {
      failure = error;
    }
    close(words);
    await this.#othersDone(); // also then: they write to memory that will be somebody else's
    if (failure) throw failure;
    if (Atomics.load(words, AT.failed)) throw new Error("A worker trapped in mulMat: its results are not whole.");
  }

  /** Ends the workers. Only when no job runs. */
  async close() {
    if (this.#broken) return;
    const stopped = this.#wait(() => {
      Atomics.store(this.#words, AT.stop, 1);
      wake(this.#words);
    });
    await stopped.catch(() => {}); // one had ended by itself
    this.#end("it was closed");
  }

  async #othersDone() {
    const words = this.#words;
    const end = performance.now() + AWAKE_MS;
    for (let looks = 0; looks < MOST_LOOKS && performance.now() < end; looks++) if (!isBusy(words)) return;
    await this.#wait(() => {
      if (!waitFor(words)) this.#settle.resolve();
    });
  }

  #greet(module) {
    const { memory } = this.#arena;
    let missing = this.#workers.length;
    let running = missing;
    this.#workers.forEach((worker, i) => {
      listen(worker, "message", (message) => {
        const isLast = { ready: () => --missing === 0, stopped: () => --running === 0, done: () => true }[message]();
        if (isLast) this.#settle?.resolve();
      });
      listen(worker, "error", (error) => this.#end(error?.message ?? error ?? NOT_LOADED));
      listen(worker, "exit", () => this.#end("it ended"));
      worker.postMessage({ module, memory, at: this.#at, thread: i + 1 });
    });
  }

  // A process must not end while it waits for its workers, and must end when it only has them.
  async #wait(begin) {
    if (this.#broken) throw this.#broken;
    const { promise, ...settle } = withResolvers();
    this.#settle = settle;
    for (const worker of this.#workers) worker.ref?.();
    try {
      begin();
      await promise;
    } finally {
      this.#settle = null;
      for (const worker of this.#workers) worker.unref?.();
    }
  }

  #end(reason) {
    if (this.#broken) return;
    this.#broken = new Error(`A worker is gone: ${reason}.`);
    for (const worker of this.#workers) worker.terminate();
    this.#settle?.reject(this.#broken);
  }
}

function withResolvers() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
