// The parts of which a configuration chooses the kind: norms, activations and positions, as blocks.py
// and positions.py compute them.

// Layer norm, or RMS norm, which leaves the mean where it is; a row is as long as `weight`.
function normalize({ weight, bias }, x, eps, type = "rms") {
  const width = weight.length;
  const out = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let mean = 0;
    if (type === "layer") for (let i = 0; i < width; i++) mean += x[start + i] / width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += (x[start + i] - mean) ** 2 / width;
    const inverse = 1 / Math.sqrt(variance + eps);
    for (let i = 0; i < width; i++) out[start + i] = (x[start + i] - mean) * inverse * weight[i] + (bias ? bias[i] : 0);
  }
  return out;
}

// The error function to 1.2e-7 (Press et al., Numerical Recipes, section 6.2).
const ERF = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];

function erf(x) {
  const t = 1 / (1 + 0.5 * Math.abs(x));
  const tail = t * Math.exp(-x * x + ERF.reduceRight((sum, factor) => sum * t + factor, 0));
  return x < 0 ? tail - 1 : 1 - tail;
}

const ACTIVATIONS = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  gelu_tanh: (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2,
};
const GATED = { swiglu: (x) => x / (1 + Math.exp(-x)), geglu: ACTIVATIONS.gelu_tanh };

// What is added to column `i` of a row of `width` at a place.
function sinusoid(place, i, width) {
  const angle = place * 10000 ** (-(i - (i % 2)) / width);
  return i % 2 ? Math.cos(angle) : Math.sin(angle);
}

// Turns, in place, the pairs of neighboring columns of each head of a row.
function rotate(row, place, { base, factor, width }) {
  for (let i = 0; i < row.length; i += 2) {
    const angle = (place * base ** (-(i % width) / width)) / factor;
    const [sine, cosine, even, odd] = [Math.sin(angle), Math.cos(angle), row[i], row[i + 1]];
    row[i] = even * cosine - odd * sine;
    row[i + 1] = even * sine + odd * cosine;
  }
}

function rotationOf({ d_model, num_heads, rope_base, rope_factor, rope_scaling }) {
  const width = d_model / num_heads;
  if (rope_scaling !== "ntk" || rope_factor === 1) return { base: rope_base, factor: rope_factor, width };
  return { base: rope_base * rope_factor ** (width / (width - 2)), factor: 1, width };
}

// As positions.alibi_slopes.
function alibiSlope(head, heads) {
  const power = 2 ** Math.floor(Math.log2(heads));
  return 2 ** ((-8 * (head < power ? head + 1 : head - power + 0.5)) / power);
}
