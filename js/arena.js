// Room in a memory that others may use too: only pages that were grown here are ever written to.

const PAGE = 65536;
const MOST_BYTES = 2 ** 32;
const ALIGN = 64; // a cache line: what two threads write never shares one
const STEP = 16 * PAGE; // grown at least: growing is slow, and makes callers' views of an unshared memory useless

const roundUp = (size, unit) => Math.ceil(size / unit) * unit;

export class Arena {
  #free = []; // { at, size } by address; no two touch
  #taken = new Map(); // size by address

  constructor(memory) {
    this.memory = memory;
  }

  /** The address of so many bytes, for the caller until released. */
  allocate(bytes) {
    const size = Math.max(ALIGN, roundUp(bytes, ALIGN));
    for (;;) {
      const index = this.#free.findIndex((block) => block.size >= size);
      if (index >= 0) return this.#take(index, size);
      this.#grow(size);
    }
  }

  release(at) {
    const size = this.#taken.get(at);
    this.#taken.delete(at);
    this.#put(at, size);
  }

  /** Calls `use` with the addresses of buffers of these sizes, and takes them back afterwards, whatever happens. */
  borrow(sizes, use) {
    const taken = [];
    try {
      for (const size of sizes) taken.push(this.allocate(size));
      return use(...taken);
    } finally {
      for (const at of taken) this.release(at);
    }
  }

  /** A view to use at once: the next growth of an unshared memory takes it away. */
  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  floats(at, length) {
    return new Float32Array(this.memory.buffer, at, length);
  }

  /** Gives the bytes of a caller's array whenever asked, also after growth where the array is one of this memory. */
  follow(array) {
    const { buffer, byteOffset, byteLength } = array;
    if (buffer !== this.memory.buffer) return () => new Uint8Array(buffer, byteOffset, byteLength);
    return () => this.bytes(byteOffset, byteLength);
  }

  #take(index, size) {
    const block = this.#free[index];
    const { at } = block;
    block.at += size;
    block.size -= size;
    if (block.size === 0) this.#free.splice(index, 1);
    this.#taken.set(at, size);
    return at;
  }

  #put(at, size) {
    let index = this.#free.findIndex((block) => block.at > at);
    if (index < 0) index = this.#free.length;
    this.#free.splice(index, 0, { at, size });
    this.#join(index);
    this.#join(index - 1);
  }

  #join(index) {
    const [block, next] = this.#free.slice(Math.max(index, 0), index + 2);
    if (!next || block.at + block.size !== next.at) return;
    block.size += next.size;
    this.#free.splice(index + 1, 1);
  }

  // Grows by what is missing from the last free block, which is right but where others grow in the meantime: then the
  // caller comes back for all of it.
  #grow(size) {
    const end = this.memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const missing = size - (last && last.at + last.size === end ? last.size : 0);
    const room = MOST_BYTES - end;
    const pages = Math.min(Math.max(roundUp(missing, PAGE), STEP), Math.max(room, roundUp(missing, PAGE))) / PAGE;
    this.#growPages(pages, missing);
  }

  #growPages(pages, missing) {
    const least = roundUp(missing, PAGE) / PAGE;
    for (const count of new Set([pages, least])) {
      try {
        this.#put(this.memory.grow(count) * PAGE, count * PAGE);
        return;
      } catch {
        // too much: a memory may have a maximum
      }
    }
    throw new RangeError(`memory must have room for ${missing} bytes more, and cannot grow by that.`);
  }
}
