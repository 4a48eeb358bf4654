// Weights in wasm memory, as kernels read them, until they are freed and nobody multiplies by them any more.

export class Matrix {
  #arena;
  #at;
  #users = 0;
  #freed = false;

  constructor(arena, at, rows, n, bytes) {
    this.#arena = arena;
    this.#at = at;
    Object.assign(this, { rows, n, bytes });
    Object.freeze(this);
  }

  free() {
    if (this.#freed) return;
    this.#freed = true;
    this.#releaseUnused();
  }

  #releaseUnused() {
    if (this.#freed && this.#users === 0) this.#arena.release(this.#at);
  }

  /** Its address, which is its own until `drop`, also where it is freed in the meantime. */
  static hold(matrix, arena) {
    if (!(#at in Object(matrix))) throw new TypeError("matrix must be a Matrix that matrix() gave.");
    if (matrix.#arena !== arena) throw new TypeError("matrix must be in this ggml's memory, and is in another one's.");
    if (matrix.#freed) throw new RangeError("matrix must not have been freed.");
    matrix.#users++;
    return matrix.#at;
  }

  static drop(matrix) {
    matrix.#users--;
    matrix.#releaseUnused();
  }
}
