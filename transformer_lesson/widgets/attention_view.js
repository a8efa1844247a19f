// What views of attention weights share: `maps`, the tokens of the queries (rows) and of the keys
// (columns), and a pinned query.
class AttentionView extends MapView {
  constructor(model, el, kind) {
    super(model, el, kind);
    this.maps = new Maps(model.get("shape"), model.get("data"));
    this.queryTokens = model.get("query_tokens");
    this.keyTokens = model.get("key_tokens");
    [this.rows, this.columns] = [this.maps.queries, this.maps.keys];
  }

  // It is self-attention if the queries are the last of the keys; with a cache there are more keys.
  titles() {
    const last = this.keyTokens.slice(-this.queryTokens.length);
    const itself = this.queryTokens.every((token, i) => token === last[i]);
    return itself ? ["query", "key"] : ["query (target)", "key (source)"];
  }

  query(row) {
    return `${this.queryTokens[row]} (${row})`;
  }

  key(column) {
    return `${this.keyTokens[column]} (${column})`;
  }

  describe(weight, { row, column }) {
    return [`query ${this.query(row)}`, `key ${this.key(column)}`, `weight ${weight.toFixed(4)}`];
  }

  pin() {
    const { row } = this.cursor ?? ORIGIN;
    this.set("pinned", row === this.model.get("pinned") ? null : row);
  }

  unpin() {
    const pinned = this.model.get("pinned") !== null;
    if (pinned) this.set("pinned", null);
    return pinned;
  }
}

// Attention weights as Python sent them, (layers, heads, queries, keys).
class Maps {
  static STEPS = 65535;
  static MEAN = -1;

  constructor([layers, heads, queries, keys], view) {
    Object.assign(this, { layers, heads, queries, keys });
    // In some views other numbers follow the weights.
    this.bytes = 2 * layers * heads * queries * keys;
    this.fixed = numbersOf(new DataView(view.buffer, view.byteOffset, this.bytes), Uint16Array);
    this.largest = largestOf(this.fixed) / Maps.STEPS;
  }

  // One map as a Float32Array in row-major order.
  get(layer, head) {
    const heads = head === Maps.MEAN ? range(this.heads) : [head];
    const map = new Float32Array(this.queries * this.keys);
    for (const one of heads) {
      const start = (layer * this.heads + one) * map.length;
      for (let i = 0; i < map.length; i++) map[i] += this.fixed[start + i];
    }
    return map.map((sum) => sum / (heads.length * Maps.STEPS));
  }
}
