// The tiles of flash attention, step by step: words moved, words held, and the state of a row.

const GRID = 256; // pixels
const LARGEST_CELL = 36;
const PLAY_MS = 1000;

const CHOICES = {
  direction: [["forward", "forward"], ["backward", "backward"]],
  order: [["queries", "queries first (FlashAttention-2)"], ["keys", "keys first (FlashAttention-1)"]],
  maximum: [["running", "running maximum"], ["zero", "maximum starts at 0"], ["none", "no maximum"]],
  times: [1, 3, 10, 30, 100].map((times) => [times, `scores × ${times}`]),
};
const SELECTS = { direction: "pass", order: "order", maximum: "maximum", times: "scores" };

class Tiles extends View {
  constructor(model, el) {
    super(model, el, "tile-explorer");
    const shape = model.get("shape");
    this.given = givenOf(shape, numbersOf(model.get("data"), Float32Array), model.get("scale"));
    this.memory = element("div", "memory");
    this.moved = element("div", "moved");
    this.panel = element("div", "panel");
    const [first, second] = [element("div", "views"), element("div", "views")];
    first.append(this.buildGrid(), this.panel);
    second.append(this.memory, this.moved);
    el.append(...this.buildControls(), this.status, first, second);
    this.on(["step", "row", "capacity", ...RULES], () => this.draw());
    this.draw();
  }

  // -- Choices

  buildControls() {
    this.button = buildButton("play", "", () => this.toggle());
    this.pause();
    const say = (step) => `${Number(step) + 1} of ${this.walk?.steps.length ?? 1}`;
    this.slider = buildSlider("step", [0, 0], say, (step) => this.go(step));
    const size = (name, text, most) => {
      const slider = buildSlider(text, [1, most], String, (value) => this.change(name, value));
      return [name, slider];
    };
    this.sizes = [
      size("tile_queries", "queries in a tile", this.given.queries),
      size("tile_keys", "keys in a tile", this.given.keys),
    ];
    this.selects = Object.entries(SELECTS).map(([name, text]) => {
      const options = CHOICES[name].map(([, words], i) => [i, words]);
      const select = buildSelect(text, options, (i) => this.change(name, CHOICES[name][i][0]));
      return [name, select];
    });
    const box = (name, text, value = true) => {
      const label = buildCheckbox(text, false, (on) => this.change(name, on === value));
      return [name, label, value];
    };
    this.boxes = [
      box("causal", "causal"),
      box("last_first", "last keys first"),
      box("rescaling", "no rescaling", false),
      box("minus_million", "−1e6 for −∞ as a mask"),
    ];
    const [causal, lastFirst, rescaling, million] = this.boxes.map(([, label]) => label);
    const [direction, order, maximum, times] = this.selects.map(([, select]) => select);
    const hint = element("span", "hint", "on the grid: ← → step, ↑ ↓ row, space plays");
    const sizes = this.sizes.map(([, { node }]) => node);
    return [
      [this.button, this.slider.node, hint],
      [direction, order, causal, lastFirst],
      sizes,
      [element("span", "name", "break it:"), rescaling, million, maximum, times],
    ].map((parts) => {
      const line = element("div", "controls");
      line.append(...parts);
      return line;
    });
  }

  // A change may leave fewer steps than there were.
  change(name, value) {
    this.pause();
    this.model.set(name, value);
    this.model.set("step", this.step());
    this.model.save_changes();
  }

  go(step) {
    this.pause();
    this.set("step", clamp(step, this.walk.steps.length));
  }

  step() {
    return clamp(this.model.get("step"), this.walk.steps.length);
  }

  // -- Playing

  toggle() {
    if (this.timer) return this.pause();
    const last = this.walk.steps.length - 1;
    const next = this.step() < last ? this.step() + 1 : 0;
    // With reduced motion the reader steps by hand.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.go(next);
    this.set("step", next);
    if (next === last) return;
    this.timer = setInterval(() => this.advance(), PLAY_MS);
    this.button.textContent = "pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.button.textContent = still ? "next tile" : "play";
  }

  advance() {
    const last = this.walk.steps.length - 1;
    if (this.step() < last) this.set("step", this.step() + 1);
    if (this.step() >= last) this.pause();
  }

  remove() {
    this.pause();
    super.remove();
  }

  // -- The grid

  buildGrid() {
    const { queries, keys, scores } = this.given;
    const cell = Math.min(LARGEST_CELL, Math.floor(GRID / Math.max(queries, keys)));
    const top = largestOf(scores.flat().map(Math.abs)) || 1;
    this.heatmap = new Heatmap(queries, keys, [cell, cell], BLUE_ORANGE);
    this.heatmap.paint(Float32Array.from(scores.flat()), -top, top);
    const size = { width: keys * cell, height: queries * cell };
    this.overlay = svgElement("svg", { class: "lesson-overlay", viewBox: `0 0 ${size.width} ${size.height}` });
    this.overlay.setAttribute("aria-hidden", "true"); // The status describes it.
    this.heatmap.canvas.after(this.overlay);
    this.heatmap.canvas.addEventListener("click", (event) => this.choose(this.heatmap.at(event)));
    const legend = new Legend("score", BLUE_ORANGE);
    legend.show(-top, top);
    const names = [queries, keys].map((count) => range(count).map(String));
    const plot = new Plot(this.heatmap, ...names, ["query", "key"], legend);
    this.key = element("p", "key");
    this.grid = element("div", "grid");
    this.grid.tabIndex = 0;
    this.grid.setAttribute("role", "application");
    this.grid.setAttribute(
      "aria-label",
      `Tiles of ${queries} queries by ${keys} keys. Left and right step, up and down choose a row, ` +
        "Home and End go to the first and the last tile, Space plays and pauses.",
    );
    this.grid.addEventListener("keydown", (event) => this.press(event));
    this.grid.append(plot.node);
    const part = element("div", "part");
    part.append(element("p", "heading", "scores, cut in tiles"), this.grid, this.key);
    return part;
  }

  choose({ row, column }) {
    const tile = this.walk.tiles.find(
      ({ rows, columns }) => between(rows).includes(row) && between(columns).includes(column),
    );
    this.set("row", row);
    if (!tile.skipped) this.go(tile.step);
  }

  press(event) {
    if (modified(event)) return;
    const row = this.model.get("row");
    const moves = {
      ArrowLeft: () => this.go(this.step() - 1),
      ArrowRight: () => this.go(this.step() + 1),
      Home: () => this.go(0),
      End: () => this.go(Infinity),
      ArrowUp: () => this.set("row", clamp(row - 1, this.given.queries)),
      ArrowDown: () => this.set("row", clamp(row + 1, this.given.queries)),
      " ": () => this.toggle(),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  }

  // The class of a tile says whether it is visited, current, to come or skipped; masked scores are
  // struck out.
  drawTiles(step) {
    const cell = this.heatmap.width;
    const box = ({ rows: [top, bottom], columns: [left, right] }) => ({
      ...{ x: left * cell, y: top * cell },
      ...{ width: (right - left) * cell, height: (bottom - top) * cell },
    });
    const place = (tile) => {
      if (tile.skipped) return "skipped";
      if (tile.step === step) return "now";
      return tile.step < step ? "visited" : "coming";
    };
    const masked = this.walk.allowed.flatMap((row, y) =>
      row.flatMap((allowed, x) => (allowed ? [] : [[x * cell, y * cell]])),
    );
    const squares = masked.map(([x, y]) => `M${x} ${y}h${cell}v${cell}h${-cell}z`).join("");
    const strokes = masked.map(([x, y]) => `M${x} ${y + cell}l${cell} ${-cell}`).join("");
    const tiles = this.walk.tiles.map((tile) => {
      const name = `lesson-tile lesson-${place(tile)}${tile.partly ? " lesson-partly" : ""}`;
      return svgElement("rect", { class: name, ...box(tile) });
    });
    const current = this.walk.steps[step];
    this.overlay.replaceChildren(
      svgElement("path", { class: "lesson-masked", d: squares }),
      svgElement("path", { class: "lesson-strokes", d: strokes }),
      ...tiles,
      svgElement("rect", { class: "lesson-outer", ...box(current) }),
      svgElement("rect", { class: "lesson-inner", ...box(current) }),
    );
  }

  drawKey(step) {
    const { tiles, steps } = this.walk;
    const counts = [
      ["visited", step],
      ["now", 1],
      ["coming", steps.length - step - 1],
      ["skipped", tiles.length - steps.length],
      ["partly", steps.filter(({ partly }) => partly).length],
    ];
    const names = { now: "this tile", coming: "to come", partly: "partly masked" };
    this.key.replaceChildren(
      ...counts.map(([name, count]) => {
        const item = element("span", "item");
        const text = `${names[name] ?? name}${name === "now" ? "" : ` ${count}`}`;
        item.append(element("span", `swatch lesson-${name}`), text);
        return item;
      }),
    );
  }

  // -- Drawing

  draw() {
    const rules = Object.fromEntries(RULES.map((name) => [name, this.model.get(name)]));
    if (JSON.stringify(rules) !== JSON.stringify(this.walk?.rules)) {
      this.walk = new TileWalk(this.given, rules);
    }
    const [step, row] = [this.step(), this.model.get("row")];
    this.slider.input.max = this.walk.steps.length - 1;
    this.slider.show(step);
    for (const [name, { show }] of this.sizes) show(rules[name]);
    for (const [name, label, value] of this.boxes) {
      label.querySelector("input").checked = rules[name] === value;
    }
    for (const [name, select] of this.selects) {
      select.value = CHOICES[name].findIndex(([value]) => value === rules[name]);
    }
    this.drawTiles(step);
    this.drawKey(step);
    this.heatmap.markRows([row]);
    const capacity = this.model.get("capacity");
    this.memory.replaceChildren(...memoryOf(this.walk, step, capacity));
    this.moved.replaceChildren(...movedOf(this.walk, step));
    this.panel.replaceChildren(...rowOf(this.walk, row, step));
    this.status.textContent = sentenceOf(this.walk, row, step, capacity);
  }
}

function render({ model, el }) {
  const view = new Tiles(model, el);
  return () => view.remove();
}

export default { render };
