// The forward pass of an `EncoderDecoder` or a `DecoderOnly` in plain loops over Float32Arrays, for one
// sentence: its layers are those of blocks.py with pre-norm, layer norm, ReLU and sinusoidal positions.
// A matrix is an array in row-major order; `rows` tokens of width d are one array of rows · d numbers.

const EPSILON = 1e-5; // of PyTorch's LayerNorm
const range = (count) => [...Array(count).keys()];

// The weights of a safetensors file by name; int8 matrices are multiplied by the scales of their rows.
function readWeights(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const types = { F32: Float32Array, I8: Int8Array };
  const weights = {};
  for (const [name, { dtype, data_offsets: [begin, end] }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    if (!types[dtype]) throw new Error(`${name} is stored as ${dtype}; this view reads F32 and I8.`);
    weights[name] = new types[dtype](buffer.slice(8 + length + begin, 8 + length + end));
  }
  for (const [name, weight] of Object.entries(weights)) {
    if (weight instanceof Int8Array) weights[name] = scaled(weight, weights[`${name}.scale`]);
  }
  return weights;
}

function scaled(rounded, scales) {
  const width = rounded.length / scales.length;
  const whole = new Float32Array(rounded.length);
  for (let i = 0; i < whole.length; i++) whole[i] = rounded[i] * scales[Math.floor(i / width)];
  return whole;
}

// x Wᵀ + b for `rows` rows of x. Four rows share each weight that is read; of a row that is left over,
// four outputs share each number. Either way four sums do not wait for each other. The numbers of x are
// read many times, so they are widened once.
function linear({ weight, bias }, x, rows) {
  const width = x.length / rows;
  const height = weight.length / width;
  const wide = Float64Array.from(x);
  const out = new Float32Array(rows * height);
  let row = 0;
  for (; row + 4 <= rows; row += 4) fourRows(weight, wide, row * width, width, out, row * height, height);
  for (; row < rows; row++) oneRow(weight, wide, row * width, width, out, row * height, height);
  if (bias) for (let i = 0; i < out.length; i++) out[i] += bias[i % height];
  return out;
}

function fourRows(weight, x, from, width, out, at, height) {
  const [second, third, fourth] = [from + width, from + 2 * width, from + 3 * width];
  for (let o = 0; o < height; o++) {
    let a = 0, b = 0, c = 0, d = 0;
    const start = o * width;
    for (let i = 0; i < width; i++) {
      const w = weight[start + i];
      a += w * x[from + i];
      b += w * x[second + i];
      c += w * x[third + i];
      d += w * x[fourth + i];
    }
    out[at + o] = a;
    out[at + height + o] = b;
    out[at + 2 * height + o] = c;
    out[at + 3 * height + o] = d;
  }
}

function oneRow(weight, x, from, width, out, at, height) {
  let o = 0;
  for (; o + 4 <= height; o += 4) {
    const first = o * width;
    const [second, third, fourth] = [first + width, first + 2 * width, first + 3 * width];
    let a = 0, b = 0, c = 0, d = 0;
    for (let i = 0; i < width; i++) {
      const value = x[from + i];
      a += value * weight[first + i];
      b += value * weight[second + i];
      c += value * weight[third + i];
      d += value * weight[fourth + i];
    }
    out[at + o] = a;
    out[at + o + 1] = b;
    out[at + o + 2] = c;
    out[at + o + 3] = d;
  }
  for (; o < height; o++) out[at + o] = dot(weight, o * width, x, from, width);
}

function dot(left, from, right, start, width) {
  let a = 0, b = 0, c = 0, d = 0;
  let i = 0;
  for (; i + 4 <= width; i += 4) {
    a += left[from + i] * right[start + i];
    b += left[from + i + 1] * right[start + i + 1];
    c += left[from + i + 2] * right[start + i + 2];
    d += left[from + i + 3] * right[start + i + 3];
  }
  for (; i < width; i++) a += left[from + i] * right[start + i];
  return a + b + c + d;
}

function normalize({ weight, bias }, x) {
  const width = weight.length;
  const out = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let mean = 0;
    for (let i = 0; i < width; i++) mean += x[start + i] / width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += (x[start + i] - mean) ** 2 / width;
    const inverse = 1 / Math.sqrt(variance + EPSILON);
    for (let i = 0; i < width; i++) out[start + i] = (x[start + i] - mean) * inverse * weight[i] + bias[i];
  }
  return out;
}

function add(x, more) {
  for (let i = 0; i < x.length; i++) x[i] += more[i];
  return x;
}

// e to the power of each number of scores[from, to), divided by their sum; all 0 if all are -Infinity.
function softmax(scores, from = 0, to = scores.length) {
  let [highest, sum] = [-Infinity, 0];
  for (let i = from; i < to; i++) highest = Math.max(highest, scores[i]);
  if (highest === -Infinity) return scores.fill(0, from, to);
  for (let i = from; i < to; i++) {
    scores[i] = Math.exp(scores[i] - highest);
    sum += scores[i];
  }
  for (let i = from; i < to; i++) scores[i] /= sum;
  return scores;
}

// The keys and values that one text of the decoder has read, layer by layer.
class Cache {
  constructor(layers, width, room) {
    this.ids = [];
    this.layers = Array.from({ length: layers }, () => ({
      keys: new Float32Array(room * width),
      values: new Float32Array(room * width),
    }));
  }

  // Keeps row `row` of new keys and values at `position`.
  write(layer, position, row, keys, values, width) {
    const kept = this.layers[layer];
    const own = (numbers) => numbers.subarray(row * width, (row + 1) * width);
    kept.keys.set(own(keys), position * width);
    kept.values.set(own(values), position * width);
  }

  copy() {
    const twin = Object.assign(new Cache(0, 0, 0), { ids: [...this.ids] });
    twin.layers = this.layers.map(({ keys, values }) => ({ keys: keys.slice(), values: values.slice() }));
    return twin;
  }
}

class Model {
  constructor(config, weights) {
    Object.assign(this, { config, weights, width: config.d_model, heads: config.num_heads });
    this.scale = config.initialization === "paper" ? Math.sqrt(this.width) : 1;
    this.output = { weight: weights[config.tie_embeddings ? "embedding.weight" : "output.weight"] };
  }

  part(name) {
    return { weight: this.weights[`${name}.weight`], bias: this.weights[`${name}.bias`] };
  }

  // The first real token stands at 0: so much padding is before it.
  leading(ids) {
    const first = ids.findIndex((id) => id !== this.config.padding_id);
    return first < 0 ? ids.length : first;
  }

  // One row for each id, which stands at `position(row)`.
  embed(ids, position) {
    const table = this.weights["embedding.weight"];
    const x = new Float32Array(ids.length * this.width);
    ids.forEach((id, row) => {
      for (let i = 0; i < this.width; i++) {
        const angle = position(row) * 10000 ** (-(i - (i % 2)) / this.width);
        const place = i % 2 ? Math.cos(angle) : Math.sin(angle);
        x[row * this.width + i] = table[id * this.width + i] * this.scale + place;
      }
    });
    return x;
  }

  // One query against the keys of the tokens `ids`: adds up the values into `out` and returns the
  // weights (heads, keys). Padding is not attended to.
  attend(query, keys, values, ids, out) {
    const count = ids.length;
    const width = this.width / this.heads;
    const weights = new Float32Array(this.heads * count);
    for (let head = 0; head < this.heads; head++) {
      const [from, first] = [head * width, head * count];
      for (let key = 0; key < count; key++) {
        const score = dot(query, from, keys, key * this.width + from, width) / Math.sqrt(width);
        weights[first + key] = ids[key] === this.config.padding_id ? -Infinity : score;
      }
      softmax(weights, first, first + count);
      for (let key = 0; key < count; key++) {
        const weight = weights[first + key];
        const start = key * this.width + from;
        for (let i = 0; i < width; i++) out[from + i] += weight * values[start + i];
      }
    }
    return weights;
  }

  // Adds to x what its rows find in the keys and values of other tokens: `read(project)` is a
  // function that returns, for a row, these keys and values with the ids of their tokens. Returns the
  // weights (heads, keys) of each row.
  addAttention(name, x, rows, read) {
    const normal = normalize(this.part(`${name}_norm`), x);
    const project = (kind) => linear(this.part(`${name}.${kind}_projection`), normal, rows);
    const queries = project("query");
    const known = read(project);
    const mixed = new Float32Array(x.length);
    const weights = range(rows).map((row) => {
      const { keys, values, ids } = known(row);
      const own = (numbers) => numbers.subarray(row * this.width, (row + 1) * this.width);
      return this.attend(own(queries), keys, values, ids, own(mixed));
    });
    add(x, linear(this.part(`${name}.output_projection`), mixed, rows));
    return weights;
  }

  addFeedForward(layer, x, rows) {
    const normal = normalize(this.part(`${layer}.feed_forward_norm`), x);
    const wide = linear(this.part(`${layer}.feed_forward.up`), normal, rows);
    const activated = wide.map((value) => Math.max(0, value));
    add(x, linear(this.part(`${layer}.feed_forward.down`), activated, rows));
  }

  // What the decoder needs of a source: its ids and, for each layer of the decoder, the keys and
  // values of the memory.
  encode(ids) {
    const { memory, weights } = this.remember(ids);
    const layers = range(this.config.num_layers).map((number) => {
      const name = `decoder.layers.${number}.cross_attention`;
      const project = (kind) => linear(this.part(`${name}.${kind}_projection`), memory, ids.length);
      return { keys: project("key"), values: project("value"), ids };
    });
    return { ids, layers, weights };
  }

  // An encoder alone: the logits of what stands at each place, and the weights of its attention.
  fill(ids) {
    const { memory, weights } = this.remember(ids);
    const logits = linear({ weight: this.weights["embedding.weight"] }, memory, ids.length);
    const size = logits.length / ids.length;
    return { ids, weights, logits: range(ids.length).map((i) => logits.slice(i * size, (i + 1) * size)) };
  }

  // The memory, (rows, d_model), and for each layer and query the weights (heads, keys).
  remember(ids) {
    const rows = ids.length;
    const left = this.leading(ids);
    const x = this.embed(ids, (row) => Math.max(0, row - left));
    const weights = range(this.config.num_layers).map((number) => {
      const layer = `encoder.layers.${number}`;
      const seen = this.addAttention(`${layer}.self_attention`, x, rows, (project) => {
        const all = { keys: project("key"), values: project("value"), ids };
        return () => all;
      });
      this.addFeedForward(layer, x, rows);
      return seen;
    });
    return { memory: normalize(this.part("encoder.final_norm"), x), weights };
  }

  newCache(room) {
    return new Cache(this.config.num_layers, this.width, room);
  }

  // Reads one token of each of several texts, all of the same length; a language model has no source.
  // Returns the logits of what follows, (texts, vocab_size), and for each layer and text the weights of
  // the attentions.
  decode(ids, caches, source) {
    const rows = ids.length;
    const position = caches[0].ids.length;
    ids.forEach((id, row) => caches[row].ids.push(id));
    const x = this.embed(ids, (row) => Math.max(0, position - this.leading(caches[row].ids)));
    const self = [];
    const cross = [];
    for (const number of range(this.config.num_layers)) {
      const layer = `decoder.layers.${number}`;
      const write = (project) => {
        const [keys, values] = [project("key"), project("value")];
        caches.forEach((cache, row) => cache.write(number, position, row, keys, values, this.width));
        return (row) => ({ ...caches[row].layers[number], ids: caches[row].ids });
      };
      self.push(this.addAttention(`${layer}.self_attention`, x, rows, write));
      if (source) cross.push(this.addAttention(`${layer}.cross_attention`, x, rows, () => () => source.layers[number]));
      this.addFeedForward(layer, x, rows);
    }
    const last = normalize(this.part("decoder.final_norm"), x);
    return { logits: linear(this.output, last, rows), self, cross };
  }
}
