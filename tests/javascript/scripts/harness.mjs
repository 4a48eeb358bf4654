// Named tests, run one after the other; what went wrong is told by name.

export async function run(...suites) {
  const wrong = {};
  let count = 0;
  for (const suite of suites) {
    for (const [name, test] of Object.entries(suite)) {
      count++;
      try {
        await test();
      } catch (error) {
        wrong[name] = `${error.name}: ${error.message} ${(error.stack ?? "").split("\n").slice(0, 4).join(" ")}`;
      }
    }
  }
  return { count, wrong };
}

export function equal(got, wanted, what = "") {
  if (!Object.is(got, wanted)) throw new Error(`${what}: ${got}, expected ${wanted}`);
}

/** Byte for byte; of typed arrays. */
export function same(got, wanted, what = "") {
  const [a, b] = [got, wanted].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  equal(a.length, b.length, `${what} length`);
  const at = a.findIndex((byte, i) => byte !== b[i]);
  if (at >= 0) throw new Error(`${what} byte ${at}: ${a[at]}, expected ${b[at]}`);
}

/** The call throws, or rejects, an error of this kind whose message is this. */
export async function throws(call, kind, message) {
  let result;
  try {
    result = await call();
  } catch (error) {
    equal(error.name, kind.name, `the kind of "${error.message}"`);
    if (!message.test(error.message)) throw new Error(`the message is "${error.message}", expected ${message}`);
    return;
  }
  throw new Error(`no error, but ${result}; expected ${message}`);
}

/** Rows of Q4_0 with any nibbles and scales around 2^-4, and columns of values; the same for a seed. */
export function random(seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return {
    weights(rows, n) {
      const bytes = new Uint8Array((rows * n * 18) / 32);
      for (let i = 0; i < bytes.length; i++) bytes[i] = i % 18 === 1 ? 0x2c : next() * 256;
      return bytes;
    },
    values: (count) => Float32Array.from({ length: count }, () => next() - 0.5),
  };
}
