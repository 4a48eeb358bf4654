// Shows how the kernels are verified, and what came of it.

import { $, advance, count, el, plural } from "./dom.js";
import { inWorker } from "./tasks.js";

/** Verifies the kernels of these names; what came of it, also shown. */
export async function verify(names) {
  const [summary, list, failures, progress] = ["summary", "kernels", "failures", "progress"].map((id) =>
    $(`verify-${id}`),
  );
  list.replaceChildren();
  failures.replaceChildren();
  $("verify-details").hidden = false;
  summary.textContent = "Fetching kernels and cases …";
  advance(progress, 0);
  const kernels = [];
  const worker = new Worker(new URL("./verify-worker.js", import.meta.url), { type: "module" });
  try {
    const { left } = await inWorker(worker, { names }, ({ total, report }) => {
      if (report) {
        kernels.push(report);
        list.append(row(report));
        if (report.failure) failures.append(alarm(report));
      }
      advance(progress, kernels.length, names.length);
      if (total) summary.textContent = `Verifying ${plural(total, "kernel")} …`;
    });
    const result = { cases: sum(kernels, "cases"), passed: sum(kernels, "passed"), left, kernels };
    summary.textContent = told(result);
    return result;
  } finally {
    advance(progress, null);
  }
}

const sum = (kernels, field) => kernels.reduce((total, one) => total + one[field], 0);

function told({ cases, passed, left, kernels }) {
  const wrong = kernels.filter(({ failure }) => failure).length;
  const missing = left
    ? ` ${plural(left, "case")} need 4 GiB of memory, which this device does not give, and were left out.`
    : "";
  if (wrong)
    return `${plural(wrong, "kernel is", "kernels are")} wrong here: ${count(passed)} of ${count(cases)} cases passed.${missing}`;
  return `All ${count(kernels.length)} kernels are right: ${count(passed)} of ${count(cases)} cases passed.${missing}`;
}

function row({ name, cases, passed, failure }) {
  return el(
    "li",
    { class: failure ? "bad" : "yes" },
    el("span", { class: "mark" }, failure ? "wrong" : "right"),
    el("code", {}, ...breakable(name)),
    el("span", { class: "figure" }, `${count(passed)} / ${count(cases)}`),
  );
}

function alarm({ name, failure: { case: test, got, expected, phase } }) {
  const when = phase === "hot" ? "once optimised" : "at first";
  return el(
    "div",
    { class: "alert", role: "alert" },
    el("p", {}, el("b", {}, `${name} computes wrongly here, ${when}.`), " Do not use it in this browser."),
    el("p", {}, `Case ${test}: got ${shortened(got)}, expected ${shortened(expected)}.`),
  );
}

const shortened = (text) => (String(text).length > 200 ? `${String(text).slice(0, 200)} …` : String(text));

/** A kernel's name with places where lines may break. */
export function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part) => [part, el("wbr")]);
}
