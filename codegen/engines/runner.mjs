// Runs one job (kernels against vectors, opcodes against known answers): `runner.mjs JOB.json` in node, deno and bun
// prints the report; a browser imports `runJob`. job.py tells what a job holds, report.py what a report does, and
// wasmtime_runner.py, the counterpart for an engine without JavaScript, must check the same things.

const PAGE = 65536;
const MOST_PAGES = 65536; // 4 GiB
const TABLE = 262144; // bytes of the f16 table that some kernels fill when instantiated, at the start of memory
const GUARD = 64; // bytes around each block that must have no effect and stay as they are
const POISON = 0x7e; // as an f16 it is NaN, as weights it is far from zero
const CANONICAL_NAN = 0x7fc00000;
const HEAT = 2 ** 22; // elements a round: four rounds are well over what each engine's optimising tier waits for

// By feature, the smallest module that needs it: whether it validates tells whether the engine has the feature.
export const FEATURES = {
  scalar: { label: "WebAssembly", probe: "0061736d01000000" },
  simd128: { label: "SIMD", probe: "0061736d01000000010401600000030201000a090107004100fd0f1a0b" },
  relaxed: { label: "relaxed SIMD", probe: "0061736d0100000001050160017b00030201000a0c010a0020002000fd92021a0b" },
};

export async function runJob(job) {
  const cases = job.vectors.cases.map((test) => ({ ...test, x: fromHex(test.x), y: fromHex(test.y) }));
  const kernels = [];
  for (const kernel of job.kernels) kernels.push(await reportOn(kernel, kernel.isa, cases, runKernel));
  const opcodes = [];
  for (const opcode of job.opcodes.cases) opcodes.push(await reportOn(opcode, opcode.requires, [opcode], runOpcode));
  return { engine: engineVersion(), kernels, opcodes };
}

// Every case cold, on fresh instances; where all is well, all again once the engine has optimised the kernel.
async function runKernel(kernel, cases, report) {
  const target = await load(kernel, cases);
  const runAll = (phase) => {
    const outcomes = cases.map((test, i) => runCase(target(test), test, report.results[i]));
    outcomes.forEach((outcome, i) => outcome.expected && fail(report, cases[i].name, outcome, phase));
    report.passed = outcomes.filter((outcome) => !outcome.expected).length;
    return outcomes.map((outcome) => outcome.result);
  };
  report.results = runAll("cold");
  if (report.failure) return;
  await warm(target, cases);
  runAll("hot");
}

// Instantiates the kernel, and where a case is placed high also with 4 GiB; returns the choice of instance by case.
async function load(kernel, cases) {
  const module = await WebAssembly.compile(fromBase64(kernel.wasm));
  const most = Math.max(...cases.map((test) => test.x.length + test.y.length));
  const small = await instantiate(module, kernel, Math.ceil((TABLE + 3 * most + 8 * GUARD) / PAGE));
  const isHigh = (test) => test.place === "high";
  const big = cases.some(isHigh) ? await instantiate(module, kernel, MOST_PAGES) : small;
  return (test) => (isHigh(test) ? big : small);
}

async function instantiate(module, kernel, pages) {
  const memory = kernel.memory === "import" ? new WebAssembly.Memory({ initial: pages }) : null;
  const { exports } = await WebAssembly.instantiate(module, { env: { memory, f16_table: 0 } });
  const target = { call: exports[kernel.export], memory: memory ?? exports.memory };
  const missing = pages - target.memory.buffer.byteLength / PAGE;
  if (missing > 0) target.memory.grow(missing);
  const hasTable = WebAssembly.Module.imports(module).some(({ name }) => name === "f16_table");
  return { ...target, base: exports.heap_base?.value ?? (hasTable ? TABLE : 0) };
}

// One case at each address it asks for. The outcome has `expected` where it failed. All results must be the same.
function runCase(target, test, previous = null) {
  for (const at of layouts(target, test)) {
    const { result, why, stray } = invoke(target, test, at);
    if (!matches(test.expect, result)) return { result, got: why, expected: JSON.stringify(test.expect) };
    if (stray !== null) return { result, got: `byte ${stray} written`, expected: "only the result written" };
    if (result !== (previous ?? result)) return { result, got: why, expected: `${previous} as before` };
    previous = result;
  }
  return { result: previous };
}

// Where s, x and y go. "start" and "end" put each in turn at that end of memory, which only one can touch at a time;
// "high" is the end of 4 GiB, where an address is negative as an i32 and the address after the block wraps to 0.
function layouts({ memory, base }, test) {
  const length = { s: 4, x: test.x.length, y: test.y.length };
  const after = (end) => Math.ceil((end + GUARD) / 16) * 16 + (test.align ?? 0);
  const s = after(base + Math.max(length.x, length.y));
  const x = after(s + length.s);
  const y = after(x + length.x);
  if (!test.place) return [{ s, x, y }];
  const edge = (block) => (test.place === "start" ? base : memory.buffer.byteLength - length[block]);
  return ["s", "x", "y"].map((block) => ({ s, x, y, [block]: edge(block) }));
}

// Calls the kernel amid poison: the result as 8 hex digits or "trap", and an address it must not have written or null.
function invoke({ call, memory, base }, test, { s, x, y }) {
  const bytes = new Uint8Array(memory.buffer);
  const around = (address, data) => [Math.max(base, address - GUARD), address + data.length + GUARD];
  const blocks = [[s, new Uint8Array(4).fill(POISON)], [x, test.x], [y, test.y]];
  for (const [address, data] of blocks) {
    bytes.fill(POISON, ...around(address, data));
    bytes.set(data, address);
  }
  let result, why;
  try {
    call(test.n, s, 0, x, 0, y, 0, test.nrc ?? 1);
    const bits = new DataView(bytes.buffer).getUint32(s, true);
    result = hex(Number.isNaN(asFloat(bits)) ? CANONICAL_NAN : bits, 8);
    why = `0x${result} (${asFloat(bits)})`;
    bytes.fill(POISON, s, s + 4);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    result = "trap";
    why = `trap: ${error.message}`;
  }
  for (const [address, data] of blocks) {
    const [start, end] = around(address, data);
    for (let i = start; i < end && i < bytes.length; i++) {
      if (bytes[i] !== (data[i - address] ?? POISON)) return { result, why, stray: i };
    }
  }
  return { result, why, stray: null };
}

// Whether the result is right. An expectation of an unknown kind matches nothing.
function matches(expect, result) {
  if (expect.trap || result === "trap") return expect.trap === true && result === "trap";
  const bits = parseInt(result, 16);
  const value = asFloat(bits);
  if (expect.bits) return bits === Number(expect.bits);
  if (expect.class === "nan") return Number.isNaN(value);
  if (expect.class === "nonfinite") return !Number.isFinite(value);
  return Math.abs(value - expect.value) <= expect.bound;
}

// Makes the engine tier up: it counts calls and loops, compiles on another thread, and switches at a later call.
async function warm(target, cases) {
  const test = cases.filter((each) => !each.expect.trap).reduce((a, b) => (a.n >= b.n ? a : b));
  const [at] = layouts(target(test), test);
  invoke(target(test), test, at);
  await heat(() => {
    for (let n = 0; n < HEAT; n += test.n + 1) target(test).call(test.n, at.s, 0, at.x, 0, at.y, 0, 1);
  });
}

// Waits as long as it works, so that a slow machine has its time to compile too.
async function heat(work) {
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    work();
    await new Promise((resolve) => setTimeout(resolve, 5 + performance.now() - start));
  }
}

async function runOpcode(opcode, _cases, report) {
  const legal = [opcode.result, ...(opcode.alternatives ?? [])];
  const { instance } = await WebAssembly.instantiate(fromHex(opcode.wasm));
  const { memory, run, hot } = instance.exports;
  const bytes = new Uint8Array(memory.buffer);
  opcode.operands.forEach((operand, i) => bytes.set(fromHex(operand), 16 * i));
  const check = (phase, compute) => {
    bytes.fill(POISON, 48, 64);
    compute();
    const got = [...bytes.subarray(48, 64)].map((byte) => hex(byte, 2)).join("");
    if (!legal.includes(got)) fail(report, opcode.name, { got, expected: legal.join(" or ") }, phase);
    report.results.push(got);
  };
  check("cold", run);
  await heat(() => hot(HEAT / 32));
  check("hot", () => hot(1));
  report.passed = report.failure ? 0 : 1;
}

// Reports on one kernel or opcode: skipped where the engine lacks the feature, else what `run` puts into the report.
async function reportOn(subject, feature, cases, run) {
  const { label, probe } = FEATURES[feature];
  const report = { name: subject.name, cases: cases.length, passed: 0, failure: null, skipped: null, results: [] };
  if (!WebAssembly.validate(fromHex(probe))) return { ...report, cases: 0, skipped: `the engine has no ${label}` };
  try {
    await run(subject, cases, report);
  } catch (error) {
    fail(report, "load", { got: String(error), expected: "a module that loads" }, "cold");
  }
  return report;
}

function fail(report, name, { got, expected }, phase) {
  report.failure ??= { case: name, got, expected, phase };
}

export function engineVersion() {
  const { bun, deno, node, v8 } = globalThis.process?.versions ?? {};
  if (bun) return `bun ${bun} (JavaScriptCore)`;
  if (deno) return `deno ${deno} (V8 ${v8})`;
  return node ? `node ${node} (V8 ${v8}, ${process.arch})` : navigator.userAgent;
}

const hex = (number, digits) => number.toString(16).padStart(digits, "0");
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
export const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const asFloat = (bits) => new Float32Array(Uint32Array.of(bits).buffer)[0];

if (import.meta.main) {
  const { readFile } = await import("node:fs/promises");
  console.log(JSON.stringify(await runJob(JSON.parse(await readFile(process.argv[2], "utf8")))));
}
