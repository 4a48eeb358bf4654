// Times modules: `bench.mjs JOB.json` in node, deno and bun loads them, warms them up, and then times the module that
// each line of standard input numbers. javascript_host.py is the other end, and tells what a job holds.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { engineVersion, fromBase64, has } from "./runner.mjs";
import { load, sample, warm } from "./timing.mjs";

const CLOCK_STEPS = 10;
const COARSE = 1000; // microseconds

async function main(job) {
  job.data = job.data.map(fromBase64);
  job.now = finestClock();
  const modules = [];
  for (const entry of job.entries) {
    if (has(entry.isa) && has(entry.memory)) modules.push(await load(entry, job));
  }
  for (const module of modules) await warm(module);
  say({ engine: engineVersion(), loaded: modules.map((module) => module.name) });
  for await (const line of createInterface({ input: process.stdin })) say(sample(modules[Number(line)]));
}

// Microseconds of this thread's CPU time, which stands still while other programs have the core; of the wall's where the
// engine tells CPU time in large steps.
function finestClock() {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  let smallest = Infinity; // of several steps: one may have another program's time slice in it
  for (let steps = 0, last = cpu(); steps < CLOCK_STEPS; ) {
    const time = cpu();
    if (time === last) continue;
    smallest = Math.min(smallest, time - last);
    last = time;
    steps++;
  }
  return smallest < COARSE ? cpu : () => performance.now() * 1e3;
}

const say = (message) => console.log(JSON.stringify(message));

await main(JSON.parse(await readFile(process.argv[2], "utf8")));
