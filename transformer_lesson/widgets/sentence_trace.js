// What each part has computed for each piece of a text, by the names of the parts in PyTorch.

class Trace {
  // `sizes` are those of the model; `answer` is the worker's.
  constructor({ trace }, sizes) {
    Object.assign(this, { source: trace.source, steps: trace.steps, sizes });
    this.count = this.source && this.source.get("encoder.embedding").length / sizes.d_model;
  }

  rows(numbers) {
    return cut(numbers, this.count);
  }

  // A decoder computes one row in each step; where nothing is masked, the rows before it anew.
  stepRows(name, step) {
    const numbers = this.steps[step].get(name);
    const again = this.steps[step].get("decoder.embedding").length / this.sizes.d_model;
    if (again > 1) return cut(numbers, again);
    return range(step + 1).map((at) => this.steps[at].get(name));
  }

  // What `name` has computed for all pieces of a half that are known at a place.
  known(half, name, place) {
    return half === "encoder" ? this.rows(this.source.get(name)) : this.stepRows(name, place);
  }

  row(half, name, place) {
    return half === "encoder" ? this.known(half, name)[place] : this.stepRows(name, place).at(-1);
  }

  has(half, name) {
    return (half === "encoder" ? this.source : this.steps[0]).has(name);
  }

  // Keys or values: of a cross-attention those of the memory.
  keys(half, name, kind, place) {
    const crosses = name.endsWith("cross_attention");
    return this.known(crosses ? "encoder" : half, `${name}.${kind}`, place);
  }

  scores(half, name, place, head) {
    const given = half === "encoder" ? this.source.get(`${name}.scores`)[place] : this.steps[place].get(`${name}.scores`).at(-1);
    const count = given.length / this.sizes.heads;
    return given.subarray(head * count, (head + 1) * count);
  }

  // The stream of one piece: where it begins, and [part, what it added] for one after the other.
  stream(half, place) {
    const parts = ["self_attention", "cross_attention", "feed_forward"];
    const names = range(this.sizes[half]).flatMap((layer) => parts.map((part) => `${half}.layers.${layer}.${part}`));
    const there = names.filter((name) => this.has(half, name));
    return [this.row(half, `${there[0]}_norm.input`, place), there.map((name) => [name, this.row(half, name, place)])];
  }
}

function cut(numbers, count) {
  const width = numbers.length / count;
  return range(count).map((row) => numbers.subarray(row * width, (row + 1) * width));
}

const lengthOf = (row) => Math.hypot(...row);
