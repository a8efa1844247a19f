// The attention maps of one sentence: encoder, decoder, and from the decoder to the source.

const SENTENCE_MAP = 132; // pixels

// A model of the page alone, for parts that are drawn anew with each answer.
class PartModel {
  constructor(values, changed) {
    Object.assign(this, { values, changed });
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
  }

  save_changes() {
    this.changed();
  }
}

class SentenceMaps extends MapGrid {
  // `maps` is {shape, numbers}; there are at most `columns` heads in a line.
  constructor(title, { shape, numbers }, [queryTokens, keyTokens], columns, turn) {
    const values = { shape, data: numbers, query_tokens: queryTokens, key_tokens: keyTokens, pinned: null };
    const node = element("section", "attention");
    super(new PartModel(values, () => this.list()), node, "sentence-maps");
    Object.assign(this, { node, title, turn });
    const heads = range(this.maps.heads);
    const lines = range(Math.ceil(heads.length / columns)).map((i) => heads.slice(i * columns, (i + 1) * columns));
    node.setAttribute("aria-label", title);
    const scroller = element("div", "scroller");
    scroller.append(this.buildGrid(heads.map((i) => `head ${i}`), lines, SENTENCE_MAP));
    const scale = `${title}: weights from 0 (dark) to ${this.maps.largest.toFixed(2)} (light)`;
    node.append(element("p", "title", scale), this.heading, scroller, this.aloud);
    this.draw(0);
  }

  pressed(key) {
    const by = { "[": -1, "]": 1 }[key];
    if (!by) return key === "Escape" && this.unpin();
    this.turn((this.layer + by + this.maps.layers) % this.maps.layers);
    return true;
  }

  draw(layer) {
    this.layer = layer;
    this.paint(this.names.map((_, head) => this.maps.get(layer, head)));
    const described =
      `${this.title}, layer ${layer}: attention weights of ${this.maps.heads} heads, ${this.rows} queries by ` +
      `${this.columns} keys. Up and down choose a query in all heads, left and right a key, brackets change ` +
      "the layer, Enter pins a row, Escape unpins it.";
    this.target.setAttribute("aria-label", described);
    this.list();
  }

  where() {
    return `${this.title}, layer ${this.layer}, `;
  }
}
