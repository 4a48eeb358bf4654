// Shows how the kernels are timed, and what came of it.

import { Bars } from "./bars.js";
import { $, advance } from "./dom.js";
import { inWorker } from "./tasks.js";

const NOISY = 1.3; // times the lower quartile, where the upper one is

/** Times the kernels of bars, but those that are known to be wrong; figures, also drawn as they come in. */
export async function bench(wanted, wrongNames, rounds) {
  const [summary, progress] = [$("bench-summary"), $("bench-progress")];
  const rows = wanted.map((bar) => {
    const wrong = wrongNames.includes(bar.kernel) ? "it computes wrongly here" : null;
    return { ...bar, samples: [], ns: null, times: null, wrong };
  });
  const bars = new Bars($("bars"), rows);
  const names = rows.filter(({ wrong }) => !wrong).map(({ kernel }) => kernel);
  summary.textContent = "Warming up, until the browser has optimised the code …";
  advance(progress, 0);
  const worker = new Worker(new URL("./bench-worker.js", import.meta.url), { type: "module" });
  try {
    await inWorker(worker, { names, rounds }, ({ name, ns, wrong, round, step, steps }) => {
      advance(progress, step, steps);
      if (!name) return;
      const text = `Round ${round + 1} of ${rounds} …`;
      if (summary.textContent !== text) summary.textContent = text;
      record(
        rows.find(({ kernel }) => kernel === name),
        ns,
        wrong,
      );
      compare(rows);
      bars.draw();
    });
    summary.textContent = told(rows);
    return { rounds, rows };
  } finally {
    advance(progress, null);
  }
}

function record(row, ns, wrong) {
  // The rest of the sentence is for those who have the project.
  if (wrong) Object.assign(row, { wrong: wrong.split("; run")[0], samples: [], ns: null });
  else row.samples.push(ns);
  if (!row.wrong) row.ns = quantile(row.samples, 0.25);
}

function compare(rows) {
  const base = rows[0].ns;
  for (const row of rows) row.times = base && row.ns ? base / row.ns : null;
}

// A browser has the wall's clock alone: what other programs take of a core only adds to it, and most often to some
// rounds more than to others. So of the samples the lower quartile stands, where node, which has the thread's own clock,
// takes the median.
function quantile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

function told(rows) {
  const fastest = rows.filter(({ times }) => times).sort((a, b) => b.times - a.times)[0];
  const wrong = rows.filter((row) => row.wrong).length;
  if (wrong) return "What computes wrongly here has no speed; the others stand below.";
  if (!fastest) return "Nothing could be measured.";
  const dots = rows.filter(({ id }) => id === "relaxed" || id === "simd128").at(-1);
  if (!dots?.times) return "Without SIMD no code here is much faster than scalar code.";
  const noisy = rows.some(({ ns, samples }) => ns && quantile(samples, 0.75) > NOISY * ns);
  const noise = noisy ? " But other programs were busy meanwhile, so measure again when they are not." : "";
  const [alone, matrix] = [dots, fastest].map(({ times }) => times.toFixed(1));
  return `A single product is ${alone} times as fast as scalar code, in whole matrices up to ${matrix} times.${noise}`;
}
