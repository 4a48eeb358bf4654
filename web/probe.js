// What the browser offers, and the engine that it has.

import { has } from "../codegen/engines/runner.mjs";
import { $, el, plural } from "./dom.js";

const WORDS = {
  scalar: ["WebAssembly", "Runs compiled code. Without it nothing here works."],
  simd128: ["SIMD", "Handles 16 bytes in one instruction."],
  relaxed: ["Relaxed SIMD", "Multiplies and adds bytes in one instruction, as processors do for machine learning."],
  threads: [
    "Threads",
    "Lets several cores share memory. Needs two headers from the server, so many hosts do not have it.",
  ],
};

const TUNED = { v8: "V8", jsc: "JavaScriptCore", wasmtime: "wasmtime, for want of its own" };

const offers = (feature) => "WebAssembly" in globalThis && has(feature);

/** Features, the best ISA, and which engine's kernels suit this browser. */
export function probe() {
  const features = { scalar: offers("scalar"), simd128: offers("simd128"), relaxed: offers("relaxed") };
  features.threads = globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
  const isa = ["relaxed", "simd128", "scalar"].find((one) => features[one]) ?? null;
  const agent = navigator.userAgent;
  const kernels = /Chrom(e|ium)\//.test(agent) ? "v8" : /AppleWebKit\//.test(agent) ? "jsc" : "wasmtime";
  return {
    agent: shortened(agent),
    userAgent: agent,
    cores: navigator.hardwareConcurrency ?? 1,
    features,
    isa,
    kernels,
  };
}

export function showProbe({ agent, cores, features, kernels }) {
  $("agent").textContent =
    `${agent}, ${plural(cores, "core")}. Its kernels here are those tuned for ${TUNED[kernels]}.`;
  const rows = Object.entries(WORDS).map(([feature, [name, words]]) => {
    const mark = features[feature] ? "yes" : "no";
    return el(
      "li",
      { class: mark },
      el("span", { class: "mark" }, mark),
      el("b", {}, name),
      el("span", { class: "quiet" }, words),
    );
  });
  $("features").replaceChildren(...rows);
}

// The browser's name and version, and the system: a user agent has much more that says nothing.
function shortened(agent) {
  const [, name, version] = /(Firefox)\/(\d+)/.exec(agent) ??
    /(Edg|OPR|SamsungBrowser)\/(\d+)/.exec(agent) ??
    /(Chrome|Chromium)\/(\d+)/.exec(agent) ??
    /()Version\/(\d+)/.exec(agent) ?? [null, agent, ""];
  const system = /Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/.exec(agent)?.[0] ?? "an unknown system";
  const full = { Edg: "Edge", OPR: "Opera", SamsungBrowser: "Samsung Internet", "": "Safari" }[name] ?? name;
  return `${full} ${version} on ${system}`.replace("  ", " ");
}
