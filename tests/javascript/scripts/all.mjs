import { calls } from "./calls.mjs";
import { load } from "./dist/index.js";
import { errors } from "./errors.mjs";
import { run } from "./harness.mjs";
import { memory } from "./memory.mjs";
import { threads } from "./threads.mjs";

const SUITES = { calls, memory, errors, threads };

export async function report(names = Object.keys(SUITES)) {
  const { isa, rejected } = await load();
  return { isa, rejected, ...(await run(...names.map((name) => SUITES[name]))) };
}
