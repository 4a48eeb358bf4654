// The kernels to use: of the fastest instruction set whose known answers come out right here, the faster set.

import { kernelProbe, opcodeProbe, validates } from "./known.js";
import { bundles, layout } from "./kernels.js";
import { compile } from "./modules.js";

export const ISAS = [...new Set(bundles.map(({ isa }) => isa))]; // the fastest first

// An engine compiles what is called often once more, in the background: known answers must be right before and after.
const ROUNDS = 3;
const CALLS = 384; // of each known answer in a round
const MOST_MS = 1; // that they may take, on a slow machine
const PAUSE_MS = 3;

// Tokens come one by one, prompts many at a time: as much work of either.
const TIMED = { rows: 64, n: 512, columns: [1, 1, 1, 1, 1, 1, 1, 1, 8] };
const TIMED_MS = 0.4; // at a time
const TIMED_ROUNDS = 5;
const MOST_CALLS = 1000;
const MOST_LOOKS = 1_000_000;
const CLEARLY = 1.05; // times as fast: what is below that may be noise, and then the first set it is

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/**
 * Chooses among these instruction sets; `rejected` says why a faster one is not taken. Throws if none
 * is right. Kernels are tested in this memory, and wrong ones may write anywhere in it.
 */
export async function pick(isas, memory) {
  const rejected = [];
  for (const isa of isas) {
    if (!validates(isa)) {
      rejected.push({ isa, reason: "the engine does not have it" });
      continue;
    }
    const of = bundles.filter((one) => one.isa === isa);
    const [opcode, ...candidates] = await Promise.all([
      opcodeFault(isa, memory),
      ...of.map((one) => tried(one, memory)),
    ]);
    if (opcode) {
      rejected.push({ isa, reason: opcode });
      continue;
    }
    for (const { bundle, fault } of candidates) if (fault) rejected.push({ isa, reason: `${bundle.name}: ${fault}` });
    const right = candidates.filter(({ fault }) => !fault);
    if (right.length) return { ...fastest(right), rejected };
  }
  const reasons = rejected.map(({ isa, reason }) => `${isa}: ${reason}`).join("; ");
  throw new Error(`No kernels compute right in this engine (${reasons}).`);
}

async function opcodeFault(isa, memory) {
  const probe = await opcodeProbe(isa, memory);
  return checked(probe.fault, probe.heat);
}

async function tried(bundle, memory) {
  let module;
  try {
    module = await compile(bundle.wasm, memory);
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    return { bundle, fault: `refused (${error.message})` };
  }
  const probe = await kernelProbe(module, bundle, memory, places(bundle).at(-1));
  const describe = () => {
    const wrong = probe.fault();
    return wrong && `${wrong.name}, case ${wrong.case}`;
  };
  return { bundle, module, probe, fault: await checked(describe, () => heat(probe)) };
}

// What is wrong before or after so much work that the engine has optimised the code, if anything is.
async function checked(fault, work) {
  let wrong = fault();
  if (wrong) return `wrong at first: ${wrong}`;
  for (let round = 0; round < ROUNDS; round++) {
    try {
      work();
    } catch (error) {
      return `trapped while it was optimised: ${error.message}`;
    }
    await pause();
  }
  wrong = fault();
  return wrong && `wrong once optimised: ${wrong}`;
}

function heat({ cases, call }) {
  for (const one of cases) {
    const end = performance.now() + MOST_MS; // if the clock ticks
    for (let i = 0; i < CALLS && (i % 16 || performance.now() < end); i++) call(one);
  }
}

// The one that multiplies a small matrix fastest: both are right, and which is faster depends on engine and CPU.
function fastest(candidates) {
  if (candidates.length === 1) return candidates[0];
  const works = candidates.map(timedWork);
  const best = works.map(() => 0);
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    works.forEach((work, i) => {
      const now = speed(work);
      best[i] = now && Math.max(best[i], now); // one that traps by now has none
    });
  }
  const most = Math.max(...best);
  return candidates[best[0] * CLEARLY > most ? 0 : best.indexOf(most)];
}

// A product of zeros, which takes as long as any other.
function timedWork({ bundle, probe }) {
  const { rows, n, columns } = TIMED;
  const { exports, memory } = probe;
  new Uint8Array(memory.buffer).fill(0);
  const [weights, values, results, work] = places(bundle);
  return () => {
    for (const count of columns) exports.mul_mat_q4_0(n, results, rows, weights, values, 4 * n, count, rows, work);
  };
}

// Where weights, values, results and work memory of the timed product start, and where the last one ends.
function places(bundle) {
  const { rows, n, columns } = TIMED;
  const [most, blocks] = [Math.max(...columns), n / layout.elements];
  const sizes = [rows * blocks * layout.q4Bytes, 4 * n * most, 4 * rows * most, blocks * most * bundle.work.bytes];
  return sizes.reduce((ends, size) => [...ends, ends.at(-1) + size], [0]);
}

// Calls per millisecond. Clocks may be coarse: from one tick to another. Some never tick, as those that tests put in place.
function speed(work) {
  const start = tick();
  for (let calls = 1; calls <= MOST_CALLS; calls++) {
    try {
      work();
    } catch {
      return 0; // it traps now
    }
    const spent = performance.now() - start;
    if (spent >= TIMED_MS) return calls / spent;
  }
  return 0;
}

function tick() {
  const before = performance.now();
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const now = performance.now();
    if (now !== before) return now;
  }
  return before;
}
