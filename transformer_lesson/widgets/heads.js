// All heads of a layer side by side, with one row highlighted in all of them.

const LARGEST_MAP = 160; // pixels

class Heads extends MapGrid {
  constructor(model, el) {
    super(model, el, "heads-explorer");
    this.layers = buildSelect(
      "layer",
      range(this.maps.layers).map((i) => [i, `layer ${i}`]),
      (i) => this.set("layer", i),
    );
    const controls = element("div", "controls");
    if (this.maps.layers > 1) controls.append(this.layers);
    this.legend = new Legend("weight");
    // All layers and heads share one scale.
    this.legend.show(0, this.maps.largest || 1);
    const views = element("div", "views");
    views.append(this.buildHeads(), this.legend.node);
    el.append(controls, this.heading, views, this.aloud);
    this.on(["layer"], () => this.draw());
    this.on(["pinned"], () => this.list());
    this.draw();
  }

  // The heads are spread evenly over the lines.
  buildHeads() {
    const heads = range(this.maps.heads);
    const lines = Math.ceil(heads.length / MOST_COLUMNS);
    const columns = Math.ceil(heads.length / lines);
    const names = heads.map((i) => `head ${i}`);
    const shown = range(lines).map((i) => heads.slice(i * columns, (i + 1) * columns));
    return this.buildGrid(names, shown, LARGEST_MAP);
  }

  pressed(key) {
    const by = { "[": -1, "]": 1 }[key];
    if (!by) return key === "Escape" && this.unpin();
    const { layers } = this.maps;
    if (layers > 1) this.set("layer", (this.model.get("layer") + by + layers) % layers);
    return true;
  }

  draw() {
    const layer = this.model.get("layer");
    this.layers.value = layer;
    this.paint(this.names.map((_, head) => this.maps.get(layer, head)));
    const described =
      `Attention weights of ${this.maps.heads} heads, layer ${layer}: ` +
      `${this.rows} queries by ${this.columns} keys. Up and down choose a query in all heads, ` +
      "left and right a key, brackets change the layer, Enter pins a row, Escape unpins it.";
    this.target.setAttribute("aria-label", described);
    this.list();
  }

  where() {
    return this.maps.layers > 1 ? `layer ${this.model.get("layer")}, ` : "";
  }
}

function render({ model, el }) {
  const view = new Heads(model, el);
  return () => view.remove();
}

export default { render };
