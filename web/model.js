// Shows a visitor's model: what is in it, and how fast its matrices are multiplied.

import { $, advance, count, el, plural, size } from "./dom.js";
import { isCounted } from "./products.js";
import { data, inWorker } from "./tasks.js";

const worker = () => new Worker(new URL("./model-worker.js", import.meta.url), { type: "module" });

/** Lists a file's tensors; what `multiplyModel` takes, or null where there is nothing to multiply. */
export async function openModel(file) {
  for (const id of ["model-results", "tensors"]) $(id).replaceChildren();
  $("tensors").hidden = $("run-model").hidden = true;
  $("model-caveat").textContent = "";
  $("model-summary").textContent = `Reading ${file.name} …`;
  const { types } = await (await data("kernels.json")).json();
  const { name, tensors } = await inWorker(worker(), { file, types }, () => {});
  const matrices = tensors.filter(({ type }) => type === "Q4_0");
  const known = name ? `${file.name} (${name})` : file.name;
  const some = matrices.length
    ? `${plural(matrices.length, "is", "are")} Q4_0 with ${size(sum(matrices))}.`
    : `none of them Q4_0 (${kinds(tensors)}), so there is nothing to multiply here.`;
  $("model-summary").textContent = `${known}: ${plural(tensors.length, "tensor")}, ${size(sum(tensors))}; ${some}`;
  $("tensors").replaceChildren(table(tensors));
  $("tensors").hidden = false;
  $("run-model").hidden = !matrices.length;
  return matrices.length ? { file, tensors } : null;
}

/** Multiplies the matrices of an opened model; what came of it, also shown. */
export async function multiplyModel({ file, tensors }) {
  const progress = $("model-progress");
  advance(progress, 0);
  try {
    const found = await inWorker(worker(), { file, tensors }, ({ bundle, done, total }) => {
      if (bundle) $("model-caveat").textContent = `Kernels chosen: ${bundle}. Multiplying and checking …`;
      else advance(progress, done, total);
    });
    const result = { file: file.name, tensors: tensors.length, ...found };
    result.ms = Math.min(found.msOneThread, found.msAllThreads);
    result.tokensPerSecond = result.ms && !found.wrong.length ? 1000 / result.ms : null;
    show(result, tensors);
    return result;
  } finally {
    advance(progress, null);
  }
}

const milliseconds = (ms) => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
const sum = (tensors) => tensors.reduce((total, { bytes }) => total + bytes, 0);

function kinds(tensors) {
  const counts = new Map();
  for (const { type } of tensors) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, many]) => `${type}: ${many}`).join(", ") || "it is empty";
}

function table(tensors) {
  const head = ["Tensor", "Type", "Shape", "Size"].map((text) => el("th", { scope: "col" }, text));
  const rows = tensors.map(({ name, type, shape, bytes }) =>
    el(
      "tr",
      type === "Q4_0" ? { class: "q4" } : {},
      el("th", { scope: "row" }, name),
      el("td", {}, type),
      el("td", {}, shape.join(" × ")),
      el("td", {}, bytes ? size(bytes) : "unknown"),
    ),
  );
  return el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

function show(result, tensors) {
  const { matrices, rows, wrong, ms, msOneThread, msAllThreads, bytes, tokensPerSecond } = result;
  const { bundle, threads, threadsReason, rejected } = result;
  if (wrong.length) {
    const [{ name, row }] = wrong;
    const text = `${plural(wrong.length, "row")} of ${count(rows)} checked came out wrong, the first is row ${row} of ${name}.`;
    $("model-results").replaceChildren(
      el("div", { class: "alert" }, el("dt", {}, "Wrong"), el("dd", {}, el("p", { role: "alert" }, text))),
    );
    $("model-caveat").textContent = "What is wrong has no speed.";
    return;
  }
  const each =
    threads > 1 ? ` (${milliseconds(msOneThread)} on one thread, ${milliseconds(msAllThreads)} on ${threads})` : "";
  const left = rejected.map(({ isa, reason }) => `${isa} not: ${reason}`);
  const figures = [
    [
      "Tokens a second, at most",
      tokensPerSecond
        ? tokensPerSecond < 100
          ? tokensPerSecond.toFixed(1)
          : count(Math.round(tokensPerSecond))
        : "none",
    ],
    ["Matrix products of a token", tokensPerSecond ? milliseconds(ms) : "none"],
    ["Weights read", tokensPerSecond ? `${(bytes / ms / 1e6).toFixed(1)} GB/s` : "none"],
    ["Kernels", [bundle, ...left].join("; ")],
    ["Threads", threads > 1 ? `${threads}${each}` : `1${threadsReason ? `: ${threadsReason}` : ""}`],
    ["Checked", `${plural(rows, "row")} of ${plural(matrices, "matrix", "matrices")}, by plain JavaScript: all right`],
  ];
  $("model-results").replaceChildren(
    ...figures.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
  $("model-caveat").textContent = caveat(tensors);
}

function caveat(tensors) {
  const others = tensors.filter(({ type }) => type !== "Q4_0");
  const looked = tensors.filter((one) => one.type === "Q4_0" && !isCounted(one, tensors));
  const embedding = tensors.find(({ name, type }) => name === "token_embd.weight" && type === "Q4_0");
  const twice =
    embedding && !looked.includes(embedding) ? " The token embedding is counted once, as the output’s matrix." : "";
  const uncounted = looked.length
    ? ` Embeddings and stacked experts (${looked.length}) are multiplied, but not counted.`
    : "";
  return (
    "An estimate from these products alone, one column of activations: attention, its cache, norms, sampling and what " +
    `else the file has (${plural(others.length, "tensor")} of other types, ${size(sum(others))}) come on top.${twice}${uncounted}`
  );
}
