// Shows a visitor's model: what is in it, and how fast its matrices are multiplied.

import { $, advance, count, el, plural, size } from "./dom.js";
import { isCounted } from "./products.js";
import { data, inWorker } from "./tasks.js";

const worker = () => new Worker(new URL("./model-worker.js", import.meta.url), { type: "module" });

/** Lists the tensors of a model; what `multiplyModel` takes, or null if there is nothing for it. */
export async function openModel(files) {
  for (const id of ["model-results", "tensors"]) $(id).replaceChildren();
  $("tensors").hidden = $("run-model").hidden = true;
  $("model-caveat").textContent = "";
  const called = files.length === 1 ? files[0].name : plural(files.length, "file");
  $("model-summary").textContent = `Reading ${called} …`;
  const { types } = await (await data("kernels.json")).json();
  const { name, parts, tensors } = await inWorker(worker(), { files, types }, () => {});
  const matrices = tensors.filter(({ type }) => type === "Q4_0");
  const known = name ? `${called} (${name})` : called;
  const some = matrices.length
    ? `${plural(matrices.length, "is", "are")} Q4_0 with ${size(sum(matrices))}.`
    : `none of them Q4_0 (${kinds(tensors)}), so there is nothing to multiply here.`;
  const has = `${plural(tensors.length, "tensor")}, ${size(sum(tensors))}`;
  $("model-summary").textContent = [`${known}: ${has}; ${some}`, partly(parts)].filter(Boolean).join(" ");
  $("tensors").replaceChildren(table(tensors));
  $("tensors").hidden = false;
  $("run-model").hidden = !matrices.length;
  return matrices.length ? { files, parts, tensors } : null;
}

/** Multiplies the matrices of an opened model; what came of it, also shown. */
export async function multiplyModel({ files, parts, tensors }) {
  const progress = $("model-progress");
  advance(progress, 0);
  try {
    const found = await inWorker(worker(), { files, tensors }, ({ bundle, done, total }) => {
      if (bundle) $("model-caveat").textContent = `Kernels chosen: ${bundle}. Multiplying and checking …`;
      else advance(progress, done, total);
    });
    const result = { files: files.map(({ name }) => name), parts, tensors: tensors.length, ...found };
    result.ms = Math.min(found.msOneThread, found.msAllThreads);
    const whole = isComplete(parts) && found.bytes > 0 && !found.wrong.length;
    result.tokensPerSecond = whole ? 1000 / result.ms : null;
    show(result, tensors);
    return result;
  } finally {
    advance(progress, null);
  }
}

const isComplete = ({ numbers, count }) => numbers.length === count;

function partly(parts) {
  if (isComplete(parts)) return "";
  const { numbers, count } = parts;
  const these =
    numbers.length === 1
      ? `This is part ${numbers[0]} of ${count} of a model`
      : `These are ${numbers.length} of ${count} parts of a model`;
  return `${these}: choose all its files together for a figure of the whole.`;
}

const milliseconds = (ms) => (ms < 0.1 ? `${(1000 * ms).toPrecision(2)} µs` : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`);
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
  const { matrices, rows, wrong, ms, msOneThread, msAllThreads, bytes, tokensPerSecond, parts } = result;
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
    ["Tokens a second, at most", tokens(tokensPerSecond, parts)],
    [`Matrix products of ${isComplete(parts) ? "a token" : "these files"}`, bytes ? milliseconds(ms) : "none counted"],
    ["Weights read", bytes ? `${(bytes / ms / 1e6).toPrecision(2)} GB/s` : "none counted"],
    ["Kernels", [bundle, ...left].join("; ")],
    ["Threads", threads > 1 ? `${threads}${each}` : `1${threadsReason ? `: ${threadsReason}` : ""}`],
    ["Checked", `${plural(rows, "row")} of ${plural(matrices, "matrix", "matrices")}, by plain JavaScript: all right`],
  ];
  $("model-results").replaceChildren(
    ...figures.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
  $("model-caveat").textContent = caveat(tensors);
}

function tokens(perSecond, parts) {
  if (!isComplete(parts)) return "none: these files are not a whole model";
  if (!perSecond) return "none: a token is multiplied with none of these matrices";
  return perSecond < 100 ? perSecond.toFixed(1) : count(Math.round(perSecond));
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
