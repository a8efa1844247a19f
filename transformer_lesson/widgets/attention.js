// A heatmap of attention weights that answers to mouse and keyboard.

const LARGEST_MAP = 512; // pixels
const LARGEST_CELL = 44;
const MOST_BARS = 8;

class Explorer extends AttentionView {
  constructor(model, el) {
    super(model, el, "attention-explorer");
    // Of all maps by default: with a scale of its own, a head that spreads its weight evenly glows
    // as brightly as one that puts it all on one key.
    this.sameScale = true;
    this.panel = announcer("panel");
    const views = element("div", "views");
    views.append(this.buildPlot(), this.panel);
    el.append(this.buildControls(), views, this.status);
    this.on(["layer", "head"], () => this.draw());
    this.on(["pinned"], () => this.list());
    this.draw();
  }

  buildControls() {
    const controls = element("div", "controls");
    const { layers, heads } = this.maps;
    const numbers = (name, count) => range(count).map((i) => [i, `${name} ${i}`]);
    const choices = [...numbers("head", heads), [Maps.MEAN, "mean of heads"]];
    this.layers = buildSelect("layer", numbers("layer", layers), (i) => this.set("layer", i));
    this.heads = buildSelect("head", choices, (i) => this.set("head", i));
    if (layers > 1) controls.append(this.layers);
    if (heads > 1) controls.append(this.heads);
    if (layers * heads > 1) {
      const choose = (checked) => {
        this.sameScale = checked;
        this.draw();
      };
      const text = "same colors for all layers and heads";
      controls.append(buildCheckbox(text, this.sameScale, choose));
    }
    return controls;
  }

  buildPlot() {
    let cell = Math.floor(roomFor(LARGEST_MAP) / Math.max(this.rows, this.columns));
    cell = Math.max(1, Math.min(LARGEST_CELL, cell));
    this.heatmap = new Heatmap(this.rows, this.columns, [cell, cell]);
    this.legend = new Legend("weight");
    const tokens = [this.queryTokens, this.keyTokens];
    this.plot = new Plot(this.heatmap, ...tokens, this.titles(), this.legend);
    this.takeKeys(this.heatmap.canvas);
    this.follow(this.heatmap);
    return this.plot.node;
  }

  pressed(key) {
    if (key === "[") this.changeHead(-1);
    else if (key === "]") this.changeHead(1);
    else return key === "Escape" && this.unpin();
    return true;
  }

  changeHead(by) {
    const choices = [...range(this.maps.heads), Maps.MEAN];
    const place = choices.indexOf(this.model.get("head")) + by + choices.length;
    if (this.maps.heads > 1) this.set("head", choices[place % choices.length]);
  }

  draw() {
    const [layer, head] = [this.model.get("layer"), this.model.get("head")];
    this.layers.value = layer;
    this.heads.value = head;
    this.map = this.maps.get(layer, head);
    // 1 where all rows are empty.
    this.top = (this.sameScale ? this.maps.largest : largestOf(this.map)) || 1;
    this.heatmap.paint(this.map, 0, this.top);
    this.legend.show(0, this.top);
    const described =
      `Attention weights, layer ${layer}, ${this.heads.selectedOptions[0].text}: ` +
      `${this.rows} queries by ${this.columns} keys. ` +
      "Arrow keys move, brackets change the head, Enter pins a row, Escape unpins it.";
    this.target.setAttribute("aria-label", described);
    this.mark();
    this.list();
  }

  mark() {
    const cell = this.cursor;
    const weight = cell && this.map[cell.row * this.columns + cell.column];
    const words = cell ? this.describe(weight, cell) : [];
    this.plot.mark(cell, words);
    // After a change of head the same cell is said again, with another weight and name.
    this.status.textContent = [...words, ...(cell ? this.mapName() : [])].join(", ");
  }

  // What tells this map from the others; nothing where there is only one.
  mapName() {
    const [layer, head] = [this.layers, this.heads].map((s) => s.selectedOptions[0].text);
    return [...(this.maps.layers > 1 ? [layer] : []), ...(this.maps.heads > 1 ? [head] : [])];
  }

  list() {
    const query = this.model.get("pinned");
    this.heatmap.markRows([query]);
    if (query === null) {
      this.panel.replaceChildren(element("p", "hint", "Click a row, or press Enter, to pin it."));
      return;
    }
    const row = [...this.map.subarray(query * this.columns, (query + 1) * this.columns).entries()];
    const largest = row.filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]);
    const bars = largest.slice(0, MOST_BARS);
    const heading = `${this.query(query)} attends to${largest.length ? "" : " nothing"}`;
    this.panel.replaceChildren(
      element("p", "heading", heading),
      buildList(bars.map(([key, weight]) => buildBar(this.key(key), weight, this.top))),
    );
  }
}

function render({ model, el }) {
  const view = new Explorer(model, el);
  return () => view.remove();
}

export default { render };
