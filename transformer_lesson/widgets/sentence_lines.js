// Attention as lines between words: each query on the left, the keys on the right, a line as thick as
// the weight.

const FAINTEST = 0.02; // weight that still gets a line
const TOLD = 3; // keys that are named
const HEAD = 16; // pixels above the words

class Lines {
  // `width` in pixels; `tell` hears what the marked query looks at.
  constructor(width, tell) {
    Object.assign(this, { width, tell, row: null });
    this.node = svgElement("svg", { class: "lesson-lines", tabindex: 0, role: "application" });
    this.node.style.maxWidth = `${1.15 * width}px`;
    this.node.addEventListener("keydown", (event) => this.press(event));
    this.node.addEventListener("pointerleave", () => this.mark(this.current));
  }

  // `map` is (queries, keys) in row-major order; `heads` say what stands on the left and on the right.
  // The first `rows` queries are there already, and `current` is the one that is read now, or null.
  show(title, map, [queries, keys], heads, rows, current) {
    Object.assign(this, { title, map, queries, keys, rows, current });
    const most = Math.max(queries.length, keys.length);
    this.step = Math.max(12.5, Math.min(24, Math.floor(280 / most)));
    this.ends = [0.42 * this.width, 0.73 * this.width]; // of the words on the left, and the begin of the others
    this.node.setAttribute("viewBox", `0 0 ${this.width} ${most * this.step + HEAD + 4}`);
    this.node.setAttribute("aria-label", `${title}: up and down choose a word on the left; it says where the word looks.`);
    this.links = svgElement("g", { class: "lesson-links" });
    this.words = queries.map((word, i) => this.buildWord(word, i, "end"));
    const right = keys.map((word, i) => this.buildWord(word, i, "start"));
    const titles = heads.map((text, i) => svgElement("text", { class: "lesson-column", x: this.ends[i], y: 8, "text-anchor": ["end", "start"][i], text }));
    this.node.replaceChildren(...titles, this.links, ...this.words, ...right);
    this.mark(current);
  }

  buildWord(word, i, anchor) {
    const left = anchor === "end";
    const most = Math.floor((left ? this.ends[0] : this.width - this.ends[1]) / 7);
    const short = [...word].length > most ? `${[...word].slice(0, most - 1).join("")}…` : word;
    const x = this.ends[left ? 0 : 1];
    const group = svgElement("g", { class: left && i >= this.rows ? "lesson-coming" : "lesson-here" });
    const size = Math.min(13, this.step - 0.5);
    group.append(svgElement("text", { x, y: this.y(i), "text-anchor": anchor, "font-size": size, text: short }));
    if (left && i < this.rows) {
      const hit = svgElement("rect", { x: 0, y: this.y(i - 0.5), width: this.ends[0], height: this.step, fill: "transparent" });
      hit.addEventListener("pointerenter", () => this.mark(i));
      group.append(hit);
    }
    return group;
  }

  y(row) {
    return HEAD + (row + 0.5) * this.step + 2;
  }

  press(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || modified(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.mark(clamp((this.row ?? -by) + by, this.rows));
    this.tell(this.say(this.row));
  }

  // Draws the lines of one query in color, those of the others faintly.
  mark(row) {
    this.row = row;
    const lines = range(this.rows).flatMap((query) => this.linesOf(query, row === null || row === query));
    this.links.replaceChildren(...lines);
    this.words.forEach((word, i) => word.classList.toggle("lesson-marked", i === row));
  }

  weights(query) {
    return [...this.map.subarray(query * this.keys.length, (query + 1) * this.keys.length)];
  }

  linesOf(query, strong) {
    const [x1, x2] = [this.ends[0] + 5, this.ends[1] - 5];
    return this.weights(query).flatMap((weight, key) => {
      if (weight < FAINTEST) return [];
      const look = { "stroke-width": 1 + 5 * weight, "stroke-opacity": strong ? 0.4 + 0.6 * weight : 0.14 };
      return [svgElement("line", { x1, y1: this.y(query), x2, y2: this.y(key), ...look })];
    });
  }

  say(row) {
    const best = this.weights(row).map((weight, key) => [weight, key]).sort(([a], [b]) => b - a).slice(0, TOLD);
    const said = best.map(([weight, key]) => `${quoted([this.keys[key]])} ${weight.toFixed(4)}`);
    return `${quoted([this.queries[row]])} looks at ${said.join(", ")}`;
  }
}
