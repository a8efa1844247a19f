// The map of one head of one sentence, opened large.

// A model of the page alone, for parts that are drawn anew with each answer.
class PartModel {
  constructor(values) {
    this.values = values;
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
  }

  on() {}

  save_changes() {}
}

class SentenceMap extends MapGrid {
  constructor(title, { shape, numbers }, [queryTokens, keyTokens], size) {
    const values = { shape, data: numbers, query_tokens: queryTokens, key_tokens: keyTokens, pinned: null };
    const node = element("div", "large");
    super(new PartModel(values), node, "sentence-maps");
    this.on(["pinned"], () => this.list());
    Object.assign(this, { node, title });
    node.append(this.buildGrid([""], [[0]], size), this.heading, this.aloud);
    this.paint([this.maps.get(0, 0)]);
    const described = `${title}: ${this.rows} queries by ${this.columns} keys. Arrow keys move, Enter pins a row.`;
    this.target.setAttribute("aria-label", described);
    this.list();
  }

  where() {
    return `${this.title}, `;
  }
}
