// The table of sinusoidal positions, computed here: its rows, their dot products and their rotation.

const TABLE = [256, 384]; // pixels: the width, which leaves a phone room for the scale, and the largest height
const MOST_WIDTH = 128;
const LEAST_WIDTH = 4;
const BASES = [10, 50]; // tenths of a power of ten
const CIRCLE = 150; // pixels

// The angle by which a column turns from each position to the next.
function frequency(column, width, base) {
  return base ** ((-2 * Math.floor(column / 2)) / width);
}

// The table, row by row: sines in even columns, cosines in odd ones.
function sinusoidalTable(rows, width, base) {
  return Float64Array.from({ length: rows * width }, (_, i) => {
    const [row, column] = [Math.floor(i / width), i % width];
    const angle = row * frequency(column, width, base);
    return column % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

class Positions extends MapView {
  constructor(model, el) {
    super(model, el, "position-explorer");
    this.rows = model.get("max_tokens");
    this.legend = new Legend("value", BLUE_ORANGE);
    this.legend.show(-1, 1);
    this.place = element("div", "table");
    this.lines = new LineChart("column");
    this.products = new LineChart("position");
    this.circle = svgElement("svg", { class: "lesson-circle", viewBox: "-75 -75 150 150", width: CIRCLE, height: CIRCLE });
    this.circle.setAttribute("aria-hidden", "true");
    const texts = ["compared", "product", "turn"].map((name) => [name, announcer(name)]);
    this.texts = Object.fromEntries(texts);
    const views = element("div", "views");
    views.append(this.place, this.buildSide());
    el.append(this.buildControls(), views, this.status);
    this.on(["d_model", "base"], () => this.draw());
    this.on(["first", "second", "shift", "pair"], () => this.compare());
    this.draw();
  }

  buildControls() {
    const last = this.rows - 1;
    this.sliders = {
      d_model: buildSlider("width d_model", [LEAST_WIDTH, MOST_WIDTH], String, (v) => this.set("d_model", v)),
      base: buildSlider("base", BASES, () => grouped(this.model.get("base")), (v) =>
        this.set("base", powerOfTen(v)),
      ),
      first: buildSlider("row A", [0, last], String, (v) => this.set("first", v)),
      second: buildSlider("row B", [0, last], String, (v) => this.set("second", v)),
    };
    this.sliders.base.refresh = () => this.sliders.base.show(tenthsOf(this.model.get("base")));
    const controls = element("div", "controls");
    controls.append(...Object.values(this.sliders).map(({ node }) => node));
    return controls;
  }

  buildSide() {
    const side = element("div", "side");
    const turning = element("div", "turning");
    this.pairSlider = buildSlider("pair", [0, 1], String, (v) => this.set("pair", v));
    this.shiftSlider = buildSlider("shift k", [0, this.rows - 1], String, (v) => this.set("shift", v));
    const choices = element("div", "choices");
    choices.append(this.pairSlider.node, this.shiftSlider.node, this.texts.turn);
    turning.append(this.circle, choices);
    side.append(this.texts.compared, this.lines.node, this.texts.product, this.products.node, turning);
    return side;
  }

  // -- The table

  draw() {
    this.columns = this.model.get("d_model");
    this.base = this.model.get("base");
    this.table = sinusoidalTable(this.rows, this.columns, this.base);
    this.sliders.d_model.show(this.columns);
    this.sliders.base.refresh();
    const [width, height] = TABLE;
    const size = [roomFor(width) / this.columns, Math.max(2, Math.min(14, Math.floor(height / this.rows)))];
    this.heatmap = new Heatmap(this.rows, this.columns, size, BLUE_ORANGE);
    this.heatmap.paint(this.table, -1, 1);
    const names = [this.rows, this.columns].map((count) => range(count).map(String));
    this.plot = new Plot(this.heatmap, ...names, ["position", "column"], this.legend);
    this.takeKeys(this.heatmap.canvas);
    this.follow(this.heatmap);
    this.target.setAttribute(
      "aria-label",
      `Sinusoidal positions: ${this.rows} positions by ${this.columns} columns. Arrow keys move, ` +
        "Enter or A takes the row under the cursor as row A, B as row B.",
    );
    this.place.replaceChildren(this.plot.node);
    this.cursor = null;
    this.compare();
  }

  row(position) {
    return this.table.subarray(position * this.columns, (position + 1) * this.columns);
  }

  mark() {
    const cell = this.cursor;
    const words = cell ? this.describe(cell) : [];
    this.plot.mark(cell, words);
    this.status.textContent = words.join(", ");
  }

  describe({ row, column }) {
    const angle = row * frequency(column, this.columns, this.base);
    const value = this.table[row * this.columns + column];
    const name = column % 2 ? "cos" : "sin";
    return [`position ${row}`, `column ${column}`, `${name} ${angle.toFixed(4)} = ${value.toFixed(4)}`];
  }

  pin() {
    this.set("first", (this.cursor ?? ORIGIN).row);
  }

  pressed(key) {
    const name = { a: "first", b: "second" }[key.toLowerCase()];
    if (name) this.set(name, (this.cursor ?? ORIGIN).row);
    return Boolean(name);
  }

  // -- Two rows, and one pair of columns

  compare() {
    const [first, second] = [this.model.get("first"), this.model.get("second")];
    this.sliders.first.show(first);
    this.sliders.second.show(second);
    this.heatmap.markRows([first, second], ["A", "B"]);
    const [a, b] = [this.row(first), this.row(second)];
    const series = [["A", a], ["B", b]].map(([name, values]) => ({ name, values }));
    this.lines.draw(series, [], -1, 1);
    const product = dot(a, b).toFixed(4);
    this.texts.compared.textContent = `row ${first} (A, solid) · row ${second} (B, dashed) = ${product}`;

    const products = range(this.rows).map((row) => dot(a, this.row(row)));
    const marks = [{ name: "A", x: first }, { name: "B", x: second }];
    const [lowest, highest] = [Math.min(...products), Math.max(...products)];
    this.products.draw([{ name: "all", values: products }], marks, Math.min(0, lowest), highest);
    const itself = products[first].toFixed(4);
    this.texts.product.textContent = `A · every row: ${rounded(lowest)} to ${rounded(highest)}; A · A = ${itself}`;
    this.turn(first);
  }

  turn(position) {
    const pairs = Math.floor(this.columns / 2);
    const pair = Math.min(this.model.get("pair"), pairs - 1);
    const shift = this.model.get("shift");
    this.pairSlider.input.max = pairs - 1;
    this.pairSlider.show(pair);
    this.shiftSlider.show(shift);
    const omega = frequency(2 * pair, this.columns, this.base);
    const angle = shift * omega;
    this.drawCircle(position * omega, angle);
    const degrees = ((angle * 180) / Math.PI).toFixed(1);
    this.texts.turn.replaceChildren(
      ...[
        `Columns ${2 * pair} and ${2 * pair + 1}: ω = ${this.base}^(−${2 * pair}/${this.columns}) = ${omega.toFixed(6)}`,
        `k · ω = ${shift} · ${omega.toFixed(6)} = ${angle.toFixed(4)} rad = ${degrees}°`,
        `From position ${position} (solid) to ${position + shift} (dashed), as from any p to p + ${shift}.`,
      ].map((text) => element("p", "", text)),
    );
  }

  // The cosine points right and the sine up, so the angle grows counterclockwise.
  drawCircle(start, angle) {
    const radius = 58;
    const at = (turned, far = radius) => [far * Math.cos(turned), -far * Math.sin(turned)];
    const ray = (turned, name) => {
      const [x, y] = at(turned);
      return [
        svgElement("line", { class: `lesson-line lesson-${name}`, x1: 0, y1: 0, x2: x, y2: y }),
        svgElement("circle", { class: `lesson-point lesson-${name}`, cx: x, cy: y, r: 4 }),
      ];
    };
    // An angle of more than one turn is drawn as one turn.
    const steps = range(49).map((i) => at(start + (Math.min(angle, 2 * Math.PI) * i) / 48, 24));
    this.circle.replaceChildren(
      svgElement("circle", { class: "lesson-grid", r: radius, fill: "none" }),
      svgElement("line", { class: "lesson-grid", x1: -radius, x2: radius }),
      svgElement("line", { class: "lesson-grid", y1: -radius, y2: radius }),
      svgElement("text", { x: 62, y: -3, text: "cos" , "text-anchor": "middle" }),
      svgElement("text", { x: 4, y: -64, text: "sin" }),
      svgElement("polyline", { class: "lesson-line lesson-all", points: steps.join(" ") }),
      ...ray(start, "A"),
      ...ray(start + angle, "shifted"),
    );
  }
}

function render({ model, el }) {
  const view = new Positions(model, el);
  return () => view.remove();
}

export default { render };
