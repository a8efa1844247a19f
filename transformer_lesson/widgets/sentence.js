// A text that the reader types, and what a model makes of it, computed in this browser: a translator
// translates it, a language model goes on with it.

const WAIT_MS = 250; // after the last key
const BEAM_WIDTH = 4;

class Sentences extends View {
  constructor(model, el) {
    super(model, el, "sentence-explorer");
    Object.assign(this, { el, number: 0, ready: false });
    this.translates = model.get("translates");
    this.thing = this.translates ? "sentence" : "text";
    this.say = announcer("say");
    this.say.textContent = this.invitation();
    this.on(["text"], () => this.changed());
    this.stage = new Stage(model, {
      ask: (given, change) => this.ask(given, change),
      read: (text) => this.worker.postMessage({ read: text }),
    });
    const { walk, node } = this.stage;
    el.addEventListener("keydown", (event) => this.skip(event));
    const top = element("div", "top");
    top.append(this.buildField(), walk.node);
    const foot = element("div", "foot");
    foot.append(this.buildExamples(), this.buildKey());
    el.append(top, this.say, node, foot);
    this.stage.node.dataset.empty = "true";
  }

  // Any key ends the walk, but for those that move the focus or steer it.
  skip(event) {
    const { walk } = this.stage;
    if (walk.playing && event.key !== "Tab" && !modified(event) && !walk.node.contains(event.target)) walk.go(walk.last);
  }

  remove() {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.stage.remove();
    super.remove();
  }

  invitation() {
    const weights = grouped(this.model.get("num_weights"));
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
      const choose = () => {
        this.field.focus();
        this.set("text", sentence);
      };
      row.insertCell().append(buildButton("example", sentence, choose));
      row.insertCell().textContent = translation;
    }
    const done = this.translates ? "sentences translated" : "texts that the model went on with";
    part.append(element("summary", "", `${done} beforehand`), table);
    part.hidden = !this.model.get("examples").length;
    return part;
  }

  // What the colors and frames mean, each shown as it looks.
  buildKey() {
    const key = element("p", "key");
    const means = { "chip lesson-latest": "at work", "chip lesson-open": "open", "chip lesson-noted": "rarely read" };
    if (this.model.get("doubt")) means.word = "in doubt";
    key.append(...Object.entries(means).map(([name, words]) => element("span", name, words)), "layers and heads count from 0");
    return key;
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
      const load = await loadModel(this.model.shared, this.el);
      this.worker.postMessage({ load: { ...load, marks: this.model.get("marks"), doubt: this.model.get("doubt") } });
    } catch (error) {
      this.fail(error.message);
    }
  }

  // The next focus tries again.
  fail(reason) {
    this.worker.terminate();
    this.worker = null;
    this.ready = this.stage.node.ariaBusy = false;
    this.say.textContent = `The model could not be used: ${reason}. The ${this.thing}s below were given to it beforehand.`;
    this.el.querySelector(".lesson-examples").open = true;
  }

  hear({ ready, names, scale, answer, texts, missing, other, error }) {
    if (error) return this.fail(error);
    if (other) return this.stage.change.take(other);
    if (ready) {
      this.ready = true;
      this.stage.names = names;
      this.stage.inside.scale = scale;
      return this.ask([]);
    }
    if ((answer ?? texts ?? missing).number !== this.number) return;
    if (answer) this.show(answer);
    else if (texts) this.stage.showTexts(texts.texts);
    else this.stage.tellMissing(missing.words);
  }

  changed() {
    const text = this.model.get("text");
    if (this.field.value !== text) this.field.value = text;
    this.stage.change.renew();
    this.ask([]);
  }

  // Asks for a translation that begins with the ids `given`, of a machine in which something is changed;
  // that of the same text by the machine as it is must be there to be compared with.
  ask(given, change = null) {
    if (!this.ready) return;
    Object.assign(this, { given, change });
    this.number += 1;
    this.stage.node.ariaBusy = true; // what it shows is the last answer, or none
    if (this.stage.node.dataset.empty === "true") this.say.textContent = "The model is at work …";
    this.worker.postMessage({ ask: { number: this.number, text: this.model.get("text"), given, change } });
  }

  show(answer) {
    const { pieces, steps, refused = null } = answer;
    Object.assign(this.stage.node, { ariaBusy: false }).dataset.empty = !steps;
    this.say.textContent = steps ? toldOf(answer) : (refused ?? this.refusal(pieces));
    if (!steps) return this.stage.clear();
    if (!this.change && !this.given.length) this.base = answer;
    this.stage.show(this.model.get("text"), answer, this.given, this.change && this.base);
    // What was taken away stays away when the text changes.
    const { change } = this.stage.change;
    if (change && !this.change) return this.ask(this.given, change);
    if (this.translates && !this.change) this.worker.postMessage({ search: { number: this.number, width: BEAM_WIDTH } });
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
}

function render({ model, el }) {
  const view = new Sentences(model, el);
  return () => view.remove();
}

export default { render };
