// A beam search as a tree: a column of hypotheses for each step, and the finished texts below it.

const COLUMN = 140; // pixels
const ROW = 30;
const BOX = { width: 108, height: 24 };
const SIGNS = { kept: "", dropped: "×", finished: "■" };
const WORDS = { kept: "kept", dropped: "dropped", finished: "finished" };

function signed(value, places) {
  return value.toFixed(places).replace("-", "−");
}

class Beams extends View {
  constructor(model, el) {
    super(model, el, "beam-explorer");
    this.prompt = model.get("prompt");
    this.steps = model.get("steps");
    this.last = this.steps.length - 1;
    this.cursor = null;
    this.orders = this.arrange();
    this.ranks = element("div", "ranks");
    this.ranks.addEventListener("click", ({ target }) => this.moveTo(target.lessonPlace));
    const part = element("div", "ranking");
    this.heading = element("p", "heading");
    part.append(this.heading, this.ranks);
    el.append(this.buildControls(el), this.status, this.buildTree(), this.buildKey(), part);
    this.on(["step"], () => this.draw());
    this.draw();
  }

  buildControls(el) {
    this.player = new Player(this, el, "step", this.last);
    return this.player.buildControls("Space plays and pauses; on the tree the arrow keys move");
  }

  remove() {
    this.player.pause();
    super.remove();
  }

  // The nodes of each step from top to bottom, ordered by their parents so that no lines cross.
  arrange() {
    let before = { null: 0 };
    return this.steps.map((nodes) => {
      const order = range(nodes.length).sort(
        (a, b) => before[nodes[a].parent] - before[nodes[b].parent] || a - b,
      );
      before = Object.fromEntries(order.map((node, row) => [node, row]));
      return order;
    });
  }

  // -- The tree

  buildTree() {
    const height = ROW * Math.max(...this.steps.map((nodes) => nodes.length));
    const width = COLUMN * this.steps.length + BOX.width;
    this.target = element("div", "tree");
    this.target.tabIndex = 0;
    this.target.setAttribute("role", "application");
    this.target.setAttribute(
      "aria-label",
      `The tree of a beam search of width ${this.model.get("beam_width")} in ${this.steps.length} steps. Up and ` +
        "down choose a hypothesis of a step, left the one that it goes on from, right the first that goes " +
        "on from it, End the best finished text, Escape none.",
    );
    const field = element("div", "field");
    Object.assign(field.style, { width: `${width}px`, height: `${height}px` });
    this.edges = svgElement("svg", { class: "lesson-edges", width, height, "aria-hidden": true });
    const root = element("div", "node", this.prompt.join(" "));
    root.classList.add("lesson-root");
    root.title = this.prompt.join(" ");
    this.boxes = this.steps.map((nodes, step) => nodes.map((node, i) => this.buildNode(node, step, i)));
    this.lines = this.steps.map((nodes, step) => nodes.map((node, i) => this.buildEdge(node, step, i)));
    this.edges.append(...this.lines.flat());
    field.append(this.edges, root, ...this.boxes.flat());
    field.addEventListener("pointerleave", () => {
      if (document.activeElement !== this.target) this.moveTo(null);
    });
    this.target.append(field);
    this.target.addEventListener("keydown", (event) => this.press(event));
    this.target.addEventListener("blur", () => this.moveTo(null));
    this.target.addEventListener("focus", () => {
      // If a click gave the focus, it has chosen a node already.
      if (!this.cursor) this.moveTo(this.best() ?? { step: 0, node: this.orders[0][0] });
    });
    return this.target;
  }

  row(step, node) {
    return this.orders[step].indexOf(node);
  }

  buildNode({ token, score, state }, step, node) {
    const box = element("div", "node");
    box.title = token; // The token may be longer than the box.
    box.classList.add(`lesson-${state}`);
    box.append(
      element("span", "sign", SIGNS[state]),
      element("span", "token", token),
      element("span", "number", signed(score, 2)),
    );
    box.style.transform = `translate(${COLUMN * (step + 1)}px, ${ROW * this.row(step, node)}px)`;
    box.addEventListener("pointerenter", () => this.moveTo({ step, node }, false));
    box.addEventListener("click", () => this.moveTo({ step, node }, false));
    return box;
  }

  buildEdge({ parent, state }, step, node) {
    const [x, y] = [COLUMN * step + BOX.width, BOX.height / 2];
    const from = y + (step ? ROW * this.row(step - 1, parent) : 0);
    const to = y + ROW * this.row(step, node);
    const bend = COLUMN - BOX.width;
    const path = `M ${x} ${from} c ${bend / 2} 0 ${bend / 2} ${to - from} ${bend} ${to - from}`;
    return svgElement("path", { class: `lesson-edge lesson-${state}`, d: path });
  }

  buildKey() {
    const key = element("p", "key");
    for (const [state, words] of Object.entries(WORDS)) {
      const sample = element("span", "node", SIGNS[state]);
      sample.classList.add(`lesson-${state}`);
      key.append(sample, element("span", "", words));
    }
    key.append(element("span", "note", "the number is the score: log-probability over length penalty"));
    return key;
  }

  // -- The cursor

  press(event) {
    const { key } = event;
    if (modified(event)) return;
    const place = this.cursor ?? this.best() ?? { step: 0, node: this.orders[0][0] };
    const moves = {
      ArrowUp: () => this.beside(place, -1),
      ArrowDown: () => this.beside(place, 1),
      ArrowLeft: () => this.above(place) ?? place,
      ArrowRight: () => this.below(place) ?? place,
      Home: () => ({ step: 0, node: this.orders[0][0] }),
      End: () => this.best() ?? place,
      Escape: () => null,
    };
    if (!(key in moves) || (key === "Escape" && !this.cursor)) return;
    event.preventDefault();
    event.stopPropagation();
    const to = moves[key]();
    if (to && to.step > this.model.get("step")) this.player.go(to.step);
    this.moveTo(to);
  }

  beside({ step, node }, by) {
    const order = this.orders[step];
    return { step, node: order[clamp(order.indexOf(node) + by, order.length)] };
  }

  above({ step, node }) {
    return step ? { step: step - 1, node: this.steps[step][node].parent } : null;
  }

  below({ step, node }) {
    const next = this.orders[step + 1]?.find((i) => this.steps[step + 1][i].parent === node);
    return next === undefined ? null : { step: step + 1, node: next };
  }

  // Scrolls to `place`, unless the mouse chose it.
  moveTo(place, scroll = true) {
    if (place === undefined) return;
    this.cursor = place;
    this.mark();
    if (place && scroll) this.scrollTo(place.step);
  }

  scrollTo(step) {
    const left = COLUMN * (step + 1);
    const { scrollLeft, clientWidth } = this.target;
    if (left < scrollLeft) this.target.scrollLeft = left - COLUMN;
    if (left + COLUMN > scrollLeft + clientWidth) this.target.scrollLeft = left + COLUMN - clientWidth;
  }

  // -- Drawing

  // The path from the first step to `place`.
  way(place) {
    const places = [];
    for (let at = place; at; at = this.above(at)) places.unshift(at);
    return places;
  }

  text(place) {
    return this.way(place).map(({ step, node }) => this.steps[step][node].token).join(" ");
  }

  // The best finished texts up to the step shown, as many as the beam is wide, the best first.
  ranking() {
    return this.steps
      .slice(0, this.model.get("step") + 1)
      .flatMap((nodes, step) => nodes.map(({ score, state }, node) => ({ step, node, score, state })))
      .filter(({ state }) => state === "finished")
      .sort((a, b) => b.score - a.score)
      .slice(0, this.model.get("beam_width"));
  }

  best() {
    return this.ranking()[0];
  }

  draw() {
    const step = this.model.get("step");
    this.player.slider.show(step);
    this.boxes.forEach((column, at) => {
      for (const box of [...column, ...this.lines[at]]) box.classList.toggle("lesson-later", at > step);
    });
    if (this.cursor?.step > step) this.cursor = null;
    const ranking = this.ranking();
    const end = step === this.last ? "in the end" : "up to here";
    this.heading.textContent = ranking.length ? `finished texts ${end}, the best first` : "no text has finished up to here";
    const items = ranking.map((place, rank) => {
      const item = element("div", "rank");
      item.setAttribute("role", "listitem");
      const { score, log_probability } = this.steps[place.step][place.node];
      const button = element("button", "text", `${rank + 1}. ${this.text(place)}`);
      Object.assign(button, { type: "button", lessonPlace: place });
      const numbers = `score ${signed(score, 4)}, log-probability ${signed(log_probability, 4)}`;
      item.append(button, element("span", "number", numbers));
      return item;
    });
    this.ranks.replaceChildren(buildList(items));
    this.mark();
    this.scrollTo(step);
  }

  // Marks the path to the cursor, or else to the best finished text.
  mark() {
    for (const node of this.marked ?? []) node.classList.remove("lesson-way", "lesson-current");
    const place = this.cursor ?? this.best();
    const way = place ? this.way(place) : [];
    this.marked = way.flatMap(({ step, node }) => [this.boxes[step][node], this.lines[step][node]]);
    for (const node of this.marked) node.classList.add("lesson-way");
    if (this.cursor) this.boxes[this.cursor.step][this.cursor.node].classList.add("lesson-current");
    this.status.textContent = this.cursor ? this.describe(this.cursor) : this.summary();
  }

  describe({ step, node }) {
    const { log_probability, score, state } = this.steps[step][node];
    const numbers = `log-probability ${signed(log_probability, 4)}, score ${signed(score, 4)}`;
    const became = state === "kept" ? this.kept({ step, node }) : WORDS[state];
    return `Step ${step + 1}, ${node + 1} of ${this.steps[step].length}: ${this.text({ step, node })}. ${numbers}: ${became}.`;
  }

  kept(place) {
    if (place.step === this.last) return "kept, but the search ends here";
    return this.below(place) ? "kept" : "kept, but nothing that goes on from it was among the best";
  }

  summary() {
    const step = this.model.get("step");
    const nodes = this.steps[step];
    const count = (state) => nodes.filter((node) => node.state === state).length;
    const counts = Object.keys(WORDS).map((state) => `${count(state)} ${state}`);
    const best = this.best();
    const said = best ? ` Best finished: ${this.text(best)}, score ${signed(best.score, 4)}.` : "";
    return `Step ${step + 1} of ${this.steps.length}: ${nodes.length} hypotheses, ${counts.join(", ")}.${said}`;
  }
}

function render({ model, el }) {
  const view = new Beams(model, el);
  return () => view.remove();
}

export default { render };
