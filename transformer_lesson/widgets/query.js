// A plane with keys, and a query that is dragged or moved by arrow keys: scores, weights, output.

const PLANE = 260; // pixels
const STEP = 0.1;
const MOVE = { ArrowUp: [0, STEP], ArrowDown: [0, -STEP], ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0] };

class Query extends View {
  constructor(model, el) {
    super(model, el, "query-explorer");
    this.keys = model.get("key_rows");
    this.values = model.get("value_rows");
    for (const name of ["tokens", "axes", "features"]) this[name] = model.get(name);
    [this.low, this.high] = model.get("bounds");
    this.scores = element("div", "column");
    this.weights = element("div", "column");
    this.output = element("div", "column");
    const views = element("div", "views");
    views.append(this.buildPlane(), this.scores, this.weights, this.output);
    el.append(views, this.status);
    this.on(["query"], () => this.draw());
    this.draw();
  }

  x(value) {
    return ((value - this.low) / (this.high - this.low)) * PLANE;
  }

  y(value) {
    return PLANE - this.x(value);
  }

  buildPlane() {
    const plane = svgElement("svg", { class: "lesson-plane", viewBox: `0 0 ${PLANE} ${PLANE}`, tabindex: 0 });
    plane.setAttribute("role", "application");
    const [zero, high] = [this.x(0), PLANE];
    plane.append(
      svgElement("line", { class: "lesson-axis", x1: zero, x2: zero, y1: 0, y2: high }),
      svgElement("line", { class: "lesson-axis", x1: 0, x2: high, y1: this.y(0), y2: this.y(0) }),
      svgElement("text", { x: high - 4, y: this.y(0) + 16, "text-anchor": "end", text: `${this.axes[0]} →` }),
      svgElement("text", { x: zero + 6, y: 12, text: `↑ ${this.axes[1]}` }),
    );
    for (const [x, y, names] of this.model.get("places")) {
      plane.append(svgElement("circle", { class: "lesson-key", cx: this.x(x), cy: this.y(y), r: 4 }));
      plane.append(svgElement("text", { x: this.x(x) + 7, y: this.y(y) - 6, text: names }));
    }
    this.arrow = svgElement("line", { class: "lesson-query", x1: zero, y1: this.y(0) });
    this.head = svgElement("circle", { class: "lesson-query", r: 8 });
    plane.append(this.arrow, this.head);
    plane.addEventListener("pointerdown", (event) => {
      plane.setPointerCapture(event.pointerId);
      this.drag(event, plane);
    });
    plane.addEventListener("pointermove", (event) => event.buttons && this.drag(event, plane));
    plane.addEventListener("keydown", (event) => {
      if (!(event.key in MOVE) || modified(event)) return;
      event.preventDefault();
      const query = this.model.get("query");
      this.move(query.map((value, i) => value + MOVE[event.key][i]));
    });
    this.plane = plane;
    return plane;
  }

  drag({ clientX, clientY }, plane) {
    const { left, top, width } = plane.getBoundingClientRect();
    const scale = (this.high - this.low) / width;
    this.move([this.low + (clientX - left) * scale, this.high - (clientY - top) * scale]);
  }

  move(query) {
    const kept = query.map((value) => Math.max(this.low, Math.min(this.high, value)));
    this.set("query", kept.map((value) => Number(value.toFixed(2))));
  }

  draw() {
    const query = this.model.get("query");
    const [x, y] = [this.x(query[0]), this.y(query[1])];
    Object.entries({ x2: x, y2: y }).forEach(([name, value]) => this.arrow.setAttribute(name, value));
    Object.entries({ cx: x, cy: y }).forEach(([name, value]) => this.head.setAttribute(name, value));
    const scores = this.keys.map((key) => (key[0] * query[0] + key[1] * query[1]) / Math.SQRT2);
    const exponentials = scores.map((score) => Math.exp(score - largestOf(scores)));
    const sum = exponentials.reduce((a, b) => a + b);
    const weights = exponentials.map((exponential) => exponential / sum);
    const output = this.features.map((_, f) => weights.reduce((a, w, i) => a + w * this.values[i][f], 0));
    this.list(this.scores, "score", this.tokens, scores);
    this.list(this.weights, "weight", this.tokens, weights, 1);
    this.list(this.output, "output", this.features, output);
    const asked = query.map((value, i) => `${this.axes[i]} ${value.toFixed(1)}`).join(", ");
    this.plane.setAttribute("aria-label", `Query: ${asked}. Arrow keys move it.`);
    const most = weights.indexOf(largestOf(weights));
    this.status.textContent = `${this.tokens[most]} gets ${weights[most].toFixed(2)} of the weight`;
  }

  list(column, title, names, amounts, top = Math.max(1, ...amounts.map(Math.abs))) {
    const bars = names.map((name, i) => buildBar(name, amounts[i], top));
    bars.forEach((bar, i) => (bar.lastChild.textContent = amounts[i].toFixed(2).replace("-", "−")));
    column.replaceChildren(element("p", "heading", title), buildList(bars));
  }
}

function render({ model, el }) {
  const view = new Query(model, el);
  return () => view.remove();
}

export default { render };
