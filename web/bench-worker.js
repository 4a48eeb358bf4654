// Times modules by turns, as `codegen bench` does in node: the same modules, operands, checks and loop around them.

import { load, sample, warm } from "../codegen/engines/timing.mjs";
import { answer, data } from "./tasks.js";

const now = () => performance.now() * 1e3;

answer(async ({ names, rounds }, tell) => {
  const job = { ...(await (await data("bench.json")).json()), now };
  const entries = names.map((name) => job.entries.find((entry) => entry.name === name));
  const needed = [...new Set(entries.flatMap(places))];
  const bytes = async (place) => [place, new Uint8Array(await (await data(`bench/${place}.bin`)).arrayBuffer())];
  job.data = Object.fromEntries(await Promise.all(needed.map(bytes)));
  const steps = names.length * (1 + rounds);
  let done = 0;
  const modules = [];
  for (const entry of entries) {
    modules.push(await load(entry, job));
    await warm(modules.at(-1));
    tell({ step: ++done, steps });
  }
  for (let round = 0; round < rounds; round++) {
    for (const module of shuffled(modules)) {
      const { ns, wrong } = sample(module);
      tell({ name: module.name, ns, wrong, round, step: ++done, steps });
    }
  }
});

// Where the bytes that an entry needs are in the job's data.
function places({ wasm, buffers, output }) {
  const patterns = buffers.map(({ pattern }) => pattern).filter((place) => place !== null);
  return [wasm, ...patterns, ...(output?.expected ?? [])];
}

// What slows one moment down should not always slow down the same module.
function shuffled(modules) {
  const order = modules.map((module) => [Math.random(), module]);
  return order.sort(([a], [b]) => a - b).map(([, module]) => module);
}
