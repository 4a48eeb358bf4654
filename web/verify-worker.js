// Runs the conformance vectors, by the runner that every other engine of the project runs.

import { runJob } from "../codegen/engines/runner.mjs";
import { answer, data } from "./tasks.js";

answer(async ({ names }, tell) => {
  const kernels = (await (await data("verify.json")).json()).filter(({ name }) => names.includes(name));
  const interfaces = [...new Set(kernels.map((kernel) => kernel.interface))];
  const files = interfaces.map(async (one) => [one, await (await data(`vectors/${one}.json`)).json()]);
  const vectors = Object.fromEntries(await Promise.all(files));
  const left = hasLargeMemory() ? 0 : dropHigh(kernels, vectors);
  tell({ total: kernels.length });
  const job = { kernels, vectors, opcodes: { cases: [] } };
  await runJob(job, ({ results, ...report }) => tell({ report }));
  return { left };
});

// Whether the device gives 4 GiB of addresses, which some cases lie at the end of. Small ones do not.
function hasLargeMemory() {
  try {
    return new WebAssembly.Memory({ initial: 65536 }).buffer.byteLength > 0;
  } catch {
    return false;
  }
}

function dropHigh(kernels, vectors) {
  const before = casesOf(kernels, vectors);
  for (const one of Object.values(vectors)) one.cases = one.cases.filter(({ place }) => place !== "high");
  return before - casesOf(kernels, vectors);
}

const casesOf = (kernels, vectors) => kernels.reduce((sum, kernel) => sum + vectors[kernel.interface].cases.length, 0);
