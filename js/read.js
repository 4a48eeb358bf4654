// Modules of kernels, compiled: from files where addresses are files' and the engine reads them, else by fetch.

const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0); // the empty module, and how all others begin

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

/** The module of a set for one kind of memory. A CompileError says that the engine refuses it, any other that it is not there. */
export async function compile(bundle, shared) {
  const [url, length] = shared ? [bundle.sharedUrl, bundle.sharedBytes] : [bundle.url, bundle.bytes];
  const bytes = await read(url).catch((error) => {
    throw new Error(`${url} cannot be read: ${error.message}`, { cause: error });
  });
  // Servers send pages of their own in place of what they have not, and proxies a part of it.
  if (bytes.length !== length || EMPTY.some((byte, i) => bytes[i] !== byte)) {
    throw new Error(`${url} must be the kernels' module of ${length} bytes, and is something else of ${bytes.length}.`);
  }
  return WebAssembly.compile(bytes);
}

async function read(url) {
  const files = url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files) return files.readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
