// The typed calls: what load() resolves to. index.d.ts tells what each takes, gives and throws.

import { requireBytes, requireCount, requireElements, requireFloats, requireLength, wholes } from "./checks.js";
import { layout } from "./kernels.js";
import { Matrix } from "./matrix.js";

const CHUNK_BYTES = 2 ** 20; // of weights that are interleaved at a time
const SMALL_BLOCKS = 2 ** 15; // a product of fewer takes 0.03 ms, and is done by the time that workers are awake

const { elements, q4Bytes, q8Bytes, groupRows, groupBytes } = layout;
const ROW = `which is rows * n / ${elements} * ${q4Bytes}`;

export class Ggml {
  #arena;
  #kernels;
  #bundle;
  #pool;
  #queue = Promise.resolve();
  #threadsReason;

  constructor({ arena, kernels, bundle, pool, rejected, threadsReason }) {
    this.#arena = arena;
    this.#kernels = kernels;
    this.#bundle = bundle;
    this.#pool = pool;
    this.isa = bundle.isa;
    this.bundle = bundle.name;
    this.rejected = rejected;
    this.#threadsReason = threadsReason;
    this.memory = arena.memory;
  }

  get threads() {
    return this.#pool?.threads ?? 1;
  }

  get threadsReason() {
    return this.#threadsReason ?? this.#pool?.reason;
  }

  vecDot(x, y) {
    requireBytes(x, "x");
    requireBytes(y, "y");
    const n = wholes(x, "x", q4Bytes, "whole blocks of Q4_0") * elements;
    requireCount(n, "the number of elements of x");
    requireLength(y, "y", (n / elements) * q8Bytes, "as many blocks of Q8_0 as x has of Q4_0");
    return this.#call([x, y], 4, (s, vx, vy) => {
      this.#kernels.ggml_vec_dot_q4_0_q8_0(n, s, 0, vx, 0, vy, 0, 1);
      return this.#arena.floats(s, 1)[0];
    });
  }

  quantizeRow(values) {
    requireFloats(values, "values");
    const blocks = wholes(values, "values", elements, "whole blocks");
    return this.#call([values], blocks * q8Bytes, (s, x) => {
      this.#kernels.quantize_row_q8_0(x, s, BigInt(values.length));
      return this.#arena.bytes(s, blocks * q8Bytes).slice();
    });
  }

  repack(weights, rows, n) {
    const matrix = this.matrix(weights, rows, n);
    try {
      return this.#arena.bytes(Matrix.hold(matrix, this.#arena), matrix.bytes).slice();
    } finally {
      Matrix.drop(matrix);
      matrix.free();
    }
  }

  prepare(values, n) {
    requireFloats(values, "values");
    requireElements(n);
    const columns = wholes(values, "values", n, "whole columns of n");
    const bytes = this.#preparedBytes(n, columns);
    return this.#call([values], bytes, (s, vx) => {
      this.#kernels.pack_activations_q8_0(n, s, vx, 4 * n, columns);
      return this.#arena.bytes(s, bytes).slice();
    });
  }

  gemv(interleaved, prepared, rows, n) {
    return this.#product("gemv_q4_0_q8_0", interleaved, prepared, rows, n, 1);
  }

  gemm(interleaved, prepared, rows, n, columns) {
    return this.#product("gemm_q4_0_q8_0", interleaved, prepared, rows, n, columns);
  }

  matrix(weights, rows, n) {
    requireBytes(weights, "weights");
    requireCount(rows, "rows");
    requireElements(n);
    const rowBytes = (n / elements) * q4Bytes;
    requireLength(weights, "weights", rows * rowBytes, ROW);
    const bytes = interleavedBytes(rows, n);
    const source = this.#arena.follow(weights);
    const at = this.#arena.allocate(bytes);
    try {
      this.#interleave(source, at, rows, n, rowBytes);
    } catch (error) {
      this.#arena.release(at);
      throw error;
    }
    return new Matrix(this.#arena, at, rows, n, bytes);
  }

  mulMatSync(matrix, values, into) {
    const job = this.#begin(matrix, values, into);
    try {
      this.#multiply(job);
      return this.#results(job);
    } finally {
      this.#end(job);
    }
  }

  async mulMat(matrix, values, into) {
    const job = this.#begin(matrix, values, into);
    const done = this.#queue.then(() => this.#share(job));
    this.#queue = done.catch(() => {});
    let lost = false;
    try {
      await done;
      return this.#results(job);
    } catch (error) {
      lost = job.threads > this.threads;
      throw error;
    } finally {
      if (!lost) this.#end(job); // a worker that is being ended may still write to it
    }
  }

  async close() {
    const done = this.#queue.then(() => this.#pool?.close());
    this.#queue = done.catch(() => {});
    await done;
  }

  // Copies operands in, calls `use` with the address of so many bytes for results and those of operands.
  #call(operands, resultBytes, use) {
    const sources = operands.map((operand) => this.#arena.follow(operand));
    const sizes = operands.map(({ byteLength }) => byteLength);
    return this.#arena.borrow([resultBytes, ...sizes], (results, ...at) => {
      sources.forEach((source, i) => this.#arena.bytes(at[i], sizes[i]).set(source()));
      return use(results, ...at);
    });
  }

  #preparedBytes(n, columns) {
    return (n / elements) * columns * this.#bundle.record.bytes;
  }

  #product(name, interleaved, prepared, rows, n, columns) {
    requireBytes(interleaved, "interleaved");
    requireBytes(prepared, "prepared");
    requireCount(rows, "rows");
    requireElements(n);
    requireCount(columns, "columns");
    requireLength(interleaved, "interleaved", interleavedBytes(rows, n), "what repack() makes of rows and n");
    requireLength(prepared, "prepared", this.#preparedBytes(n, columns), "what prepare() makes of these columns");
    return this.#call([interleaved, prepared], 4 * rows * columns, (s, vx, vy) => {
      this.#kernels[name](n, s, rows, vx, vy, columns, rows);
      return this.#arena.floats(s, rows * columns).slice();
    });
  }

  #interleave(source, at, rows, n, rowBytes) {
    const step = Math.max(1, Math.floor(CHUNK_BYTES / rowBytes / groupRows)) * groupRows;
    this.#arena.borrow([Math.min(step, rows) * rowBytes], (from) => {
      for (let row = 0; row < rows; row += step) {
        const count = Math.min(step, rows - row);
        const chunk = source().subarray(row * rowBytes, (row + count) * rowBytes);
        this.#arena.bytes(from, chunk.length).set(chunk);
        this.#kernels.repack_q4_0(n, at + interleavedBytes(row, n), from, rowBytes, count);
      }
    });
  }

  // Checks a product and copies its activations in: callers may change theirs at once.
  #begin(matrix, values, into) {
    const weights = Matrix.hold(matrix, this.#arena);
    const taken = [];
    try {
      const { rows, n } = matrix;
      requireFloats(values, "values");
      const columns = wholes(values, "values", n, "whole columns of n");
      if (into !== undefined) {
        requireFloats(into, "into");
        requireLength(into, "into", rows * columns, "which is rows * columns");
      }
      const { panel, bytes } = this.#bundle.work;
      const workBytes = Math.ceil(((n / elements) * Math.min(columns, panel) * bytes) / 64) * 64;
      const { threads } = this;
      const { byteLength } = values; // before memory grows, which empties a view of it
      const [source, target] = [values, into].map((array) => array && this.#arena.follow(array));
      for (const size of [byteLength, 4 * rows * columns, workBytes * threads]) {
        taken.push(this.#arena.allocate(size));
      }
      const [at, s, work] = taken;
      this.#arena.bytes(at, byteLength).set(source());
      const rowBytes = ((n / elements) * groupBytes) / groupRows;
      const job = { n, s, weights, values: at, columns, rows, rowBytes, work, workBytes };
      return { ...job, matrix, taken, target, into, threads };
    } catch (error) {
      this.#end({ matrix, taken });
      throw error;
    }
  }

  #end({ matrix, taken }) {
    for (const at of taken) this.#arena.release(at);
    Matrix.drop(matrix);
  }

  async #share(job) {
    const blocks = (job.n / elements) * job.rows * job.columns;
    if (this.threads === 1 || this.threads !== job.threads || blocks < SMALL_BLOCKS) this.#multiply(job);
    else await this.#pool.run(job);
  }

  #multiply({ n, s, rows, weights, values, columns, work }) {
    this.#kernels.mul_mat_q4_0(n, s, rows, weights, values, 4 * n, columns, rows, work);
  }

  #results({ s, rows, columns, target, into }) {
    if (!target) return this.#arena.floats(s, rows * columns).slice();
    target().set(this.#arena.bytes(s, 4 * rows * columns));
    return into;
  }
}

function interleavedBytes(rows, n) {
  return (Math.ceil(rows / groupRows) * groupBytes * n) / elements;
}
