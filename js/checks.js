// What callers may pass: a TypeError where the kind is wrong, a RangeError where a size is, each a sentence.

import { layout } from "./kernels.js";

const MOST_COUNT = 2 ** 31 - 1; // kernels take sizes as i32

// By tag, not by instanceof: an array of another realm, as test runners and frames have, is as good.
function require(value, name, tag) {
  if (value?.[Symbol.toStringTag] !== tag) throw new TypeError(`${name} must be a ${tag}.`);
}

export const requireBytes = (value, name) => require(value, name, "Uint8Array");
export const requireFloats = (value, name) => require(value, name, "Float32Array");

export function requireCount(value, name) {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number.`);
  if (Number.isInteger(value) && value >= 0 && value <= MOST_COUNT) return;
  throw new RangeError(`${name} must be a whole number from 0 to ${MOST_COUNT}, and is ${value}.`);
}

export function requireElements(n) {
  requireCount(n, "n");
  if (n > 0 && n % layout.elements === 0) return;
  throw new RangeError(`n must be a multiple of ${layout.elements} above 0, and is ${n}.`);
}

export function requireLength(view, name, length, why) {
  if (view.length === length) return;
  throw new RangeError(`${name} must have a length of ${length}, ${why}, and has ${view.length}.`);
}

/** How many whole things of `size` there are in a view. */
export function wholes(view, name, size, what) {
  if (view.length % size === 0) return view.length / size;
  throw new RangeError(`${name} must be ${what}, so its length a multiple of ${size}, and has ${view.length}.`);
}
