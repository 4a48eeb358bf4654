import { calls } from "./calls.mjs";
import { load } from "./dist/index.js";
import { errors } from "./errors.mjs";
import { run } from "./harness.mjs";
import { memory } from "./memory.mjs";
import { threads } from "./threads.mjs";

export async function report() {
  const { isa, rejected } = await load();
  return { isa, rejected, ...(await run(calls, memory, errors, threads)) };
}
