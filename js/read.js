// Modules of kernels, compiled: from files where addresses are files' and the engine reads them, else by fetch.

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

/** The module at a URL. A CompileError says that the engine refuses it, any other error that it cannot be had. */
export async function compile(url) {
  const files = url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files) return WebAssembly.compile(await files.readFile(url));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} must be the kernels' module, and the server says ${response.status}.`);
  const type = response.headers.get("Content-Type")?.split(";")[0].trim();
  if (type === "application/wasm" && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
