// Memory: the caller's own, growth, views, addresses over 2 GiB, and none left.

import { load } from "./dist/index.js";
import { equal, random, same, throws } from "./harness.mjs";

const PAGE = 65536;
const [rows, n] = [19, 96];
const made = random(7);
const weights = made.weights(rows, n);
const values = made.values(2 * n);

async function wanted() {
  const ggml = await load();
  return ggml.mulMatSync(ggml.matrix(weights, rows, n), values);
}

async function inMemory(memory) {
  const ggml = await load({ memory });
  equal(ggml.memory, memory);
  same(ggml.mulMatSync(ggml.matrix(weights, rows, n), values), await wanted());
  return ggml;
}

export const memory = {
  "a caller's memory keeps its bytes": async () => {
    const memory = new WebAssembly.Memory({ initial: 2 });
    new Uint8Array(memory.buffer).fill(0xa5);
    const ggml = await inMemory(memory);
    ggml.quantizeRow(new Float32Array(2 ** 20));
    ggml.vecDot(weights, ggml.quantizeRow(new Float32Array(rows * n)));
    equal(
      new Uint8Array(memory.buffer, 0, 2 * PAGE).findIndex((byte) => byte !== 0xa5),
      -1,
    );
  },
  "a caller's shared memory": async () => {
    const ggml = await inMemory(new WebAssembly.Memory({ initial: 1, maximum: 100, shared: true }));
    equal(ggml.threads, 1);
  },
  "others grow it too": async () => {
    const memory = new WebAssembly.Memory({ initial: 0 });
    const ggml = await load({ memory });
    const first = ggml.matrix(weights, rows, n);
    const others = memory.grow(1) * PAGE;
    new Uint8Array(memory.buffer, others, PAGE).fill(0xa5);
    const big = made.weights(512, 4096);
    ggml.mulMatSync(ggml.matrix(big, 512, 4096), made.values(4096));
    equal(
      new Uint8Array(memory.buffer, others, PAGE).findIndex((byte) => byte !== 0xa5),
      -1,
    );
    same(ggml.mulMatSync(first, values), await wanted());
  },
  "operands and results in the same memory, which grows": async () => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const ggml = await load({ memory });
    new Float32Array(memory.buffer, 64, values.length).set(values);
    const matrix = ggml.matrix(weights, rows, n);
    const into = () => new Float32Array(memory.buffer, 4096, 2 * rows);
    for (let i = 0; i < 3; i++) {
      const before = memory.buffer.byteLength;
      ggml.mulMatSync(matrix, new Float32Array(memory.buffer, 64, values.length), into());
      same(into(), await wanted());
      ggml.matrix(new Uint8Array(18 * 65536), 65536, 32);
      equal(memory.buffer.byteLength > before, true, "grown");
      await ggml.mulMat(matrix, new Float32Array(memory.buffer, 64, values.length), into());
      same(into(), await wanted());
    }
  },
  "operands and results in the same memory, which the very call grows": async () => {
    const big = made.weights(64, 1024);
    const columns = made.values(2 ** 20);
    const expected = await (async () => {
      const ggml = await load();
      return ggml.mulMatSync(ggml.matrix(big, 64, 1024), columns);
    })();
    const memory = new WebAssembly.Memory({ initial: 100 });
    new Uint8Array(memory.buffer, 64, big.length).set(big);
    new Float32Array(memory.buffer, 65536, columns.length).set(columns);
    const into = () => new Float32Array(memory.buffer, 65536 + columns.byteLength, expected.length);
    const ggml = await load({ memory });
    const sizes = [memory.buffer.byteLength];
    const matrix = ggml.matrix(new Uint8Array(memory.buffer, 64, big.length), 64, 1024);
    sizes.push(memory.buffer.byteLength);
    ggml.mulMatSync(matrix, new Float32Array(memory.buffer, 65536, columns.length), into());
    sizes.push(memory.buffer.byteLength);
    equal(sizes[0] < sizes[1] && sizes[1] < sizes[2], true, "both grew");
    same(into(), expected);
  },
  "a matrix that is freed while its product waits": async () => {
    const ggml = await load();
    const matrix = ggml.matrix(weights, rows, n);
    const product = ggml.mulMat(matrix, values);
    matrix.free();
    ggml.matrix(made.weights(rows, n), rows, n);
    same(await product, await wanted());
  },
  "what is freed is used again": async () => {
    const ggml = await load();
    const big = made.weights(256, 4096);
    ggml.matrix(big, 256, 4096).free();
    const { byteLength } = ggml.memory.buffer;
    for (let i = 0; i < 20; i++) {
      const matrix = ggml.matrix(big, 256, 4096);
      ggml.repack(weights, rows, n);
      ggml.mulMatSync(matrix, made.values(4096));
      matrix.free();
      matrix.free();
    }
    equal(ggml.memory.buffer.byteLength - byteLength <= 2 ** 20, true, "memory has not grown much");
  },
  "no memory left": async () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 40 });
    const ggml = await load({ memory });
    const big = made.weights(1024, 8192);
    await throws(
      () => ggml.matrix(big, 1024, 8192),
      RangeError,
      /^memory must have room for \d+ bytes more, and cannot grow/,
    );
    same(ggml.mulMatSync(ggml.matrix(weights, rows, n), values), await wanted(), "goes on");
  },
  "all there is, to the last page, and no more": async () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 20 }); // fewer than two steps of growth
    const ggml = await load({ memory });
    const kept = [];
    const fill = () => {
      for (let i = 0; i < 100; i++) kept.push(ggml.matrix(weights, rows, n));
    };
    const big = made.weights(64, 1024); // a page and a bit
    await throws(
      () => {
        for (;;) kept.push(ggml.matrix(big, 64, 1024));
      },
      RangeError,
      /^memory must have room for \d+ bytes more, and cannot grow/,
    );
    equal(memory.buffer.byteLength <= 20 * PAGE, true);
    equal(kept.length > 15, true, `room for ${kept.length}`);
    kept.splice(0, 4).forEach((matrix) => matrix.free());
    fill();
    same(ggml.mulMatSync(kept.at(-1), values), await wanted(), "goes on");
  },
  "addresses over 2 GiB, and up to 4": async () => {
    for (const pages of [32767, 65536 - 20]) {
      let memory;
      try {
        memory = new WebAssembly.Memory({ initial: pages });
      } catch {
        continue; // this engine, or machine, has no such memory
      }
      const ggml = await inMemory(memory);
      const y = ggml.quantizeRow(new Float32Array(rows * n).fill(1));
      const small = await load();
      equal(ggml.vecDot(weights, y), small.vecDot(weights, y));
      const [packed, prepared] = [ggml.repack(weights, rows, n), ggml.prepare(values.subarray(0, n), n)];
      same(ggml.gemv(packed, prepared, rows, n), (await wanted()).subarray(0, rows));
    }
  },
};
