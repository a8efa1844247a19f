// The forward pass of a model in plain loops over Float32Arrays, for one sentence: its layers are those
// of blocks.py, but for parallel ones.
// A matrix is an array in row-major order; `rows` tokens of width d are one array of rows · d numbers.

const range = (count) => [...Array(count).keys()];

// The weights of a safetensors file by name; int8 matrices are multiplied by the scales of their rows.
// Bytes are read where they lie, wider numbers from a copy, as they must be aligned.
function readWeights(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const types = { F32: Float32Array, I8: Int8Array };
  const weights = {};
  for (const [name, { dtype, data_offsets: [begin, end] }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    if (!types[dtype]) throw new Error(`${name} is stored as ${dtype}; this view reads F32 and I8.`);
    const [from, to] = [begin, end].map((at) => 8 + length + at);
    weights[name] = dtype === "I8" ? new Int8Array(buffer, from, to - from) : new types[dtype](buffer.slice(from, to));
  }
  for (const [name, weight] of Object.entries(weights)) {
    if (weight instanceof Int8Array) weights[name] = scaled(weight, weights[`${name}.scale`]);
  }
  return weights;
}

function scaled(rounded, scales) {
  const width = rounded.length / scales.length;
  const whole = new Float32Array(rounded.length);
  for (let row = 0, i = 0; row < scales.length; row++) {
    const scale = scales[row];
    for (const end = i + width; i < end; i++) whole[i] = rounded[i] * scale;
  }
  return whole;
}

// x Wᵀ + b for `rows` rows of x. Four rows share each weight that is read; of a row that is left over,
// four outputs share each number. Either way four sums do not wait for each other. The numbers of x are
// read many times, so they are widened once.
function linear({ weight, bias }, x, rows) {
  const width = x.length / rows;
  const height = weight.length / width;
  const wide = new Float64Array(x);
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
    this.shares = this.heads / (config.num_kv_heads ?? this.heads); // heads that share keys and values
    this.keyWidth = this.width / this.shares;
    this.rotation = rotationOf(config);
    this.scale = config.initialization === "paper" ? Math.sqrt(this.width) : 1;
    this.off = new Set(); // what does nothing: kinds of parts in a stack, heads, "positions" and "mask"
    this.trace = null; // a Map: what each part has computed, by its name in PyTorch
    this.output = { weight: weights[config.tie_embeddings ? "embedding.weight" : "output.weight"] };
  }

  // The same model, of which parts are off.
  without(off) {
    return Object.assign(Object.create(this), { off: new Set(off), trace: null });
  }

  note(name, numbers) {
    this.trace?.set(name, numbers.slice());
    return numbers;
  }

  part(name) {
    return { weight: this.weights[`${name}.weight`], bias: this.weights[`${name}.bias`] };
  }

  norm(name, x) {
    this.note(`${name}.input`, x);
    return this.note(name, normalize(this.part(name), x, this.config.eps, this.config.norm_type));
  }

  // Queries, keys or values of rows of x; `place` says where a row stands, in self-attention.
  project(name, kind, x, rows, place = null) {
    let out = linear(this.part(`${name}.${kind}_projection`), x, rows);
    if (kind === "value") return this.note(`${name}.value`, out);
    if (this.config.qk_norm) out = normalize(this.part(`${name}.${kind}_norm`), out, this.config.eps);
    const width = out.length / rows;
    const turned = place && this.config.positions === "rotary" ? range(rows) : [];
    for (const row of turned) rotate(out.subarray(row * width, (row + 1) * width), place(row), this.rotation);
    return this.note(`${name}.${kind}`, out);
  }

  // What is added to the scores of a query that stands at `place`, of self-attention, by head and key.
  bias(stack, place) {
    const { positions, max_distance: most } = this.config;
    if (positions === "alibi") return (head, key) => -alibiSlope(head, this.heads) * Math.abs(key - place);
    if (positions !== "relative") return () => 0;
    const table = this.weights[`${stack}.relative_bias.table`];
    const column = (key) => Math.max(-most, Math.min(most, key - place)) + most;
    return (head, key) => table[head * (2 * most + 1) + column(key)];
  }

  // Adds to x, in place, what a part makes of it; its norm stands before it, or after the sum. A part
  // that is off adds nothing.
  addPart(name, x, part) {
    const off = this.off.has(name.replace(/layers\.\d+\./, ""));
    const added = (read) => {
      const out = part(read);
      return this.note(name, off ? out.fill(0) : out);
    };
    if (this.config.norm === "pre") add(x, added(this.norm(`${name}_norm`, x)));
    else x.set(this.norm(`${name}_norm`, add(x, added(x))));
  }

  // Where the norms stand after the parts nothing is left to do.
  finish(stack, x) {
    return this.config.norm === "pre" ? this.norm(`${stack}.final_norm`, x) : x;
  }

  // The first real token stands at 0: so much padding is before it.
  leading(ids) {
    const first = ids.findIndex((id) => id !== this.config.padding_id);
    return first < 0 ? ids.length : first;
  }

  // One row for each id, which stands at `position(row)`.
  embed(stack, ids, position) {
    const table = this.weights["embedding.weight"];
    const learned = this.weights["embedding.positions.table"];
    const { width, config: { positions } } = this;
    const added = { sinusoidal: (place, i) => sinusoid(place, i, width), learned: (place, i) => learned[place * width + i] }[positions];
    const rowsOf = (number) => new Float32Array(ids.length * width).map((_, at) => number(Math.floor(at / width), at % width));
    const x = this.note(`${stack}.embedding`, rowsOf((row, i) => table[ids[row] * width + i] * this.scale));
    if (!added || this.off.has("positions")) return x;
    return add(x, this.note(`${stack}.positions`, rowsOf((row, i) => added(position(row), i))));
  }

  // One query against the keys of the tokens `ids`: adds up the values into `out` and returns the
  // scores and the weights (heads, keys). Padding is not attended to. `bias(head, key)` is added to the
  // scores. A head that is off adds up nothing.
  attend(name, query, { keys, values, ids, bias = () => 0 }, out) {
    const count = ids.length;
    const width = this.width / this.heads;
    const weights = new Float32Array(this.heads * count);
    const scores = new Float32Array(weights.length);
    for (let head = 0; head < this.heads; head++) {
      const [from, first, shared] = [head * width, head * count, Math.floor(head / this.shares) * width];
      for (let key = 0; key < count; key++) {
        const score = dot(query, from, keys, key * this.keyWidth + shared, width) / Math.sqrt(width) + bias(head, key);
        scores[first + key] = weights[first + key] = ids[key] === this.config.padding_id ? -Infinity : score;
      }
      softmax(weights, first, first + count);
      if (this.off.has(`${name}.${head}`)) continue;
      for (let key = 0; key < count; key++) {
        const weight = weights[first + key];
        const start = key * this.keyWidth + shared;
        for (let i = 0; i < width; i++) out[from + i] += weight * values[start + i];
      }
    }
    return { scores, weights };
  }

  // Adds to x what its rows find in the keys and values of other tokens: `read(project)` is a
  // function that returns, for a row, what `attend` takes. Returns the weights (heads, keys) of each row.
  addAttention(name, x, rows, read, place = null) {
    let found;
    this.addPart(name, x, (normal) => {
      const project = (kind) => this.project(name, kind, normal, rows, place);
      const [queries, known, mixed] = [project("query"), read(project), new Float32Array(x.length)];
      const own = (numbers, row) => numbers.subarray(row * this.width, (row + 1) * this.width);
      found = range(rows).map((row) => this.attend(name, own(queries, row), known(row), own(mixed, row)));
      return linear(this.part(`${name}.output_projection`), this.note(`${name}.heads`, mixed), rows);
    });
    this.trace?.set(`${name}.scores`, found.map(({ scores }) => scores));
    return found.map(({ weights }) => weights);
  }

  addFeedForward(layer, x, rows) {
    const inside = (name, rows_) => linear(this.part(`${layer}.feed_forward.${name}`), rows_, rows);
    const gated = GATED[this.config.activation];
    this.addPart(`${layer}.feed_forward`, x, (normal) => {
      const up = inside("up", normal);
      const gate = gated && inside("gate", normal);
      const hidden = gated ? up.map((value, i) => gated(gate[i]) * value) : up.map(ACTIVATIONS[this.config.activation]);
      return inside("down", this.note(`${layer}.feed_forward.hidden`, hidden));
    });
  }

  // What the decoder needs of a source: its ids and, for each layer of the decoder, the keys and
  // values of the memory, some rows of which may be replaced.
  encode(ids, replaced = []) {
    const { memory, weights } = this.remember(ids);
    for (const { row, numbers } of replaced) memory.set(numbers, row * this.width);
    this.note("memory", memory);
    const layers = range(this.config.num_layers).map((number) => {
      const name = `decoder.layers.${number}.cross_attention`;
      const project = (kind) => this.project(name, kind, memory, ids.length);
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
    const { rows, self } = this.readAll("encoder", ids, this.config.num_encoder_layers ?? this.config.num_layers);
    return { memory: rows, weights: self };
  }

  // A text through all layers of a stack: its rows, and the weights of the attentions. Each token sees
  // all others, or those up to it where `causal`.
  readAll(stack, ids, layers, source = null, causal = false) {
    const count = ids.length;
    const left = this.leading(ids);
    const x = this.embed(stack, ids, (row) => Math.max(0, row - left));
    const [self, cross] = [[], []];
    for (const number of range(layers)) {
      const layer = `${stack}.layers.${number}`;
      const read = (project) => {
        const all = { keys: project("key"), values: project("value"), ids };
        return (row) => ({ ...all, ids: causal ? ids.slice(0, row + 1) : ids, bias: this.bias(stack, row) });
      };
      self.push(this.addAttention(`${layer}.self_attention`, x, count, read, (row) => row));
      if (source) cross.push(this.addAttention(`${layer}.cross_attention`, x, count, () => () => source.layers[number]));
      this.addFeedForward(layer, x, count);
    }
    return { rows: this.finish(stack, x), self, cross };
  }

  // What follows a text, as `decode` returns it, where no mask hides what comes later: so all of it is
  // read anew.
  decodeUnmasked(ids, source) {
    const { rows, self, cross } = this.readAll("decoder", ids, this.config.num_layers, source);
    const last = (layers) => layers.map((weights) => [weights.at(-1)]);
    return { logits: linear(this.output, rows.slice(-this.width), 1), self: last(self), cross: last(cross) };
  }

  // The log-probability of all tokens of a text after its first.
  score(ids, source) {
    const count = ids.length - 1;
    const { rows } = this.readAll("decoder", ids.slice(0, count), this.config.num_layers, source, true);
    const logits = linear(this.output, rows, count);
    const size = logits.length / count;
    return range(count).reduce((sum, i) => sum + Math.log(softmax(logits, i * size, (i + 1) * size)[i * size + ids[i + 1]]), 0);
  }

  newCache(room) {
    return new Cache(this.config.num_layers, this.keyWidth, room);
  }

  // Reads one token of each of several texts, all of the same length; a language model has no source.
  // Returns the logits of what follows, (texts, vocab_size), and for each layer and text the weights of
  // the attentions.
  decode(ids, caches, source) {
    const rows = ids.length;
    const position = caches[0].ids.length;
    ids.forEach((id, row) => caches[row].ids.push(id));
    const x = this.embed("decoder", ids, (row) => Math.max(0, position - this.leading(caches[row].ids)));
    const bias = this.bias("decoder", position);
    const self = [];
    const cross = [];
    for (const number of range(this.config.num_layers)) {
      const layer = `decoder.layers.${number}`;
      const write = (project) => {
        const [keys, values] = [project("key"), project("value")];
        caches.forEach((cache, row) => cache.write(number, position, row, keys, values, this.keyWidth));
        return (row) => ({ ...caches[row].layers[number], ids: caches[row].ids, bias });
      };
      self.push(this.addAttention(`${layer}.self_attention`, x, rows, write, () => position));
      if (source) cross.push(this.addAttention(`${layer}.cross_attention`, x, rows, () => () => source.layers[number]));
      this.addFeedForward(layer, x, rows);
    }
    const last = this.finish("decoder", x);
    return { logits: linear(this.output, last, rows), self, cross };
  }
}
