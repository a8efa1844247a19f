// A heatmap of attention weights that answers to mouse and keyboard.
//
// The canvas holds one pixel per weight and is enlarged by CSS, so it is sharp on every display and
// is drawn only when the map changes. A hover moves a frame and changes a text: it draws nothing.
// Text is set as textContent throughout, so a token may hold any character.

const MEAN_OF_HEADS = -1;
const STEPS = 65535;
const LARGEST_MAP = 512; // pixels
const LARGEST_CELL = 44;
const LINE_HEIGHT = 14; // what a label needs
const LONGEST_LABEL = 14; // characters
const PAGE_STEP = 10;
const MOST_BARS = 8;

// Viridis: every sixteenth of matplotlib's colours, from 0 to the top of the scale.
const VIRIDIS =
  "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725".split(
    " ",
  );
const PALETTE = Uint32Array.from({ length: 256 }, (_, i) => paletteColour(i / 255));

const MOVES = {
  ArrowUp: ({ query, key }) => ({ query: query - 1, key }),
  ArrowDown: ({ query, key }) => ({ query: query + 1, key }),
  ArrowLeft: ({ query, key }) => ({ query, key: key - 1 }),
  ArrowRight: ({ query, key }) => ({ query, key: key + 1 }),
  Home: ({ query }) => ({ query, key: 0 }),
  End: ({ query }) => ({ query, key: Infinity }),
  PageUp: ({ query, key }) => ({ query: query - PAGE_STEP, key }),
  PageDown: ({ query, key }) => ({ query: query + PAGE_STEP, key }),
};

// The colour at a place from 0 to 1, as a canvas stores it: red in the lowest byte.
function paletteColour(place) {
  const index = Math.min(Math.floor(place * (VIRIDIS.length - 1)), VIRIDIS.length - 2);
  const rest = place * (VIRIDIS.length - 1) - index;
  const channel = (at) => {
    const [low, high] = [0, 1].map((i) => parseInt(VIRIDIS[index + i].slice(at, at + 2), 16));
    return Math.round(low + rest * (high - low));
  };
  return ((255 << 24) | (channel(4) << 16) | (channel(2) << 8) | channel(0)) >>> 0;
}

function clamp(value, count) {
  return Math.max(0, Math.min(count - 1, value));
}

// With a prefix of its own, because pages have rules for names such as "tooltip" and "panel".
function element(tag, name = "", text = "") {
  const node = document.createElement(tag);
  if (name) node.className = `attention-${name}`;
  node.textContent = text;
  return node;
}

class Maps {
  constructor([layers, heads, queries, keys], view) {
    Object.assign(this, { layers, heads, queries, keys });
    // Copied, because 16-bit numbers must begin at an even place of their buffer.
    const end = view.byteOffset + view.byteLength;
    this.fixed = new Uint16Array(view.buffer.slice(view.byteOffset, end));
    this.largest = this.fixed.reduce((a, b) => Math.max(a, b), 0) / STEPS;
  }

  // One map as Float32Array, row by row.
  get(layer, head) {
    const heads = head === MEAN_OF_HEADS ? [...Array(this.heads).keys()] : [head];
    const map = new Float32Array(this.queries * this.keys);
    for (const one of heads) {
      const start = (layer * this.heads + one) * map.length;
      for (let i = 0; i < map.length; i++) map[i] += this.fixed[start + i];
    }
    return map.map((sum) => sum / (heads.length * STEPS));
  }
}

class Explorer {
  constructor(model, el) {
    this.model = model;
    this.maps = new Maps(model.get("shape"), model.get("data"));
    this.queryTokens = model.get("query_tokens");
    this.keyTokens = model.get("key_tokens");
    this.cell = Math.floor(LARGEST_MAP / Math.max(this.maps.queries, this.maps.keys));
    this.cell = Math.max(1, Math.min(LARGEST_CELL, this.cell));
    this.cursor = null;
    // Of all maps by default: with a scale of its own, a head that spreads its weight evenly glows
    // as brightly as one that puts it all on one key.
    this.sameScale = true;

    el.classList.add("attention-explorer");
    // Otherwise JupyterLab takes the arrow keys to move from cell to cell.
    el.dataset.lmSuppressShortcuts = "true";
    this.status = element("div", "status");
    this.status.setAttribute("role", "status"); // Announced when it changes.
    this.panel = element("div", "panel");
    this.panel.setAttribute("role", "status");
    const views = element("div", "views");
    views.append(this.buildPlot(), this.panel);
    el.append(this.buildControls(), views, this.status);
    this.listen();
    this.draw();
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  // -- What stands where

  buildControls() {
    const controls = element("div", "controls");
    const { layers, heads } = this.maps;
    const numbers = (name, count) => [...Array(count).keys()].map((i) => [i, `${name} ${i}`]);
    this.layers = this.buildSelect("layer", numbers("layer", layers));
    this.heads = this.buildSelect("head", [
      ...numbers("head", heads),
      [MEAN_OF_HEADS, "mean of heads"],
    ]);
    if (layers > 1) controls.append(this.layers);
    if (heads > 1) controls.append(this.heads);
    if (layers * heads > 1) controls.append(this.buildScaleSwitch());
    return controls;
  }

  buildSelect(name, choices) {
    const select = element("select", name);
    select.setAttribute("aria-label", name);
    for (const [value, text] of choices) select.add(new Option(text, value));
    select.addEventListener("change", () => this.set(name, Number(select.value)));
    return select;
  }

  buildScaleSwitch() {
    const label = element("label", "scale");
    const box = element("input");
    box.type = "checkbox";
    box.checked = this.sameScale;
    box.addEventListener("change", () => {
      this.sameScale = box.checked;
      this.draw();
    });
    label.append(box, "same colours for all layers and heads");
    return label;
  }

  buildPlot() {
    const { queries, keys } = this.maps;
    const plot = element("div", "plot");
    plot.style.setProperty("--cell", `${this.cell}px`);
    const [queryTitle, keyTitle] = this.titles();
    this.queryLabels = this.buildLabels(this.queryTokens);
    this.keyLabels = this.buildLabels(this.keyTokens);
    const rows = element("div", "query-labels");
    rows.append(...this.queryLabels);
    const columns = element("div", "key-labels");
    columns.append(...this.keyLabels);

    this.canvas = element("canvas", "map");
    Object.assign(this.canvas, { width: keys, height: queries, tabIndex: 0 });
    this.canvas.style.width = `${keys * this.cell}px`;
    this.canvas.style.height = `${queries * this.cell}px`;
    // An application, so that screen readers hand over the arrow keys.
    this.canvas.setAttribute("role", "application");
    this.tooltip = element("div", "tooltip");
    this.frame = element("div", "frame");
    this.band = element("div", "band");
    const map = element("div", "stack");
    map.append(this.canvas, this.band, this.frame, this.tooltip);

    plot.append(element("div", "query-title", queryTitle), rows, map, this.buildLegend());
    plot.append(columns, element("div", "key-title", keyTitle));
    return plot;
  }

  // Where the queries are the last of the keys, as with a cache, a sentence attends to itself.
  titles() {
    const last = this.keyTokens.slice(-this.queryTokens.length);
    const itself = this.queryTokens.every((token, i) => token === last[i]);
    return itself ? ["query", "key"] : ["query (target)", "key (source)"];
  }

  buildLabels(tokens) {
    const every = Math.ceil(LINE_HEIGHT / this.cell);
    return tokens.map((token, i) => {
      const characters = [...token];
      const long = characters.length > LONGEST_LABEL;
      const text = long ? `${characters.slice(0, LONGEST_LABEL - 1).join("")}…` : token;
      const label = element("span", "label");
      label.append(element("span", i % every ? "left-out" : "", text));
      label.setAttribute("aria-hidden", "true"); // The status says the tokens of the cell.
      return label;
    });
  }

  buildLegend() {
    const legend = element("div", "legend");
    const bar = element("div", "bar");
    bar.style.background = `linear-gradient(to top, ${VIRIDIS.map((c) => `#${c}`).join(", ")})`;
    this.ticks = [1, 2, 3].map(() => element("span"));
    const ticks = element("div", "ticks");
    ticks.append(...this.ticks);
    legend.append(bar, ticks, element("div", "title", "weight"));
    return legend;
  }

  // -- What happens when

  listen() {
    const at = (event) => ({
      query: Math.floor(event.offsetY / this.cell),
      key: Math.floor(event.offsetX / this.cell),
    });
    this.canvas.addEventListener("pointermove", (event) => this.moveTo(at(event)));
    this.canvas.addEventListener("click", (event) => {
      this.moveTo(at(event));
      this.pin();
    });
    this.canvas.addEventListener("pointerleave", () => {
      if (document.activeElement !== this.canvas) this.leave();
    });
    this.canvas.addEventListener("focus", () => this.moveTo(this.cursor ?? { query: 0, key: 0 }));
    this.canvas.addEventListener("blur", () => this.leave());
    this.canvas.addEventListener("keydown", (event) => {
      if (!this.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.onMap = () => this.draw();
    this.onPinned = () => this.list();
    this.model.on("change:layer", this.onMap);
    this.model.on("change:head", this.onMap);
    this.model.on("change:pinned", this.onPinned);
  }

  remove() {
    this.model.off("change:layer", this.onMap);
    this.model.off("change:head", this.onMap);
    this.model.off("change:pinned", this.onPinned);
  }

  // Returns whether the key means something here.
  press({ key, ctrlKey, altKey, shiftKey, metaKey }) {
    // Keys with modifiers belong to JupyterLab and the browser; only a bracket may need some.
    const bracket = key === "[" || key === "]";
    if (metaKey || (ctrlKey && !altKey)) return false;
    if ((altKey || shiftKey) && !bracket) return false;
    if (key in MOVES) this.moveTo(MOVES[key](this.cursor ?? { query: 0, key: 0 }));
    else if (key === "[") this.changeHead(-1);
    else if (key === "]") this.changeHead(1);
    else if (key === "Enter" || key === " ") this.pin();
    else if (key === "Escape" && this.model.get("pinned") !== null) this.set("pinned", null);
    else return false;
    return true;
  }

  changeHead(by) {
    const choices = [...Array(this.maps.heads).keys(), MEAN_OF_HEADS];
    const place = choices.indexOf(this.model.get("head")) + by + choices.length;
    if (this.maps.heads > 1) this.set("head", choices[place % choices.length]);
  }

  pin() {
    const { query } = this.cursor ?? { query: 0 };
    this.set("pinned", query === this.model.get("pinned") ? null : query);
  }

  moveTo({ query, key }) {
    query = clamp(query, this.maps.queries);
    key = clamp(key, this.maps.keys);
    if (this.cursor?.query === query && this.cursor.key === key) return;
    this.cursor = { query, key };
    this.mark();
  }

  leave() {
    this.cursor = null;
    this.mark();
  }

  // -- What is shown

  draw() {
    const [layer, head] = [this.model.get("layer"), this.model.get("head")];
    this.layers.value = layer;
    this.heads.value = head;
    this.map = this.maps.get(layer, head);
    const own = this.map.reduce((a, b) => Math.max(a, b), 0);
    this.top = (this.sameScale ? this.maps.largest : own) || 1; // 1 where all rows are empty.
    const scale = 255 / this.top;
    const pixels = this.map.reduce((colours, weight, i) => {
      colours[i] = PALETTE[Math.min(255, Math.round(weight * scale))];
      return colours;
    }, new Uint32Array(this.map.length));
    const { queries, keys } = this.maps;
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer), keys, queries);
    this.canvas.getContext("2d").putImageData(image, 0, 0);
    const described =
      `Attention weights, layer ${layer}, ${this.heads.selectedOptions[0].text}: ` +
      `${queries} queries by ${keys} keys. ` +
      "Arrow keys move, brackets change the head, Enter pins a row, Escape unpins it.";
    this.canvas.setAttribute("aria-label", described);
    [this.top, this.top / 2, 0].forEach((weight, i) => {
      this.ticks[i].textContent = weight.toFixed(2);
    });
    this.mark();
    this.list();
  }

  mark() {
    const cell = this.cursor;
    for (const label of this.current ?? []) label.classList.remove("attention-current");
    this.current = cell ? [this.queryLabels[cell.query], this.keyLabels[cell.key]] : [];
    for (const label of this.current) label.classList.add("attention-current");
    this.frame.hidden = this.tooltip.hidden = !cell;
    const words = cell ? this.describe(cell) : [];
    this.tooltip.textContent = words.join("\n");
    // After a change of head the same cell is said again, with another weight and name.
    this.status.textContent = [...words, ...(cell ? this.mapName() : [])].join(", ");
    if (!cell) return;
    const [x, y] = [cell.key * this.cell, cell.query * this.cell];
    this.frame.style.transform = `translate(${x}px, ${y}px)`;
    // Towards the middle of the map, where there is room.
    const left = cell.key < this.maps.keys / 2;
    const above = cell.query < this.maps.queries / 2;
    const place = `translate(${left ? x + this.cell + 8 : x - 8}px, ${above ? y + this.cell + 8 : y - 8}px)`;
    this.tooltip.style.transform = `${place} translate(${left ? 0 : -100}%, ${above ? 0 : -100}%)`;
  }

  // What tells this map from the others; nothing where there is only one.
  mapName() {
    const [layer, head] = [this.layers, this.heads].map((s) => s.selectedOptions[0].text);
    return [...(this.maps.layers > 1 ? [layer] : []), ...(this.maps.heads > 1 ? [head] : [])];
  }

  describe({ query, key }) {
    const weight = this.map[query * this.maps.keys + key];
    return [
      `query ${this.queryTokens[query]} (${query})`,
      `key ${this.keyTokens[key]} (${key})`,
      `weight ${weight.toFixed(4)}`,
    ];
  }

  list() {
    const query = this.model.get("pinned");
    this.band.hidden = query === null;
    if (query === null) {
      this.panel.replaceChildren(element("p", "hint", "Click a row, or press Enter, to pin it."));
      return;
    }
    this.band.style.transform = `translateY(${query * this.cell}px)`;
    const { keys } = this.maps;
    const row = [...this.map.subarray(query * keys, (query + 1) * keys).entries()];
    const largest = row.filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]);
    // Not an ol, for which pages have rules that are hard to undo.
    const bars = element("div", "bars");
    bars.setAttribute("role", "list");
    bars.append(...largest.slice(0, MOST_BARS).map((entry) => this.buildBar(entry)));
    const subject = `${this.queryTokens[query]} (${query})`;
    const heading = `${subject} attends to${largest.length ? "" : " nothing"}`;
    this.panel.replaceChildren(element("p", "heading", heading), bars);
  }

  buildBar([key, weight]) {
    const item = element("div", "entry");
    item.setAttribute("role", "listitem");
    const track = element("span", "track");
    const bar = element("span", "amount");
    bar.style.width = `${Math.min(100, (100 * weight) / this.top)}%`;
    track.append(bar);
    const token = element("span", "token", `${this.keyTokens[key]} (${key})`);
    item.append(token, track, element("span", "number", weight.toFixed(4)));
    return item;
  }
}

function render({ model, el }) {
  const explorer = new Explorer(model, el);
  return () => explorer.remove();
}

export default { render };
