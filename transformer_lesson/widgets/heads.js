// All heads of a layer side by side: one row lights up in all of them.

const MOST_COLUMNS = 4; // of maps
const LARGEST_MAP = 160; // pixels
const LARGEST_CELL = 24;

class Heads extends AttentionView {
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
    const views = element("div", "views");
    views.append(this.buildGrid(), this.legend.node);
    this.heading = element("p", "heading");
    this.aloud = announcer("aloud");
    el.append(controls, this.heading, views, this.aloud);
    // One scale for all layers and heads.
    this.top = this.maps.largest || 1;
    this.legend.show(0, this.top);
    this.on(["layer"], () => this.draw());
    this.on(["pinned"], () => this.list());
    this.draw();
  }

  // Rows of maps, each with the queries to its left; below the last the keys.
  buildGrid() {
    const { heads } = this.maps;
    const [queryTitle, keyTitle] = this.titles();
    const lines = Math.ceil(heads / MOST_COLUMNS);
    const columns = Math.ceil(heads / lines);
    const cell = Math.max(1, LARGEST_MAP / Math.max(this.rows, this.columns));
    const size = Array(2).fill(Math.min(LARGEST_CELL, cell));
    this.heatmaps = range(heads).map(() => new Heatmap(this.rows, this.columns, size));
    this.tops = range(heads).map(() => element("div", "top"));
    this.rowLabels = [];
    const grid = element("div", "heads");
    grid.style.gridTemplateColumns = `repeat(${columns + 1}, auto)`;
    setCell(grid, this.heatmaps[0]);
    for (let first = 0; first < heads; first += columns) {
      const line = range(heads).slice(first, first + columns);
      const rest = range(columns - line.length).map(() => element("div"));
      const labels = buildLabels(this.queryTokens, "row-labels", size[1]);
      this.rowLabels.push(labels.children);
      grid.append(element("div", "row-name", queryTitle));
      grid.append(...line.map((i) => element("div", "name", `head ${i}`)), ...rest);
      grid.append(labels, ...line.map((i) => this.heatmaps[i].node), ...rest.map((n) => n.cloneNode()));
      grid.append(element("div", "row-name", "strongest key"), ...line.map((i) => this.tops[i]));
      grid.append(...rest.map((node) => node.cloneNode()));
    }
    const keys = () => buildLabels(this.keyTokens, "column-labels", size[0]);
    const shown = range(columns).map(keys);
    grid.append(element("div", "row-name", keyTitle), ...shown);
    this.columnLabels = shown.map((labels) => labels.children);
    this.takeKeys(grid);
    this.heatmaps.forEach((heatmap) => this.follow(heatmap));
    return grid;
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
    this.weights = this.heatmaps.map((_, head) => this.maps.get(layer, head));
    this.weights.forEach((map, head) => this.heatmaps[head].paint(map, 0, this.top));
    const described =
      `Attention weights of ${this.maps.heads} heads, layer ${layer}: ` +
      `${this.rows} queries by ${this.columns} keys. Up and down choose a query in all heads, ` +
      "left and right a key, brackets change the layer, Enter pins a row, Escape unpins it.";
    this.target.setAttribute("aria-label", described);
    this.list();
  }

  // The row that is marked in all heads: the pinned one, or else the one under the cursor.
  row() {
    return this.model.get("pinned") ?? this.cursor?.row ?? null;
  }

  mark() {
    const cell = this.cursor;
    this.heatmaps.forEach((heatmap, head) => {
      const weight = cell && this.weights[head][cell.row * this.columns + cell.column];
      const words = cell && heatmap === (this.under ?? this.heatmaps[0]);
      heatmap.mark(cell, words ? [`head ${head}`, ...this.describe(weight, cell)] : []);
    });
    for (const label of this.current ?? []) label.classList.remove("lesson-current");
    this.current = cell
      ? [
          ...this.rowLabels.map((labels) => labels[cell.row]),
          ...this.columnLabels.map((labels) => labels[cell.column]),
        ]
      : [];
    for (const label of this.current) label.classList.add("lesson-current");
    if (this.row() !== this.listed) this.list();
  }

  list() {
    const row = this.row();
    this.listed = row;
    const words = this.weights.map((map, head) => {
      this.heatmaps[head].markRows([row]);
      return row === null ? "" : this.strongest(map.subarray(row * this.columns).subarray(0, this.columns));
    });
    words.forEach((text, head) => {
      this.tops[head].textContent = text;
    });
    const pinned = this.model.get("pinned") === null ? "" : ", pinned";
    const hint = "Point at a row, or use the arrow keys; a click or Enter pins it.";
    this.heading.textContent = row === null ? hint : `query ${this.query(row)}${pinned}`;
    const said = words.map((text, head) => `head ${head}: ${text}`);
    const layer = this.maps.layers > 1 ? `layer ${this.model.get("layer")}, ` : "";
    this.aloud.textContent =
      row === null ? "" : `${layer}${this.heading.textContent}. Strongest key of ${said.join("; ")}`;
  }

  strongest(row) {
    const weight = largestOf(row);
    return weight > 0 ? `${this.key(row.indexOf(weight))} ${weight.toFixed(4)}` : "nothing";
  }
}

function render({ model, el }) {
  const view = new Heads(model, el);
  return () => view.remove();
}

export default { render };
