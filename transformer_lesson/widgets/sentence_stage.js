// One answer on the machine: the whole of it first, then the way: the text goes in, the memory fills, the
// words come out one by one.

const NARROW = 620; // pixels, as in sentence.css
const LONG = 100; // characters of a text that is written smaller where the screen is
const FRAMES = ["encoder", "decoder", "stream"];

class Stage {
  // `ask` is called with the ids of a text that the reader has begun, and with what is changed in the
  // machine; `read` with another text, whose pieces are wanted.
  constructor(model, { ask, read }) {
    Object.assign(this, { model, chosen: {}, works: null });
    this.ask = (given) => ask(given, this.change.change);
    this.half = model.get("keeps") === "encoder" ? "encoder" : "decoder";
    this.change = new Change(model, { changed: () => this.ask(this.given), read });
    this.drawing = new MachineDrawing({
      kinds: this.counted(KINDS),
      stateOf: (part) => (part === this.works ? "lit" : "built"),
      shown: (part) => this.tell(part),
      choose: (part) => this.open(part),
    });
    this.walk = new Walk({ moved: () => this.moved(), works: (part) => this.light(part), partsOf: (step) => this.partsOf(this.phases[step][0]) });
    this.next = new NextPieces((id) => this.take(id), () => this.ask([]));
    this.status = announcer("status");
    this.output = element("p", "output");
    this.output.setAttribute("aria-live", "polite");
    this.was = element("p", "was");
    this.inside = new Inside(model, { tell: (words) => (this.status.textContent = words), opened: (part) => this.open(part), away: (part) => this.change.told(part), next: this.next });
    this.source = this.buildChips("source");
    this.written = this.buildChips(this.half === "encoder" ? "filled in" : "written");
    this.node = element("div", "stage");
    this.node.append(this.output, this.was, this.status, this.buildTower(), this.buildSide());
    this.showMachine();
    this.walk.rest();
  }

  remove() {
    this.walk.pause();
  }

  // Each text stands below the half that reads it; what an encoder alone fills in, above it.
  buildTower() {
    const tower = element("div", "tower");
    const below = element("div", "below");
    if (this.model.get("keeps") !== "decoder") below.append(this.source);
    if (this.half === "decoder") below.append(this.written);
    else tower.append(this.written);
    tower.append(this.drawing.node, below);
    return tower;
  }

  // Here it is known how many layers there are.
  counted(kinds) {
    const named = (kind) => ({ ...kinds[kind], label: counting(this.model.get("sizes")[kind], `${kind} layer`) });
    return { ...kinds, encoder: named("encoder"), decoder: named("decoder") };
  }

  // The texts stand below the machine, so their boxes are left out.
  showMachine() {
    const scene = this.model.get("scene");
    const both = this.model.get("keeps") === "both";
    const half = scene.width / 2;
    const left = both || this.half === "encoder" ? 0 : half;
    const parts = scene.parts.filter(({ kind, kept }) => kept && !["loss", "words", "written so far"].includes(kind));
    const flows = scene.flows.filter((flow) => flow.kept && !this.isOutside(flow));
    const top = Math.min(...parts.map(({ box }) => box[1])) - 3;
    this.drawing.show({ ...scene, parts, flows }, [left, top, both ? scene.width : half, scene.height - 24 - top]);
    this.inside.take(this.drawing.reached);
    // What a tab opens: the part that was open last, and the one in which a piece is chosen.
    this.opens = { inside: this.inside.part, next: this.inside.parts.at(-1) };
    this.refresh();
  }

  // The way to the loss.
  isOutside({ points: [[x0, y0], [x, y]], ends }) {
    return ends === "arrow" && y0 === y && Math.abs(x - x0) > 15 && y < 70 && x < this.model.get("scene").width / 2;
  }

  // The parts that work in a phase, in the order of the flow.
  partsOf(phase) {
    const reached = this.drawing.reached.filter(({ kind }) => !FRAMES.includes(kind));
    const before = ({ kind }) => ["embedding", "positions"].includes(kind);
    const first = this.model.get("keeps") === "decoder" ? "decoder" : "encoder";
    return {
      reads: reached.filter((part) => part.half === first && before(part)),
      encodes: reached.filter((part) => part.half === "encoder" && !before(part) && part.kind !== "memory"),
      remembers: reached.filter(({ kind }) => kind === "memory"),
      writes: reached.filter(({ half }) => half === this.half),
    }[phase];
  }

  light(part) {
    this.works = part;
    this.refresh();
  }

  refresh() {
    this.drawing.refresh(this.inside.part, (part) => this.change.isOff(part));
  }

  buildChips(name) {
    return buildToolbar(`chips lesson-${name.replace(" ", "-")}`, name);
  }

  // -- The side: the part that is open, next pieces, what is changed, texts

  buildSide() {
    const names = { machine: "machine", inside: "inside", next: "next piece", change: "change", texts: "beam search" };
    const tabs = element("div", "tabs");
    this.tabs = Object.entries(names).map(([name, words]) => {
      return [name, buildButton(`tab lesson-tab-${name}`, words, () => (this.opens[name] ? this.open(this.opens[name]) : this.turn(name)))];
    });
    tabs.append(...this.tabs.map(([, button]) => button));
    this.texts = buildGroup("texts", "greedy and beam search");
    const side = element("div", "side");
    side.append(tabs, this.inside.node, this.change.node, this.texts);
    if (!this.model.get("translates")) tabs.lastChild.hidden = true;
    return side;
  }

  // What is shown beside the machine; where there is no room, instead of it.
  turn(name) {
    this.press(name);
    this.inside.redraw(); // its room may be another
  }

  press(name) {
    this.node.dataset.shown = name === "next" ? "inside" : name;
    for (const [own, button] of this.tabs) button.setAttribute("aria-pressed", own === name);
  }

  // -- An answer

  // `base` is the answer of the machine as it is, where something in it is changed.
  show(text, answer, given, base) {
    const { maps, pieces, steps, asked } = answer;
    Object.assign(this, { now: { text, answer }, given });
    if (!this.tabs.some(([, button]) => button.ariaPressed === "true")) this.press(this.node.clientWidth > NARROW ? "inside" : "machine");
    const source = pieces.map((piece) => piece.text);
    if (maps.encoder && maps.encoder.shape[3] > source.length) source.push("<end>");
    const read = [answer.first, ...answer.written.slice(0, -1)];
    const tokens = { encoder: [source, source], decoder: [read, read, answer.written], cross: [read, source, answer.written] };
    this.inside.show(answer, text, Object.fromEntries(Object.entries(tokens).filter(([kind]) => maps[kind])));
    this.change.show(source, base);
    this.phases = [["reads"], ...(maps.encoder ? [["encodes"], ["remembers"]] : [])];
    if (this.half === "encoder") this.phases.pop();
    this.phases.push(...asked.map((step) => ["writes", step]));
    this.sure = steps.map(({ chance }) => Math.log(chance));
    this.chosen = { encoder: clamp(this.chosen.encoder ?? 1, source.length) };
    this.read = this.half === "encoder" ? answer.written : read;
    this.buildTexts(source, notesOf(pieces, answer.standIns ?? []));
    this.showWhole(answer, base);
    this.showSearch(maps.cross && !base);
    const from = given.length && maps.cross ? this.phases.length - steps.length + given.length - 1 : 0;
    this.walk.begin(this.phases.length - 1, base ? this.phases.length - 1 : from);
  }

  // Nothing of an older text stays beside one that is not answered.
  clear() {
    this.walk.rest();
    this.now = null;
    for (const node of [this.output, this.was, this.source, this.written, this.texts, this.status]) node.replaceChildren();
    this.drawing.write("written", "…");
  }

  // The text, its words shaded by doubt where that was measured; beside what it was, with what differs.
  showWhole(answer, base) {
    this.was.replaceChildren();
    this.output.classList.toggle("lesson-long", answer.text.length > LONG);
    if (!base) return this.output.replaceChildren(...whole(answer));
    const [now, before] = [answer, base].map(({ text }) => (text || "(nothing)").split(" "));
    const [from, to, end] = difference(before, now);
    this.output.replaceChildren(...marked("ins", now, from, end));
    if (from < to || from < end) return this.was.replaceChildren("before: ", ...marked("del", before, from, to));
    const { size } = this.change.off;
    this.was.textContent = size ? `as before: this text does without ${size > 1 ? "them" : "it"}` : "as before";
  }

  // One chip for each piece, from the start; those that are still to come keep their room.
  buildTexts(source, notes) {
    this.source.replaceChildren(...source.map((text, i) => this.buildChip(text, notes[i], () => this.look("encoder", i))));
    const { asked, read } = this.now.answer;
    const at = (i) => this.phases.length - asked.length + asked.indexOf(read ? i : Math.max(i, asked[0]));
    const act = (i) => () => (read && !asked.includes(i) ? this.look("encoder", i) : this.walk.go(at(i)));
    this.written.replaceChildren(...this.read.map((piece, i) => this.buildChip(piece, "", act(i))));
  }

  buildChip(text, note, act) {
    const chip = buildButton("chip", text, act);
    if (note) {
      chip.classList.add("lesson-noted");
      chip.title = note;
    }
    for (const event of ["pointerenter", "focus"]) chip.addEventListener(event, () => (this.status.textContent = note || `${quoted([text])}: a click shows this piece inside the parts.`));
    chip.addEventListener("pointerleave", () => this.sayStep());
    return chip;
  }

  // Shows a piece of the encoder's text in the part that is open, which is one of the encoder.
  look(half, place) {
    this.chosen[half] = place;
    if (this.inside.part.half !== half) return this.open(this.drawing.reached.find((part) => part.half === half && SUBLAYERS[part.kind]));
    this.draw();
  }

  get at() {
    return this.phases[this.walk.step];
  }

  take(id) {
    const { asked, ids, read } = this.now.answer;
    const step = this.at[1] ?? asked[0];
    this.ask(read ? read.with(step, id) : [...ids.slice(0, step), id]);
  }

  // -- A step

  // An encoder alone answers for the place that it is asked about.
  moved() {
    if (!this.now) return;
    if (this.half === "encoder") this.chosen.encoder = this.at[1] ?? this.now.answer.asked[0];
    this.draw();
  }

  draw() {
    const [phase, step] = this.at;
    const { answer } = this.now;
    const writes = phase === "writes";
    const last = writes ? step : -1;
    const encoders = this.half === "encoder";
    const place = encoders ? this.chosen.encoder : (step ?? answer.asked[0]);
    this.mark(this.source.children, (i) => ({ latest: i === this.chosen.encoder && this.inside.part.half === "encoder" }));
    this.mark(this.written.children, (i) => ({
      coming: encoders ? answer.asked.includes(i) && i > last : i > Math.max(last, answer.begun && place),
      latest: writes && i === step,
      given: !answer.read && i > 0 && i <= this.given.length,
      unknown: encoders && answer.asked.includes(i),
    }));
    for (const chips of [this.source, this.written]) settle(chips);
    // Words that are still to come; where what stands there are the words of the pieces.
    const { children } = this.output;
    const told = answer.steps.at(-1).words === children.length;
    const begun = answer.steps[writes ? step : answer.asked[0] - 1]?.words ?? 0;
    this.mark(children, (i) => ({ coming: told && i >= begun }));
    this.drawing.write("written", writes ? shortened(answer.written[step]) : "…");
    this.next.show(this.nextWords(place), answer.steps[place], answer.ids[place], this.given.length);
    this.inside.draw(this.inside.part, { encoder: this.chosen.encoder, decoder: place });
    this.sayStep();
  }

  mark(chips, states) {
    [...chips].forEach((chip, i) => {
      for (const [state, holds] of Object.entries(states(i))) chip.classList.toggle(`lesson-${state}`, Boolean(holds));
    });
  }

  sayStep() {
    this.status.textContent = this.now ? this.inWords(...this.at) : "";
  }

  // What is missing is known later than the answer; the status may speak of a part.
  tellMissing(words) {
    const isStep = this.status.textContent === this.inWords(...this.at);
    this.now.answer.missing = words;
    if (isStep) this.sayStep();
  }

  nextWords(step) {
    const read = quoted([this.readAt(step)]);
    return this.now.answer.read ? `in the place of ${read}: the most probable pieces` : `after ${read}: the most probable next pieces`;
  }

  // The piece that a step reads: for an encoder, the one in its place.
  readAt(step) {
    const { read, written: output, first } = this.now.answer;
    return read ? this.names[read[step]] : (output[step - 1] ?? first);
  }

  inWords(phase, step) {
    const { answer } = this.now;
    const { encoder } = this.model.get("sizes");
    const placed = this.drawing.reached.some(({ kind }) => kind === "positions") ? ", with its place added" : "";
    const rows = this.inside.now.trace.count ?? answer.steps.length;
    if (phase === "reads") return `The text is cut into ${counting(answer.pieces.length, "piece")}; each becomes a row of ${this.model.get("sizes").d_model} numbers${placed}.`;
    if (phase === "encodes") return `${counting(encoder, "layer")} of the encoder ${encoder === 1 ? "mixes" : "mix"} the ${rows} rows: each looks at all others.`;
    if (phase === "remembers") return `The memory is full: ${counting(rows, "row")}, one for each piece${rows > answer.pieces.length ? " and one for the end" : ""}. Every step of the decoder reads them.`;
    const piece = answer.written[step];
    const chance = Math.exp(this.sure[step]).toFixed(4);
    const chosen = step < this.given.length && !answer.read ? "you chose" : "it writes";
    const last = step === answer.asked.at(-1);
    const end = last ? ` That was all, ${(answer.taken / answer.steps.length).toFixed(0)} ms a piece.${inDoubt(answer.words ?? [], answer.missing)}` : "";
    return `It reads ${quoted([this.readAt(step)])}; ${chosen} ${quoted([piece])}, probability ${chance}.${end}`;
  }

  // -- Parts

  open(part) {
    const name = part === this.opens.next ? "next" : "inside";
    this.opens[name] = this.inside.part = part;
    this.refresh();
    if (!this.now) return;
    this.press(name);
    this.draw();
  }

  tell(part) {
    if (!part) return this.sayStep();
    const trace = this.inside.now?.trace;
    const steps = this.now && (this.at[1] ?? this.now.answer.asked[0]) + 1;
    const tokens = trace ? (part.half === "encoder" ? trace.count : steps) : "tokens";
    const sizes = { ...this.model.get("sizes"), batch: 1, tokens };
    const shape = part.shape.replace(/\w+/g, (name) => sizes[name] ?? name);
    this.status.textContent = `${nameOf(part)}: ${part.says} ${shape}`;
  }

  // -- The beam search

  showSearch(searching) {
    if (this.texts.contains(document.activeElement)) this.tabs.at(-1)[1].focus();
    this.texts.replaceChildren(element("p", "note", searching ? "searching …" : "Only the machine as it is searches."));
  }

  showTexts(texts) {
    const { answer } = this.now;
    const total = this.sure.reduce((a, b) => a + b, 0);
    const entry = (ids, text, amount) => {
      const item = buildButton("choose", "", () => this.ask(ids));
      const number = amount.toFixed(3).replace("-", "−");
      item.append(element("span", "token", text || "(nothing)"), element("span", "number", number));
      return item;
    };
    const heading = (words) => element("p", "heading", words);
    this.texts.replaceChildren(
      heading("greedy, and its log-probability"),
      entry(answer.ids, answer.text, total),
      heading("beam search of width 4"),
      ...texts.map(({ ids, text, total: sum }) => entry(ids, text, sum)),
    );
  }
}

function whole({ text, words }) {
  const shaded = words?.map((word) => word.text).join(" ") === text;
  const shown = shaded ? words : (text || "(nothing)").split(" ").map((word) => ({ text: word, share: null }));
  return shown.flatMap(({ text: own, share }, i) => {
    const node = element("span", share === null ? "" : "word", own);
    node.style.setProperty("--doubt", percent(1 - share));
    if (share !== null) node.title = `of words as sure as this one, ${percent(share)} are right`;
    return i ? [" ", node] : [node];
  });
}

// Words, of which those from `from` to `to` stand in an element of their own.
function marked(tag, words, from, to) {
  const join = (list) => list.join(" ");
  const inner = from < to ? [element(tag, "differs", join(words.slice(from, to)))] : [];
  const [before, after] = [join(words.slice(0, from)), join(words.slice(to))];
  return [before, before && inner.length ? " " : "", ...inner, after ? ` ${after}` : ""];
}

const shortened = (piece) => (piece.length > 16 ? `${piece.slice(0, 15)}…` : piece);
