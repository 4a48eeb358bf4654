// WebAssembly modules, which are text in this package, so that bundles need no other file.

import { memoryImport } from "./kernels.js";

const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0); // the empty module

/** Throws where this place has no WebAssembly at all, and says why if it is the page's own policy. */
export async function requireWebAssembly() {
  if (typeof WebAssembly !== "object") throw new Error("This JavaScript engine has no WebAssembly.");
  try {
    await WebAssembly.compile(EMPTY);
  } catch (error) {
    if (!/content.security|csp|unsafe-eval/i.test(error.message)) throw error;
    throw new Error(
      "This page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src.",
      { cause: error },
    );
  }
}

/** The bytes that base64 texts stand for, one after the other. */
export function decode(...texts) {
  return Uint8Array.from(texts.map((text) => atob(text)).join(""), (character) => character.charCodeAt(0));
}

export const isShared = (memory) => memory.buffer[Symbol.toStringTag] === "SharedArrayBuffer";

/**
 * The bytes of a module for one kind of memory. Modules for shared and for unshared memory differ only
 * in the section that imports it, so the package has the text before and after that section.
 */
const bytesOf = ([before, after], shared) =>
  decode(before, shared ? memoryImport.shared : memoryImport.unshared, after);

/** Whether the engine takes a module, as far as validation tells. */
export const validates = (wasm) => WebAssembly.validate(bytesOf(wasm, false));

/** A module for this memory, compiled. A CompileError says that the engine refuses it. */
export const compile = (wasm, memory) => WebAssembly.compile(bytesOf(wasm, isShared(memory)));

/** What an instance of a module on a memory exports. */
export async function instantiate(module, memory) {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  return exports;
}
