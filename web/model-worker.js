// Reads a visitor's model, or multiplies its matrices, with the project's JavaScript package.

import { load } from "./ggml/index.js";
import { read } from "./gguf.js";
import { multiply } from "./products.js";
import { answer } from "./tasks.js";

answer(async ({ files, types, tensors }, tell) => {
  if (!tensors) return read(files, types);
  const ggml = await load({ threads: "auto" });
  const { isa, bundle, threads, threadsReason, rejected } = ggml;
  tell({ bundle });
  try {
    return { isa, bundle, threads, threadsReason, rejected, ...(await multiply(files, tensors, ggml, tell)) };
  } finally {
    await ggml.close();
  }
});
