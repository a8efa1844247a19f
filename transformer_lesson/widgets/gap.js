// A sentence with a gap that the reader chooses, and the guesses of two models for it.

const MODELS = { masked: "both sides in view", causal: "the left side alone" };
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };

class Gaps extends View {
  constructor(model, el) {
    super(model, el, "gap-explorer");
    this.sentences = model.get("sentences");
    this.select = buildSelect(
      "sentence",
      this.sentences.map(({ tokens }, i) => [i, `${i + 1}: ${tokens.join(" ")}`]),
      (i) => this.choose(i),
    );
    const controls = element("div", "controls");
    if (this.sentences.length > 1) controls.append(this.select);
    const hint = element("p", "hint", "Choose the gap: click on a word, or use the arrow keys on the sentence.");
    this.words = element("div", "words");
    this.words.tabIndex = 0;
    this.words.setAttribute("role", "listbox");
    this.words.setAttribute("aria-orientation", "horizontal");
    this.words.setAttribute("aria-label", "the gap");
    this.words.addEventListener("keydown", (event) => this.press(event));
    const views = element("div", "views");
    this.parts = Object.entries(MODELS).map(([name, view]) => {
      const part = element("section", "model");
      part.setAttribute("aria-label", `${name} model`);
      const [seen, guesses] = [element("p", "seen"), element("div", "guesses")];
      part.append(element("p", "heading", `${name} model: ${view}`), seen, guesses);
      views.append(part);
      return { name, part, seen, guesses };
    });
    el.append(controls, hint, this.words, views, this.status);
    this.on(["sentence"], () => this.write());
    this.on(["gap"], () => this.draw());
    this.write();
  }

  // -- Choices

  get sentence() {
    return this.sentences[this.model.get("sentence")];
  }

  // After a change to a shorter sentence the gap is at most its last token.
  get gap() {
    return clamp(this.model.get("gap"), this.sentence.tokens.length);
  }

  choose(index) {
    this.model.set("sentence", index);
    this.model.set("gap", this.gap);
    this.model.save_changes();
  }

  press(event) {
    if (!(event.key in STEPS) || modified(event)) return;
    event.preventDefault();
    this.set("gap", clamp(this.gap + STEPS[event.key], this.sentence.tokens.length));
  }

  // -- Drawing

  write() {
    const { tokens } = this.sentence;
    this.select.value = this.model.get("sentence");
    this.words.replaceChildren(
      ...tokens.map((token, i) => {
        const word = element("span", "word", token);
        word.setAttribute("role", "option");
        // A listbox refers to its active option by id, which must be unique in the page.
        word.id = `lesson-gap-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
        word.addEventListener("click", () => this.set("gap", i));
        return word;
      }),
    );
    this.draw();
  }

  draw() {
    const { tokens } = this.sentence;
    const gap = this.gap;
    [...this.words.children].forEach((word, i) => {
      word.classList.toggle("lesson-gap", i === gap);
      word.setAttribute("aria-selected", i === gap);
    });
    this.words.setAttribute("aria-activedescendant", this.words.children[gap].id);
    const said = this.parts.map(({ name, seen, guesses }) => {
      this.show(name, seen);
      return this.list(name, guesses);
    });
    this.status.textContent = `Gap ${gap + 1} of ${tokens.length}, the true word is ${tokens[gap]}. ${said.join(" ")}`;
  }

  // The sentence as the model sees it, with the gap and the hidden tokens.
  show(name, seen) {
    const gap = this.gap;
    seen.replaceChildren(
      ...this.sentence.tokens.map((token, i) => {
        const hidden = name === "causal" && i > gap;
        const word = element("span", "piece", i === gap ? "?" : hidden ? "" : token);
        if (i === gap) word.classList.add("lesson-gap");
        if (hidden) word.classList.add("lesson-hidden");
        return word;
      }),
    );
  }

  list(name, node) {
    const { tokens, [name]: every } = this.sentence;
    const guesses = every[this.gap];
    const truth = tokens[this.gap];
    const bars = guesses.map(([token, probability]) => {
      const bar = buildBar(token, probability, 1);
      const right = token === truth;
      bar.classList.toggle("lesson-right", right);
      bar.append(element("span", "tag", right ? "✓ true" : ""));
      return bar;
    });
    const place = guesses.findIndex(([token]) => token === truth);
    const other = place < 0 ? `${truth}, the true word, is not among these ${guesses.length}.` : "";
    const asked = tokens.flatMap((token, i) => (every[i].length ? [token === every[i][0][0]] : []));
    const rate = `First guess right in ${asked.filter(Boolean).length} of ${asked.length} gaps of this sentence.`;
    const notes = guesses.length ? [other, rate] : ["This model was not asked here.", rate];
    node.replaceChildren(buildList(bars), ...notes.map((text) => element("p", "note", text)));
    if (!guesses.length) return `The ${name} model was not asked here.`;
    const [best, probability] = guesses[0];
    const found = place < 0 ? other : `the true word is number ${place + 1}.`;
    return `First guess of the ${name} model: ${best}, ${probability.toFixed(4)}; ${found}`;
  }
}

function render({ model, el }) {
  const view = new Gaps(model, el);
  return () => view.remove();
}

export default { render };
