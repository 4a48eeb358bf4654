// What callers do wrong: each is told in a sentence, and nothing else happens.

import { load } from "./dist/index.js";
import { equal, random, throws } from "./harness.mjs";

const made = random(3);
const weights = made.weights(4, 64);
const ggml = await load();
const matrix = ggml.matrix(weights, 4, 64);
const other = await load();
const freed = ggml.matrix(weights, 4, 64);
freed.free();
const [bytes, floats] = [(length) => new Uint8Array(length), (length) => new Float32Array(length)];

const WRONG = [
  ["x must be a Uint8Array", TypeError, () => ggml.vecDot([1], bytes(34))],
  ["y must be a Uint8Array", TypeError, () => ggml.vecDot(bytes(18), new Int8Array(34))],
  [
    "x must be whole blocks of Q4_0, so its length a multiple of 18, and has 17",
    RangeError,
    () => ggml.vecDot(bytes(17), bytes(34)),
  ],
  ["y must have a length of 34, as many blocks", RangeError, () => ggml.vecDot(bytes(18), bytes(68))],
  ["values must be a Float32Array", TypeError, () => ggml.quantizeRow(new Float64Array(32))],
  ["values must be whole blocks", RangeError, () => ggml.quantizeRow(floats(31))],
  ["weights must be a Uint8Array", TypeError, () => ggml.repack(undefined, 4, 64)],
  ["rows must be a number", TypeError, () => ggml.repack(weights, "4", 64)],
  ["rows must be a whole number from 0 to 2147483647, and is -1", RangeError, () => ggml.repack(weights, -1, 64)],
  ["rows must be a whole number from 0 to 2147483647, and is 1.5", RangeError, () => ggml.matrix(weights, 1.5, 64)],
  ["n must be a number", TypeError, () => ggml.matrix(weights, 4)],
  ["n must be a multiple of 32 above 0, and is 48", RangeError, () => ggml.matrix(weights, 4, 48)],
  ["n must be a multiple of 32 above 0, and is 0", RangeError, () => ggml.matrix(bytes(0), 4, 0)],
  [
    "n must be a whole number from 0 to 2147483647, and is 4294967328",
    RangeError,
    () => ggml.matrix(weights, 4, 2 ** 32 + 32),
  ],
  ["weights must have a length of 144, which is rows", RangeError, () => ggml.matrix(weights.subarray(1), 4, 64)],
  [
    "values must be whole columns of n, so its length a multiple of 64, and has 32",
    RangeError,
    () => ggml.prepare(floats(32), 64),
  ],
  ["interleaved must have a length of 144", RangeError, () => ggml.gemv(bytes(18), bytes(1), 4, 64)],
  ["prepared must have a length of", RangeError, () => ggml.gemv(bytes(144), bytes(1), 4, 64)],
  ["prepared must be a Uint8Array", TypeError, () => ggml.gemm(bytes(144), null, 4, 64, 1)],
  ["columns must be a number", TypeError, () => ggml.gemm(bytes(144), bytes(1), 4, 64)],
  ["matrix must be a Matrix", TypeError, () => ggml.mulMatSync({ rows: 4, n: 64 }, floats(64))],
  ["matrix must be a Matrix", TypeError, () => ggml.mulMat(null, floats(64))],
  ["matrix must be in this ggml's memory", TypeError, () => other.mulMatSync(matrix, floats(64))],
  ["matrix must not have been freed", RangeError, () => ggml.mulMat(freed, floats(64))],
  ["values must be a Float32Array", TypeError, () => ggml.mulMat(matrix, weights)],
  [
    "values must be whole columns of n, so its length a multiple of 64, and has 65",
    RangeError,
    () => ggml.mulMat(matrix, floats(65)),
  ],
  ["into must be a Float32Array", TypeError, () => ggml.mulMat(matrix, floats(64), bytes(4))],
  ["into must have a length of 8, which is rows", RangeError, () => ggml.mulMatSync(matrix, floats(128), floats(4))],
  ["memory must be a WebAssembly.Memory", TypeError, () => load({ memory: new ArrayBuffer(8) })],
  ["options must be an object, or left out", TypeError, () => load(2)],
  ["options must be an object, or left out", TypeError, () => load(null)],
  ["options must be some of memory, isa, threads, workerUrl, and one is thread", TypeError, () => load({ thread: 2 })],
  ["isa must be one of relaxed, simd128, scalar", RangeError, () => load({ isa: "avx2" })],
  ["workerUrl must be a string", TypeError, () => load({ threads: 2, workerUrl: 2 })],
  ['threads must be a number, or "auto"', TypeError, () => load({ threads: "2" })],
  ["threads must be a whole number from 1 to 64, and is 0", RangeError, () => load({ threads: 0 })],
];

export const errors = {
  "what has no rows, columns or elements": async () => {
    equal(ggml.vecDot(bytes(0), bytes(0)), 0);
    equal(ggml.quantizeRow(floats(0)).length, 0);
    equal(ggml.prepare(floats(0), 32).length, 0);
    equal(ggml.mulMatSync(matrix, floats(0)).length, 0);
    equal(ggml.mulMatSync(ggml.matrix(bytes(0), 0, 32), floats(32)).length, 0);
    equal((await ggml.mulMat(matrix, floats(0), floats(0))).length, 0);
  },
  "a memory with 64-bit addresses": async () => {
    let memory;
    try {
      memory = new WebAssembly.Memory({ address: "i64", initial: 1n });
    } catch {
      return; // none here
    }
    if (typeof memory.grow(0n) === "bigint") await throws(() => load({ memory }), TypeError, /32-bit addresses/);
  },
};
WRONG.forEach(([message, kind, call], i) => {
  const pattern = new RegExp(`^${message.replace(/[.*+()]/g, "\\$&")}.*\\.$`);
  errors[`wrong call ${i}: ${message}`] = () => throws(async () => call(), kind, pattern);
});
