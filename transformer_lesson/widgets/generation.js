// Generation step by step: the most probable next tokens, and the rows of keys that a cache keeps.

class Generation extends View {
  constructor(model, el) {
    super(model, el, "generation-explorer");
    this.tokens = model.get("tokens");
    this.steps = model.get("steps");
    this.layers = model.get("num_layers");
    this.last = this.steps.length - 1;
    this.sentence = element("div", "sentence");
    this.candidates = element("div", "candidates");
    this.cells = element("div", "cells");
    this.key = element("p", "key");
    this.totals = element("div", "totals");
    const left = element("div", "panel");
    left.append(element("p", "heading", "most probable next tokens"), this.candidates);
    const right = element("div", "cache");
    const heading = `rows of keys in this step${this.layers > 1 ? ", in each layer" : ""}`;
    right.append(element("p", "heading", heading), this.cells, this.key, this.totals);
    const views = element("div", "views");
    views.append(left, right);
    el.append(this.buildControls(el), this.sentence, views, this.status);
    this.on(["step"], () => this.draw());
    this.draw();
  }

  buildControls(el) {
    this.player = new Player(this, el, "step", this.last);
    return this.player.buildControls("Space plays and pauses");
  }

  remove() {
    this.player.pause();
    super.remove();
  }

  // -- Drawing

  draw() {
    const index = this.model.get("step");
    const step = this.steps[index];
    this.player.slider.show(index);
    this.write(step);
    this.list(step);
    this.fill(step);
    const { cached, full } = this.add(index);
    const [best] = step.candidates;
    this.status.textContent =
      `Step ${index + 1}: ${step.length} tokens, the last is ${this.tokens[step.length - 1]}. ` +
      `Most probable next: ${best[0]}, ${best[1].toFixed(4)}. ${this.choice(step)} ` +
      `Computed ${step.computed}, read from the cache ${step.cached}; so far ${cached}, ` +
      `without a cache ${full}.`;
  }

  // The next token, or null in the last step.
  next({ length }) {
    return length < this.tokens.length ? this.tokens[length] : null;
  }

  choice(step) {
    const next = this.next(step);
    return next === null ? "No next step was given." : `Chosen: ${next}.`;
  }

  write({ length }) {
    const given = this.steps[0].length;
    const chips = this.tokens.slice(0, length).map((token, i) => {
      const chip = element("span", "chip", token);
      if (i < given) chip.classList.add("lesson-given");
      return chip;
    });
    if (length > given) chips[length - 1].classList.add("lesson-latest");
    this.sentence.replaceChildren(...chips);
  }

  list(step) {
    const next = this.next(step);
    const bars = step.candidates.map(([token, probability]) => {
      const bar = buildBar(token, probability, 1);
      const chosen = token === next;
      bar.classList.toggle("lesson-chosen", chosen);
      bar.append(element("span", "tag", chosen ? "chosen" : ""));
      return bar;
    });
    const among = step.candidates.some(([token]) => token === next);
    const other = next === null || among ? "" : `Chosen: ${next}, which is not among these.`;
    this.candidates.replaceChildren(buildList(bars), element("p", "other", other));
  }

  // The rows of new tokens, which come last, are computed; the others are read.
  fill({ length, computed, cached }) {
    const cells = this.tokens.map((token, i) => {
      const cell = element("span", "cell", i < length && i >= cached ? "+" : "");
      if (i < length) cell.classList.add(i < cached ? "lesson-read" : "lesson-computed");
      cell.title = `${token} (${i})`;
      return cell;
    });
    this.cells.replaceChildren(...cells);
    const sample = (name, sign, text) => {
      const swatch = element("span", "cell", sign);
      swatch.classList.add(`lesson-${name}`);
      return [swatch, element("span", "", text)];
    };
    this.key.replaceChildren(
      ...sample("computed", "+", `computed now: ${computed}`),
      ...sample("read", "", `read from the cache: ${cached}`),
    );
  }

  add(index) {
    const sum = (until, rows) =>
      this.layers * this.steps.slice(0, until + 1).reduce((total, step) => total + rows(step), 0);
    const cached = sum(index, ({ computed }) => computed);
    const full = sum(index, ({ length }) => length);
    const most = sum(this.last, ({ length }) => length);
    const layers = this.layers > 1 ? `, ${this.layers} layers together` : "";
    const bars = [["these steps", cached], ["without a cache", full]].map(([what, rows]) => {
      const bar = buildBar(what, rows, most);
      bar.querySelector(".lesson-number").textContent = grouped(rows);
      return bar;
    });
    const heading = element("p", "heading", `rows computed up to here${layers}`);
    this.totals.replaceChildren(heading, buildList(bars));
    return { cached, full };
  }
}

function render({ model, el }) {
  const view = new Generation(model, el);
  return () => view.remove();
}

export default { render };
