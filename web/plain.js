// The products once more in plain JavaScript, slowly and independently of any kernel: what their results are held to.

const BLOCK = 32;
const Q4_BYTES = 18;
const HALF_ULP = 2 ** -24; // of an f32, relative

/** Normally distributed numbers, the same each time. */
export function activations(n) {
  let state = 12345;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float32Array.from(
    { length: n },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

/** Activations as GGML quantises them to Q8_0: by block a scale, rounded to f16, and 32 whole numbers. */
export function quantised(values) {
  return Array.from({ length: values.length / BLOCK }, (_, block) => {
    const part = values.subarray(block * BLOCK, (block + 1) * BLOCK);
    const scale = Math.fround(part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127);
    const inverse = scale ? Math.fround(1 / scale) : 0;
    const whole = (value) => Math.sign(value) * Math.floor(Math.abs(value) + 0.5); // half away from zero
    return { scale: toHalf(scale), values: Array.from(part, (value) => whole(Math.fround(value * inverse))) };
  });
}

/** Whether a result is the product of a row of Q4_0 with these activations, within what rounding its sum can do. */
export function isProduct(result, row, blocks) {
  let sum = 0;
  let magnitude = 0;
  blocks.forEach(({ scale, values }, b) => {
    const at = b * Q4_BYTES;
    let whole = 0;
    for (let j = 0; j < 16; j++) {
      const byte = row[at + 2 + j];
      whole += ((byte & 15) - 8) * values[j] + ((byte >> 4) - 8) * values[j + 16];
    }
    const term = whole * fromHalf(row[at] | (row[at + 1] << 8)) * scale;
    sum += term;
    magnitude += Math.abs(term);
  });
  if (!Number.isFinite(sum)) return !Number.isFinite(result);
  return Math.abs(result - sum) <= (blocks.length + 8) * HALF_ULP * magnitude + 2 ** -140;
}

function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

// The nearest f16 of a positive number that has one, ties to even.
function toHalf(value) {
  const step = 2 ** (Math.max(-14, Math.floor(Math.log2(value || 1))) - 10);
  const steps = value / step;
  const low = Math.floor(steps);
  const up = steps - low > 0.5 || (steps - low === 0.5 && low % 2 === 1);
  return (low + (up ? 1 : 0)) * step;
}
