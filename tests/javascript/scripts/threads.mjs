// Products on several threads: the same bits, in order, whatever else happens; and workers that fail.

import { Arena } from "./dist/arena.js";
import { Ggml } from "./dist/ggml.js";
import { load } from "./dist/index.js";
import { bundles } from "./dist/kernels.js";
import { Pool } from "./dist/pool.js";
import { compile, instantiate } from "./dist/modules.js";
import { AT, WORDS, close, isBusy, join, leave, open, waitFor } from "./dist/share.js";
import { equal, random, same, throws } from "./harness.mjs";

const made = random(11);
const [rows, n] = [1031, 1024]; // enough for threads, and no whole tiles
const weights = made.weights(rows, n);

async function withThreads(count, use) {
  const ggml = await load({ threads: count });
  equal(ggml.threadsReason, undefined);
  equal(ggml.threads, count);
  try {
    await use(ggml);
  } finally {
    await ggml.close();
  }
  equal(ggml.threads, 1);
  equal(ggml.threadsReason, "A worker is gone: it was closed.");
}

export const threads = {
  "a worker that pauses as it leaves does not wake who waits for a later product": () => {
    const words = new Int32Array(new SharedArrayBuffer(4 * WORDS));
    const job = {
      n: 32,
      s: 0,
      weights: 0,
      values: 0,
      columns: 1,
      rows: 4,
      rowBytes: 18,
      work: 0,
      workBytes: 64,
      chunk: 16,
    };
    open(words, job);
    equal(join(words), true, "the slow worker joins");
    close(words);
    const step = Atomics.sub;
    Atomics.sub = (...operands) => {
      Atomics.sub = step;
      const result = step(...operands);
      // While it pauses, the caller sees that all have left, and asks for another product, which another worker joins.
      equal(isBusy(words), false);
      open(words, job);
      equal(join(words), true);
      close(words);
      equal(waitFor(words), true);
      return result;
    };
    try {
      equal(leave(words), false, "the slow one wakes nobody");
    } finally {
      Atomics.sub = step;
    }
    equal(leave(words), true, "the other one does");
  },
  "the same bits as one thread's": async () => {
    for (const count of [2, 3]) {
      await withThreads(count, async (ggml) => {
        const matrix = ggml.matrix(weights, rows, n);
        for (const columns of [1, 2, 33]) {
          const values = made.values(n * columns);
          for (let i = 0; i < 10; i++) same(await ggml.mulMat(matrix, values), ggml.mulMatSync(matrix, values));
        }
      });
    }
  },
  "calls at the same time, values that change, and a matrix freed meanwhile": () =>
    withThreads(2, async (ggml) => {
      const matrix = ggml.matrix(weights, rows, n);
      const inputs = Array.from({ length: 8 }, () => made.values(4 * n));
      const wanted = inputs.map((values) => ggml.mulMatSync(matrix, values));
      const values = new Float32Array(4 * n);
      const results = inputs.map((input) => {
        values.set(input);
        return ggml.mulMat(matrix, values);
      });
      matrix.free();
      await throws(() => ggml.mulMat(matrix, values), RangeError, /freed/);
      (await Promise.all(results)).forEach((result, i) => same(result, wanted[i]));
    }),
  "memory grows under workers": () =>
    withThreads(2, async (ggml) => {
      const matrix = ggml.matrix(weights, rows, n);
      const values = made.values(4 * n);
      const wanted = ggml.mulMatSync(matrix, values);
      for (let i = 0; i < 5; i++) {
        const result = ggml.mulMat(matrix, values);
        ggml.memory.grow(3);
        const more = ggml.matrix(made.weights(512, 4096), 512, 4096); // beyond what workers have seen
        same(await result, wanted);
        const x = made.values(4096);
        same(await ggml.mulMat(more, x), ggml.mulMatSync(more, x));
      }
    }),
  "after close, on one thread": async () => {
    const ggml = await load({ threads: 2 });
    const matrix = ggml.matrix(weights, rows, n);
    const values = made.values(4 * n);
    const last = ggml.mulMat(matrix, values);
    await Promise.all([ggml.close(), ggml.close()]);
    equal(ggml.threads, 1);
    same(await ggml.mulMat(matrix, values), await last);
  },
  "a caller's shared memory": async () => {
    const memory = new WebAssembly.Memory({ initial: 3, maximum: 300, shared: true });
    new Uint8Array(memory.buffer).fill(0xa5);
    const ggml = await load({ memory, threads: 2 });
    equal(ggml.threads, 2);
    const matrix = ggml.matrix(weights, rows, n);
    const values = made.values(4 * n);
    same(await ggml.mulMat(matrix, values), ggml.mulMatSync(matrix, values));
    await ggml.close();
    equal(
      new Uint8Array(memory.buffer, 0, 3 * 65536).findIndex((byte) => byte !== 0xa5),
      -1,
    );
  },
  "a caller's memory that is not shared": async () => {
    const ggml = await load({ memory: new WebAssembly.Memory({ initial: 0 }), threads: 2 });
    equal(ggml.threads, 1);
    equal(ggml.threadsReason, "The memory given to load() is not shared.");
    const matrix = ggml.matrix(weights, rows, n);
    const values = made.values(n);
    same(await ggml.mulMat(matrix, values), ggml.mulMatSync(matrix, values));
  },
  "a worker that traps": async () => {
    const { arena, module } = await scalar();
    const slow = () => {
      for (const end = performance.now() + 100; performance.now() < end;); // until the worker has joined
    };
    const pool = await Pool.start(arena, module, slow, 1);
    const job = {
      n: 32,
      s: 2 ** 31,
      weights: 2 ** 31,
      values: 0,
      columns: 1,
      rows: 4096,
      rowBytes: 18,
      work: 0,
      workBytes: 64,
    };
    await throws(() => pool.run(job), Error, /^A worker trapped in mulMat/);
    equal(pool.threads, 2);
    await pool.close();
  },
  "a worker that dies while it multiplies": async () => {
    const { workers, restore } = spied();
    try {
      const { arena, module, kernels, bundle } = await scalar();
      const words = () => new Int32Array(arena.memory.buffer, 0, WORDS); // the first thing in a memory that was empty
      let dying = true;
      const mulMat = (...job) => {
        kernels.mul_mat_q4_0(...job);
        if (dying) Atomics.add(words(), AT.state, 1); // somebody more joins, and will never leave
        if (dying) workers[0].terminate();
        if (dying) workers[0].dispatchEvent?.(new Event("error")); // browsers say nothing of terminated ones
        dying = false;
      };
      const pool = await Pool.start(arena, module, mulMat, 1);
      const ggml = new Ggml({ arena, kernels, bundle, pool, rejected: [] });
      equal(ggml.threads, 2);
      const matrix = ggml.matrix(weights, rows, n);
      const values = made.values(8 * n);
      await throws(() => ggml.mulMat(matrix, values), Error, /^A worker is gone: /);
      equal(ggml.threads, 1);
      equal(/^A worker is gone: /.test(ggml.threadsReason), true, ggml.threadsReason);
      same(await ggml.mulMat(matrix, values), ggml.mulMatSync(matrix, values));
      await ggml.close();
    } finally {
      restore();
    }
  },
  'as many as processors with "auto", whatever is told of them': async () => {
    const home = globalThis.navigator ?? {};
    const processors = () => globalThis.process?.getBuiltinModule?.("node:os").availableParallelism() ?? 1;
    const told = new Map([
      [3.7, 3],
      [2, 2],
      [1_000_000, 16],
    ]);
    for (const nothing of ["many", undefined, null, 0, NaN, -4, -Infinity]) told.set(nothing, undefined);
    for (const [count, wanted] of told) {
      await withProperty(home, "hardwareConcurrency", count, async () => {
        const { threads, threadsReason } = await auto();
        equal(threadsReason, undefined, `${count} processors:`);
        const other = Math.min(processors(), 16); // which deno and bun ask the same property for
        equal(threads, (globalThis.navigator && wanted) ?? (other >= 1 ? other : 1), `${count} processors:`);
      });
    }
  },
  'one thread or some with "auto" where there is no process, and no workers': async () => {
    for (const count of [undefined, 0, NaN, 3.7, 1_000_000]) {
      const nothing = await withProperty(globalThis, "process", undefined, () =>
        withProperty(globalThis, "Worker", undefined, () =>
          withProperty(globalThis.navigator ?? {}, "hardwareConcurrency", count, auto),
        ),
      );
      equal(nothing.threads, 1, `${count} processors:`);
      const reason = count >= 2 && globalThis.navigator ? "There are no workers here." : undefined;
      equal(nothing.threadsReason, reason, `${count} processors:`);
    }
  },
  "no shared memory to be had": async () => {
    const { Memory } = WebAssembly;
    WebAssembly.Memory = function (type) {
      if (type.shared && type.maximum > 1000) throw new RangeError("no room");
      return new Memory(type);
    };
    try {
      const ggml = await load({ threads: 2 });
      equal(ggml.threads, 1);
      equal(ggml.threadsReason, "No shared memory can be had here, not even one of 512 MiB at most.");
    } finally {
      WebAssembly.Memory = Memory;
    }
  },
  "workers that do not start": async () => {
    const home = homeOfWorkers();
    const { Worker } = home;
    home.Worker = class {
      constructor() {
        throw new Error("no more of them");
      }
    };
    try {
      const ggml = await load({ threads: 2 });
      equal(ggml.threads, 1);
      equal(ggml.threadsReason, "A worker is gone: no more of them.");
    } finally {
      home.Worker = Worker;
    }
  },
};

async function auto() {
  const ggml = await load({ threads: "auto", isa: "scalar" });
  const { threads, threadsReason } = ggml;
  await ggml.close();
  return { threads, threadsReason };
}

async function withProperty(object, name, value, use) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  try {
    return await use();
  } finally {
    if (own) Object.defineProperty(object, name, own);
    else delete object[name];
  }
}

async function scalar() {
  const memory = new WebAssembly.Memory({ initial: 0, maximum: 1000, shared: true });
  const bundle = bundles.find(({ isa }) => isa === "scalar");
  const module = await compile(bundle.wasm, memory);
  const kernels = await instantiate(module, memory);
  return { arena: new Arena(memory), module, kernels, bundle };
}

const homeOfWorkers = () => globalThis.process?.getBuiltinModule?.("node:worker_threads") ?? globalThis;

// Workers that are started from now on.
function spied() {
  const home = homeOfWorkers();
  const { Worker } = home;
  const workers = [];
  home.Worker = class extends Worker {
    constructor(...options) {
      super(...options);
      workers.push(this);
    }
  };
  return { workers, restore: () => (home.Worker = Worker) };
}
