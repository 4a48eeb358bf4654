// The page: what its buttons do, and what has come of it so far.

import { bench } from "./bench.js";
import { showBlock } from "./block.js";
import { $ } from "./dom.js";
import { multiplyModel, openModel } from "./model.js";
import { probe, showProbe } from "./probe.js";
import { data } from "./tasks.js";
import { verify } from "./verify.js";

const ROUNDS = 9;
const MOST_ROUNDS = 100;

const asked = Number(new URLSearchParams(location.search).get("rounds"));
const rounds = asked >= 1 ? Math.min(Math.floor(asked), MOST_ROUNDS) : ROUNDS;

const engine = probe();
/** Everything that was found, as the copied JSON has it; also for programs that drive the page. */
const results = { format: "ggml-wat-page", version: 1, engine, verify: null, bench: null, model: null };
globalThis.results = results;

let model = null; // that is open
let busy = false;

async function kernels() {
  if (!engine.isa) throw new Error("This browser has no WebAssembly: nothing can run here.");
  return (await (await data("kernels.json")).json()).kinds[engine.kernels][engine.isa];
}

// What goes wrong is told where the work shows itself, too.
const toldAt = (id, work) => async () => {
  try {
    return await work();
  } catch (error) {
    $(id).textContent = error.message;
    throw error;
  }
};

const tasks = {
  verify: toldAt("verify-summary", async () => {
    results.verify = await verify((await kernels()).verified);
    return $("verify-summary").textContent;
  }),
  bench: toldAt("bench-summary", async () => {
    const failed = results.verify?.kernels.filter(({ failure }) => failure).map(({ name }) => name) ?? [];
    results.bench = await bench((await kernels()).bars, failed, rounds);
    return $("bench-summary").textContent;
  }),
  model: toldAt("model-caveat", async () => {
    results.model = await multiplyModel(model);
    return "Done: the model’s matrices are multiplied.";
  }),
};

// One thing at a time: two would slow each other down, and a figure would mean nothing.
async function run(what, work) {
  if (busy) return;
  setBusy(true);
  say(what);
  try {
    say(await work());
  } catch (error) {
    say(error.message);
  } finally {
    setBusy(false);
  }
}

function setBusy(now) {
  busy = now;
  // Not `disabled`, which would take the keyboard's focus away.
  for (const id of ["run-all", "run-verify", "run-bench", "run-model"])
    $(id).setAttribute("aria-disabled", String(now));
  document.body.classList.toggle("busy", now);
}

const say = (text) => ($("status").textContent = text);

async function all() {
  const right = await tasks.verify();
  say("Measuring …");
  const fast = await tasks.bench();
  if (model) {
    say("Multiplying the model …");
    await tasks.model();
  }
  return `Done. ${right} ${fast}`;
}

function open(files) {
  if (!files.length) return;
  if (busy) {
    say("Wait until this is done, then open the model.");
    return;
  }
  model = results.model = null;
  run(
    "Reading the model …",
    toldAt("model-summary", async () => {
      model = await openModel(files);
      return "Model read.";
    }),
  );
}

async function copy() {
  const text = JSON.stringify({ ...results, when: new Date().toISOString() }, null, 1);
  const box = $("copied");
  try {
    await navigator.clipboard.writeText(text);
    box.hidden = true;
    say("Copied: the results are in the clipboard.");
  } catch {
    // No clipboard for this page: then the visitor copies.
    Object.assign(box, { hidden: false, value: text });
    box.focus();
    box.select();
    say("The browser does not let this page copy: the results are in the box, selected.");
  }
}

$("run-all").addEventListener("click", () => run("Verifying …", all));
$("run-verify").addEventListener("click", () => run("Verifying …", tasks.verify));
$("run-bench").addEventListener("click", () => run("Measuring …", tasks.bench));
$("run-model").addEventListener("click", () => run("Multiplying …", tasks.model));
$("copy").addEventListener("click", copy);
$("file").addEventListener("change", ({ target }) => {
  const files = [...target.files];
  target.value = ""; // so that choosing them again is a change
  open(files);
});

// A file that is dropped beside the zone must not replace the page.
for (const event of ["dragover", "drop"]) addEventListener(event, (dropped) => dropped.preventDefault());
for (const [event, over] of Object.entries({ dragover: true, dragleave: false, drop: false })) {
  $("drop").addEventListener(event, () => $("drop").classList.toggle("over", over));
}
$("drop").addEventListener("drop", ({ dataTransfer }) => open([...dataTransfer.files]));

showProbe(engine);
showBlock($("block"));
