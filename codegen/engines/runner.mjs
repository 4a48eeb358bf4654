// Runs one job (kernels against vectors, opcodes against known answers): `runner.mjs JOB.json` in node, deno and bun
// prints the report; a browser imports `runJob`. job.py tells what a job holds, report.py what a report does, and
// wasmtime_runner.py, the counterpart for an engine without JavaScript, must check the same things.

const PAGE = 65536;
const WASM32_PAGES = 65536; // 4 GiB
const GUARD = 64; // bytes around each buffer that must have no effect and stay as they are
const POISON = 0x7e; // as an f16 it is NaN, as weights it is far from zero
const CANONICAL_NAN = 0x7fc00000;
const HEAT = 2 ** 23; // bytes a round: four rounds are well over what each engine's optimising tier waits for

// By feature, an ISA or a memory, the smallest module that needs it: whether it validates tells whether the engine has the feature.
export const FEATURES = {
  scalar: { label: "WebAssembly", probe: "0061736d01000000" },
  export: { label: "WebAssembly", probe: "0061736d01000000" },
  import: { label: "WebAssembly", probe: "0061736d01000000" },
  simd128: { label: "SIMD", probe: "0061736d01000000010401600000030201000a090107004100fd0f1a0b" },
  relaxed: { label: "relaxed SIMD", probe: "0061736d0100000001050160017b00030201000a0c010a0020002000fd92021a0b" },
  shared: { label: "threads", probe: "0061736d01000000050401030001" },
  memory64: { label: "64-bit memories", probe: "0061736d010000000503010400" },
};

// Whether the engine has a feature; throws where there is no such.
export const has = (feature) => WebAssembly.validate(fromHex(FEATURES[feature].probe));

// `onKernel` is told of each kernel's report as soon as it is there.
export async function runJob(job, onKernel = () => {}) {
  const vectors = Object.entries(job.vectors).map(([name, { cases }]) => [name, cases.map(parse)]);
  const casesOf = Object.fromEntries(vectors);
  const kernels = [];
  for (const kernel of job.kernels) {
    kernels.push(await reportOn(kernel, [kernel.isa, kernel.memory], casesOf[kernel.interface], runKernel));
    onKernel(kernels.at(-1));
  }
  const opcodes = [];
  for (const opcode of job.opcodes.cases) opcodes.push(await reportOn(opcode, [opcode.requires], [opcode], runOpcode));
  return { engine: engineVersion(), kernels, opcodes };
}

// A case with its buffers: what is in each before the call, and of those that are written what must be there after it.
function parse(test) {
  const outputs = Object.entries(test.outputs).map(([name, expect]) => {
    const size = expect.untouched ?? expect.scratch ?? (expect.bytes?.length / 2 || 4 * (expect.f32?.length ?? 0));
    return { name, expect, data: new Uint8Array(size).fill(POISON) };
  });
  const inputs = Object.entries(test.inputs).map(([name, digits]) => ({ name, data: fromHex(digits) }));
  const buffers = [...outputs, ...inputs];
  return { ...test, buffers, bytes: buffers.reduce((sum, { data }) => sum + data.length, 0) };
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

// Instantiates the kernel, and where a case is placed high also with 4 GiB, in a 64-bit memory with a page more; returns the
// choice of instance by case.
async function load(kernel, cases) {
  const module = await WebAssembly.compile(fromBase64(kernel.wasm));
  const most = Math.max(...cases.map((test) => test.bytes));
  const small = await instantiate(module, kernel, Math.ceil((3 * most) / PAGE) + 1);
  const high = kernel.memory === "memory64" ? WASM32_PAGES + 1 : WASM32_PAGES;
  const isHigh = (test) => test.place === "high";
  const big = cases.some(isHigh) ? await instantiate(module, kernel, high) : small;
  return (test) => (isHigh(test) ? big : small);
}

// Memories of the host's, by the type that a kernel imports, of so many pages.
export const MEMORIES = {
  import: (initial) => new WebAssembly.Memory({ initial }),
  shared: (initial) => new WebAssembly.Memory({ initial, maximum: WASM32_PAGES, shared: true }),
  memory64: (initial) => new WebAssembly.Memory({ initial: BigInt(initial), address: "i64" }),
};

async function instantiate(module, kernel, pages) {
  const memory = MEMORIES[kernel.memory]?.(pages) ?? null;
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const { export: name, parameters } = kernel;
  const target = { call: exports[name], parameters, memory: memory ?? exports.memory };
  const missing = pages - target.memory.buffer.byteLength / PAGE;
  if (missing > 0) target.memory.grow(missing); // one that it exports: the others have them
  return target;
}

// One case at each address it asks for. The outcome has `expected` where it failed. All results must be the same.
function runCase(target, test, previous = null) {
  for (const at of layouts(target, test)) {
    const outcome = invoke(target, test, at);
    if (outcome.expected) return outcome;
    const { result } = outcome;
    if (result !== (previous ?? result)) return { result, got: result, expected: `${previous} as before` };
    previous = result;
  }
  return { result: previous };
}

// Where the buffers go. "start" and "end" put each in turn at that end of memory, which only one can touch at a time;
// "high" is the end of 4 GiB, where an address is negative as an i32 and the address after the buffer wraps to 0; and in a
// 64-bit memory, of a page more, where no address fits 32 bits.
function layouts({ memory }, test) {
  const inner = {};
  let end = Math.max(...test.buffers.map(({ data }) => data.length));
  for (const { name, data } of test.buffers) {
    inner[name] = Math.ceil((end + GUARD) / 16) * 16 + (test.align ?? 0);
    end = inner[name] + data.length;
  }
  if (!test.place) return [inner];
  const edge = (data) => (test.place === "start" ? 0 : memory.buffer.byteLength - data.length);
  return test.buffers.map(({ name, data }) => ({ ...inner, [name]: edge(data) }));
}

// The arguments of a call: numbers and addresses of buffers, as JavaScript has them for parameters of these types.
function numbers({ parameters }, test, at) {
  const values = test.arguments.map((value) => at[value] ?? value.i64 ?? value);
  return values.map((value, i) => (parameters[i] === "i64" ? BigInt(value) : value));
}

// Calls the kernel amid poison, and judges what it wrote, there and elsewhere.
function invoke(target, test, at) {
  const { call, memory } = target;
  const bytes = new Uint8Array(memory.buffer);
  const around = ({ name, data }) => [Math.max(0, at[name] - GUARD), at[name] + data.length + GUARD];
  for (const buffer of test.buffers) {
    bytes.fill(POISON, ...around(buffer));
    bytes.set(buffer.data, at[buffer.name]);
  }
  let outcome;
  try {
    call(...numbers(target, test, at));
    outcome = test.trap ? { got: "no trap", expected: "a trap" } : judgeAll(bytes, test, at);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    outcome = { result: "trap", ...(!test.trap && { got: `trap: ${error.message}`, expected: "no trap" }) };
  }
  if (outcome.expected) return outcome;
  for (const buffer of test.buffers) {
    const [start, end] = around(buffer);
    for (let i = start; i < end && i < bytes.length; i++) {
      if (bytes[i] === (buffer.data[i - at[buffer.name]] ?? POISON)) continue;
      return { ...outcome, got: `byte ${i} written`, expected: "only the outputs written" };
    }
  }
  return outcome;
}

// Judges all outputs, and leaves poison in their places.
function judgeAll(bytes, test, at) {
  let result = "";
  for (const { name, expect, data } of test.buffers) {
    if (!expect || expect.untouched !== undefined) continue;
    const stored = bytes.slice(at[name], at[name] + data.length);
    bytes.fill(POISON, at[name], at[name] + data.length);
    if (expect.scratch !== undefined) continue;
    const judged = expect.bytes === undefined ? judgeNumbers(expect.f32, stored) : judgeBytes(name, expect.bytes, stored);
    result += judged.result;
    if (judged.expected) return { ...judged, result };
  }
  return { result };
}

function judgeBytes(name, wanted, stored) {
  const result = [...stored].map((byte) => hex(byte, 2)).join("");
  const wrong = fromHex(wanted).findIndex((byte, i) => byte !== stored[i]);
  if (wrong < 0) return { result };
  return { result, got: `${name}[${wrong}] = 0x${hex(stored[wrong], 2)}`, expected: `0x${wanted.substr(2 * wrong, 2)}` };
}

function judgeNumbers(wanted, stored) {
  const bits = [...new Uint32Array(stored.buffer)];
  const result = bits.map((number) => hex(Number.isNaN(asFloat(number)) ? CANONICAL_NAN : number, 8)).join("");
  const wrong = wanted.findIndex((expect, i) => !matches(expect, bits[i]));
  if (wrong < 0) return { result };
  const got = `0x${hex(bits[wrong], 8)} (${asFloat(bits[wrong])})`;
  return { result, got, expected: JSON.stringify(wanted[wrong]) };
}

// Whether an f32 is right. An expectation of an unknown kind matches nothing.
function matches(expect, bits) {
  const value = asFloat(bits);
  if (expect.bits) return bits === Number(expect.bits);
  if (expect.class === "nan") return Number.isNaN(value);
  if (expect.class === "nonfinite") return !Number.isFinite(value);
  return Math.abs(value - expect.value) <= expect.bound;
}

// Makes the engine tier up: it counts calls and loops, compiles on another thread, and switches at a later call.
async function warm(target, cases) {
  const test = cases.filter((each) => !each.trap).reduce((a, b) => (a.bytes >= b.bytes ? a : b));
  const [at] = layouts(target(test), test);
  invoke(target(test), test, at);
  const { call } = target(test);
  const values = numbers(target(test), test, at);
  await heat(() => {
    for (let done = 0; done < HEAT; done += test.bytes + 1) call(...values);
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
  await heat(() => hot(HEAT / 64));
  check("hot", () => hot(1));
  report.passed = report.failure ? 0 : 1;
}

// Reports on one kernel or opcode: skipped where the engine lacks a feature, else what `run` puts into the report.
async function reportOn(subject, features, cases, run) {
  const report = { name: subject.name, cases: cases.length, passed: 0, failure: null, skipped: null, results: [] };
  const lacking = features.find((feature) => !has(feature));
  if (lacking) return { ...report, cases: 0, skipped: `the engine has no ${FEATURES[lacking].label}` };
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
