"""WebAssembly as bytes and text: assembling, decoding, counting, and the types of parameters."""
