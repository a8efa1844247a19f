// Scores under a mask, and the weights after the softmax, which is computed here.

const LARGEST_MAP = 240; // pixels
const LARGEST_CELL = 36;
const SMALLEST_TEXT = 12; // pixels
const MOST_BARS = 8;
const HATCH = 5; // pixels between lines

// The weights of one row; all are 0 if nothing is allowed.
function maskedSoftmax(scores, allowed) {
  const kept = scores.filter((_, i) => allowed[i]);
  const top = Math.max(...kept);
  const sum = kept.reduce((total, score) => total + Math.exp(score - top), 0);
  return Array.from(scores, (score, i) => (allowed[i] ? Math.exp(score - top) / sum : 0));
}

class Masks extends MapView {
  constructor(model, el) {
    super(model, el, "mask-explorer");
    [this.rows, this.columns] = model.get("shape");
    this.scores = numbersOf(model.get("data"), Float32Array);
    this.keyTokens = model.get("tokens");
    this.queryTokens = this.keyTokens.slice(-this.rows);
    this.firstQuery = this.columns - this.rows;
    this.firstPadding = this.columns - model.get("num_padding");
    this.note = announcer("note");
    this.panel = announcer("panel");
    const views = element("div", "views");
    views.append(this.buildMaps(), this.panel);
    el.append(this.buildControls(), this.note, views, this.status);
    this.on(["causal", "padding"], () => this.draw());
    this.on(["pinned"], () => this.list());
    this.draw();
  }

  buildControls() {
    const padding = this.columns - this.firstPadding;
    const texts = { causal: "causal: no key after the query", padding: "padding: none here" };
    if (padding) texts.padding = `padding: not the last ${padding === 1 ? "key" : `${padding} keys`}`;
    this.boxes = Object.entries(texts).map(([name, text]) => {
      const label = buildCheckbox(text, false, (checked) => this.set(name, checked));
      return [name, label.querySelector("input"), label];
    });
    this.boxes[1][1].disabled = !padding;
    const controls = element("div", "controls");
    controls.append("mask:", ...this.boxes.map(([, , label]) => label));
    return controls;
  }

  buildMaps() {
    const cell = Math.min(LARGEST_CELL, Math.floor(roomFor(LARGEST_MAP) / this.columns));
    const top = largestOf(this.scores.map(Math.abs)) || 1;
    const build = (title, stops, low, high) => {
      const heatmap = new Heatmap(this.rows, this.columns, [cell, cell], stops);
      const legend = new Legend(title, stops);
      legend.show(low, high);
      const cover = element("canvas", "cover");
      // Twice the size, so that it is sharp where a CSS pixel is two pixels of the screen.
      Object.assign(cover, { width: 2 * cell * this.columns, height: 2 * cell * this.rows });
      heatmap.canvas.after(cover);
      this.follow(heatmap);
      const tokens = [this.queryTokens, this.keyTokens];
      return { cover, plot: new Plot(heatmap, ...tokens, ["query", "key"], legend) };
    };
    this.before = build("score", BLUE_ORANGE, -top, top);
    this.before.plot.heatmap.paint(this.scores, -top, top);
    this.after = build("weight", VIRIDIS, 0, 1);
    this.nothing = element("div", "nothing");
    this.after.plot.heatmap.bands.after(this.nothing);
    const maps = element("div", "maps");
    for (const [heading, { plot }] of [
      ["scores, blocked ones hatched", this.before],
      ["weights after the softmax", this.after],
    ]) {
      const part = element("div", "part");
      part.append(element("p", "heading", heading), plot.node);
      maps.append(part);
    }
    this.takeKeys(maps);
    return maps;
  }

  pressed(key) {
    const letter = { c: "causal", p: "padding" }[key.toLowerCase()];
    if (letter === "padding" && this.boxes[1][1].disabled) return false;
    if (letter) this.set(letter, !this.model.get(letter));
    else if (key === "Escape" && this.model.get("pinned") !== null) this.set("pinned", null);
    else return false;
    return true;
  }

  pin() {
    const { row } = this.cursor ?? ORIGIN;
    this.set("pinned", row === this.model.get("pinned") ? null : row);
  }

  // -- The masks

  // The masks that block a score.
  blockers(row, column) {
    return [
      ...(this.model.get("causal") && column > row + this.firstQuery ? ["causal"] : []),
      ...(this.model.get("padding") && column >= this.firstPadding ? ["padding"] : []),
    ];
  }

  draw() {
    for (const [name, box] of this.boxes) box.checked = this.model.get(name);
    const columns = range(this.columns);
    this.allowed = range(this.rows).map((row) =>
      columns.map((column) => !this.blockers(row, column).length),
    );
    this.weights = this.allowed.map((allowed, row) =>
      maskedSoftmax(this.scores.subarray(row * this.columns, (row + 1) * this.columns), allowed),
    );
    this.after.plot.heatmap.paint(Float32Array.from(this.weights.flat()), 0, 1);
    for (const { cover, plot } of [this.before, this.after]) this.hatch(cover, plot.heatmap.width);
    this.empty = range(this.rows).filter((row) => !this.allowed[row].includes(true));
    this.markEmpty();
    const blocked = this.allowed.flat().filter((allowed) => !allowed).length;
    const all = this.rows * this.columns;
    this.note.textContent =
      `${blocked} of ${all} scores are blocked.` +
      (this.empty.length
        ? ` Nothing is left for ${this.empty.map((row) => this.query(row)).join(", ")}: weights 0.`
        : "");
    this.target.setAttribute(
      "aria-label",
      `Scores and weights: ${this.rows} queries by ${this.columns} keys. Arrow keys move, C and P ` +
        "switch the causal and the padding mask, Enter pins a row, Escape unpins it.",
    );
    this.mark();
    this.list();
  }

  hatch(cover, cell) {
    const pen = cover.getContext("2d");
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.clearRect(0, 0, cover.width, cover.height);
    pen.beginPath();
    this.allowed.forEach((row, y) =>
      row.forEach((allowed, x) => {
        if (!allowed) pen.rect(x * cell, y * cell, cell, cell);
      }),
    );
    pen.fillStyle = COLORS.masked;
    pen.fill();
    pen.save();
    pen.clip();
    pen.beginPath();
    for (let x = -cover.height; x < cover.width; x += HATCH) {
      pen.moveTo(x, cover.height);
      pen.lineTo(x + cover.height, 0);
    }
    pen.strokeStyle = COLORS.hatch;
    pen.stroke();
    pen.restore();
  }

  markEmpty() {
    const { height } = this.after.plot.heatmap;
    this.nothing.replaceChildren(
      ...this.empty.map((row) => {
        const mark = element("span", "empty", height < SMALLEST_TEXT ? "" : "nothing: all 0");
        mark.style.transform = `translateY(${row * height}px)`;
        return mark;
      }),
    );
  }

  // -- Words

  query(row) {
    return `${this.queryTokens[row]} (${row + this.firstQuery})`;
  }

  key(column) {
    return `${this.keyTokens[column]} (${column})`;
  }

  mark() {
    const cell = this.cursor;
    const words = cell ? this.describe(cell) : [];
    for (const { plot } of [this.before, this.after]) {
      const under = plot.heatmap === (this.under ?? this.after.plot.heatmap);
      plot.mark(cell, under ? words : []);
    }
    this.status.textContent = words.join(", ");
    if (this.row() !== this.listed) this.list();
  }

  describe({ row, column }) {
    const score = this.scores[row * this.columns + column];
    const blockers = this.blockers(row, column);
    const why = blockers.length ? ` (blocked: ${blockers.join(" and ")})` : "";
    return [
      `query ${this.query(row)}`,
      `key ${this.key(column)}`,
      `score ${score.toFixed(4)}${why}`,
      `weight ${this.weights[row][column].toFixed(4)}`,
    ];
  }

  row() {
    return this.model.get("pinned") ?? this.cursor?.row ?? null;
  }

  list() {
    const row = this.row();
    this.listed = row;
    for (const { plot } of [this.before, this.after]) plot.heatmap.markRows([this.model.get("pinned")]);
    if (row === null) {
      const hint = "Point at a row to read it; a click or Enter pins it.";
      this.panel.replaceChildren(element("p", "hint", hint));
      return;
    }
    const entries = [...this.weights[row].entries()];
    const kept = entries.filter(([column]) => this.allowed[row][column]);
    const bars = kept.sort((a, b) => b[1] - a[1]).slice(0, MOST_BARS);
    const blocked = range(this.columns).filter((column) => !this.allowed[row][column]);
    const heading = `${this.query(row)} attends to${kept.length ? "" : " nothing"}`;
    const rest = kept.length > bars.length ? `and ${kept.length - bars.length} more. ` : "";
    const names = blocked.map((column) => this.key(column)).join(", ");
    this.panel.replaceChildren(
      element("p", "heading", heading),
      buildList(bars.map(([column, weight]) => buildBar(this.key(column), weight, 1))),
      element("p", "blocked", `${rest}${names ? `Blocked: ${names}.` : "Nothing is blocked."}`),
    );
  }
}

function render({ model, el }) {
  const view = new Masks(model, el);
  return () => view.remove();
}

export default { render };
