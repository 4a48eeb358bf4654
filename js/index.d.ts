/** The instruction sets that kernels are made for, the fastest first. */
export type Isa = "relaxed" | "simd128" | "scalar";

/**
 * Results: a Uint8Array and a Float32Array with an ArrayBuffer of their own. TypeScript 5.9 writes
 * `Float32Array<ArrayBuffer>` for the latter, which 5.4 does not understand.
 */
export type OwnBytes = ReturnType<Uint8Array["slice"]>;
export type OwnFloats = ReturnType<Float32Array["slice"]>;

/** `WebAssembly.Memory`, or its members if no library declares it. */
export type Memory = typeof globalThis extends { WebAssembly: { Memory: { prototype: infer Declared } } }
  ? Declared
  : { readonly buffer: ArrayBufferLike; grow(delta: number): number };

export interface LoadOptions {
  /**
   * The memory to work in, with 32-bit addresses, shared or not. Only pages that are grown here are written to.
   * Growing an unshared memory takes away all views of it: take yours again after any call. By default, an own one.
   */
  memory?: Memory;
  /** Only this instruction set; `load` rejects where it does not compute right. */
  isa?: Isa;
  /**
   * Threads that `mulMat` uses, the caller's included: a number from 1 to 64, or "auto" for one per
   * processor and 16 at most. Several threads need shared memory and workers; without them there is
   * one thread, and `threadsReason` says why. The default is 1.
   */
  threads?: number | "auto";
  /**
   * The address of this package's `worker.js`, for pages whose Content-Security-Policy forbids
   * workers from blobs. Node, deno and bun ignore it.
   */
  workerUrl?: string;
}

/** An instruction set, or a set of its kernels, that is not used, and why: the engine lacks it, or computes it wrongly. */
export interface Rejected {
  isa: Isa;
  reason: string;
}

/** Weights in wasm memory, interleaved as kernels read them. */
export interface Matrix {
  readonly rows: number;
  /** Elements of a row. */
  readonly n: number;
  /** Bytes that it takes in memory: those of the Q4_0 rows, filled up to a multiple of 4 rows. */
  readonly bytes: number;
  /** Gives its memory back, once products that are under way are done. Any number of times. */
  free(): void;
}

/**
 * Kernels in an instance. Every n is a multiple of 32 above 0; a block of Q4_0 has 18 bytes, one of Q8_0 34. All calls
 * throw a TypeError where an argument is of a wrong kind, and a RangeError where a size does not fit, a matrix has been
 * freed, or memory is used up; a call that throws changes nothing. Results are copies, and operands are copied.
 */
export interface Ggml {
  /** The instruction set that is used. */
  readonly isa: Isa;
  /** The name of the set of kernels that is used. */
  readonly bundle: string;
  /** Threads that `mulMat` uses; for small products one, since they are done by the time that others are awake. */
  readonly threads: number;
  /** Why these are fewer than asked for, if they are. */
  readonly threadsReason: string | undefined;
  readonly memory: Memory;
  /** Faster instruction sets that are not used, and sets of kernels of this one that are wrong here. */
  readonly rejected: readonly Rejected[];

  /** The dot product of n / 32 blocks of Q4_0 with as many blocks of Q8_0. */
  vecDot(x: Uint8Array, y: Uint8Array): number;

  /** Values, a multiple of 32, as blocks of Q8_0, byte for byte as GGML's reference quantises them. */
  quantizeRow(values: Float32Array): OwnBytes;

  /** Rows of n Q4_0 weights, one after the other, as `gemv` and `gemm` read them. */
  repack(weights: Uint8Array, rows: number, n: number): OwnBytes;

  /** Columns of n values, one after the other, quantised, as `gemv` and `gemm` of the same `bundle` read them. */
  prepare(values: Float32Array, n: number): OwnBytes;

  /**
   * A matrix times one prepared column: as many results as rows. `interleaved` is what `repack` made: rows as they were may
   * have the same size, and would give nonsense.
   */
  gemv(interleaved: Uint8Array, prepared: Uint8Array, rows: number, n: number): OwnFloats;

  /** A matrix times prepared columns: the results of column c are at [c * rows, (c + 1) * rows). */
  gemm(interleaved: Uint8Array, prepared: Uint8Array, rows: number, n: number, columns: number): OwnFloats;

  /** Copies rows of n Q4_0 weights into wasm memory, for any number of products, until they are freed. */
  matrix(weights: Uint8Array, rows: number, n: number): Matrix;

  /**
   * A matrix times columns of n values, one after the other, on this thread.
   *
   * @param into where results go, of rows * columns; by default a new array.
   * @returns the results: those of column c are at [c * rows, (c + 1) * rows).
   */
  mulMatSync(matrix: Matrix, values: Float32Array, into?: undefined): OwnFloats;
  mulMatSync<Into extends Float32Array>(matrix: Matrix, values: Float32Array, into: Into): Into;
  mulMatSync(matrix: Matrix, values: Float32Array, into?: Float32Array): Float32Array;

  /**
   * The same on all threads, with the same bits. Values are copied before it returns. Calls are done one after the
   * other. Rejects where a worker traps or dies, besides what other calls throw; after one that died, products take one
   * thread.
   */
  mulMat(matrix: Matrix, values: Float32Array, into?: undefined): Promise<OwnFloats>;
  mulMat<Into extends Float32Array>(matrix: Matrix, values: Float32Array, into: Into): Promise<Into>;
  mulMat(matrix: Matrix, values: Float32Array, into?: Float32Array): Promise<Float32Array>;

  /** Ends the workers once products that were asked for are done. All calls go on working, on one thread. */
  close(): Promise<void>;
}

/**
 * Kernels of the fastest instruction set that computes known answers right here, before and after the engine has
 * optimised them.
 *
 * @throws TypeError or RangeError if an option is invalid; Error if WebAssembly is forbidden or
 * missing, or no kernels compute correctly.
 */
export function load(options?: LoadOptions): Promise<Ggml>;
