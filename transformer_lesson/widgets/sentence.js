// A text that the reader types, and what a model makes of it, computed in this browser: a translator
// translates it, a language model goes on with it.

const WAIT_MS = 300; // after the last key
const BEAM_WIDTH = 4;
const NARROW = 800; // pixels

class Sentences extends View {
  constructor(model, el) {
    super(model, el, "sentence-explorer");
    Object.assign(this, { el, number: 0, layer: 0, ready: false, kept: null, current: null });
    this.translates = model.get("translates");
    this.thing = this.translates ? "sentence" : "text";
    this.say = announcer("say");
    this.say.textContent = this.invitation();
    this.results = element("div", "results");
    el.append(this.buildField(), this.buildControls(), this.say, this.buildExamples(), this.results, this.status);
    this.on(["text"], () => this.changed());
  }

  remove() {
    clearTimeout(this.timer);
    this.worker?.terminate();
    for (const result of [this.kept, this.current]) result?.remove();
    super.remove();
  }

  invitation() {
    const weights = this.model.get("num_weights").toLocaleString("en");
    return (
      `The model, ${weights} weights, is loaded when you enter the field, and runs in this browser. ` +
      `It takes up to ${this.model.get("most_pieces")} words or pieces of words${this.translates ? "" : ", and goes on from there"}.`
    );
  }

  // -- Controls

  buildField() {
    const label = element("label", "ask");
    this.field = element("input", "field");
    Object.assign(this.field, { type: "text", value: this.model.get("text"), spellcheck: false, autocomplete: "off" });
    this.field.addEventListener("focus", () => this.load());
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.set("text", this.field.value), WAIT_MS);
    });
    const name = this.translates ? "your English sentence" : "your text";
    label.append(element("span", "name", name), this.field);
    return label;
  }

  buildControls() {
    const controls = element("div", "controls");
    this.layers = buildSelect(
      "layer",
      range(this.model.get("num_layers")).map((i) => [i, `layer ${i}`]),
      (layer) => this.turn(layer),
    );
    this.pin = element("button", "pin");
    this.pin.type = "button";
    this.pin.addEventListener("click", () => this.toggle());
    controls.append(this.layers, this.pin);
    this.showPin();
    return controls;
  }

  // Texts that were answered beforehand: to start from, and to read where no model is.
  buildExamples() {
    const part = element("details", "examples");
    const table = element("table");
    const head = table.createTHead().insertRow();
    const names = this.translates ? ["sentence", "translation"] : ["text", "as the model goes on"];
    for (const name of names) {
      const cell = element("th", "", name);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const [sentence, translation] of this.model.get("examples")) {
      const row = body.insertRow();
      const button = element("button", "example", sentence);
      button.type = "button";
      button.addEventListener("click", () => {
        this.field.focus();
        this.set("text", sentence);
      });
      row.insertCell().append(button);
      row.insertCell().textContent = translation;
    }
    const done = this.translates ? "sentences translated" : "texts that the model went on with";
    part.append(element("summary", "", `${done} beforehand`), table);
    part.hidden = !this.model.get("examples").length;
    return part;
  }

  toggle() {
    if (this.kept) this.kept.remove();
    this.kept = this.kept ? null : this.current;
    if (this.kept) {
      this.current = null;
      this.ask([]);
    }
    this.showPin();
  }

  showPin() {
    this.pin.textContent = this.kept ? `let the kept ${this.thing} go` : `keep this ${this.thing} to compare`;
    this.pin.setAttribute("aria-pressed", Boolean(this.kept));
    this.pin.disabled = !this.kept && !this.current;
  }

  turn(layer) {
    this.layer = layer;
    this.layers.value = layer;
    for (const result of [this.kept, this.current]) result?.turn(layer);
  }

  // -- The model

  async load() {
    if (this.worker) return;
    this.say.textContent = "Loading the model …";
    const engine = URL.createObjectURL(new Blob([ENGINE], { type: "text/javascript" }));
    this.worker = new Worker(engine);
    URL.revokeObjectURL(engine);
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", ({ message }) => this.fail(message || "its worker does not start"));
    try {
      const load = await loadModel(this.model);
      this.worker.postMessage({ load: { ...load, marks: this.model.get("marks") } }, [load.weights]);
    } catch (error) {
      this.fail(error.message);
    }
  }

  // The next focus tries again.
  fail(reason) {
    this.worker.terminate();
    this.worker = null;
    this.ready = false;
    this.say.textContent = `The model could not be used: ${reason}. The ${this.thing}s below were given to it beforehand.`;
    this.el.querySelector(".lesson-examples").open = true;
  }

  hear({ ready, answer, texts, error }) {
    if (error) return this.fail(error);
    if (ready) {
      this.ready = true;
      return this.ask([]);
    }
    if ((answer ?? texts).number !== this.number) return;
    if (answer) this.show(answer);
    else this.current.showTexts(texts.texts);
  }

  changed() {
    const text = this.model.get("text");
    if (this.field.value !== text) this.field.value = text;
    this.ask([]);
  }

  // Asks for a translation that begins with the ids `given`.
  ask(given) {
    if (!this.ready) return;
    this.given = given;
    this.number += 1;
    const width = this.translates ? BEAM_WIDTH : 0;
    this.worker.postMessage({ ask: { number: this.number, text: this.model.get("text"), given, width } });
  }

  // -- Drawing

  show(answer) {
    const inside = this.current?.node.contains(document.activeElement);
    this.current?.remove();
    this.current = null;
    const { pieces } = answer;
    const room = `${pieces.length} of at most ${this.model.get("most_pieces")} pieces.`;
    this.say.textContent = answer.steps ? room : this.refusal(pieces);
    this.status.textContent = "";
    if (answer.steps) this.draw(answer);
    // Whoever has chosen a piece goes on from there, with the keyboard too.
    if (inside) this.current?.player.slider.input.focus();
    this.showPin();
  }

  refusal(pieces) {
    const most = this.model.get("most_pieces");
    if (!pieces.length) return `Type a ${this.thing} of up to ${most} pieces.`;
    if (pieces.length > most) {
      return `This text has ${pieces.length} pieces and the model reads at most ${most}: shorten it, or cut it into sentences.`;
    }
    const lacking = [...new Set(pieces.filter(({ id }) => id === undefined).map(({ text }) => text))];
    return `${quoted(lacking)}: not among the ${this.model.get("num_pieces")} words of this model, which cannot read it.`;
  }

  draw(answer) {
    const narrow = this.kept || this.el.clientWidth < NARROW;
    this.current = new Result(this, this.model.get("text"), answer, this.given, narrow ? 2 : MOST_COLUMNS);
    this.current.turn(this.layer);
    if (this.kept) this.current.compare(this.kept);
    this.results.append(this.current.node);
    const said = [...warnings(answer.pieces), this.current.difference.textContent];
    this.status.textContent = `${this.translates ? "Translation" : "Text"}: “${answer.text}”. ${said.join(" ")}`;
  }
}

function render({ model, el }) {
  const view = new Sentences(model, el);
  return () => view.remove();
}

export default { render };
