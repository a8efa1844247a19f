// One answer on the machine: the sentence goes in, the memory fills, the words come out one by one.

// What works in each phase, in which half of the machine.
const WORKS = {
  reads: ["words", "written so far", "embedding", "positions"],
  encodes: ["encoder", "attention", "heads", "grouped", "feed-forward", "norm", "stream"],
  remembers: ["memory"],
  writes: ["written so far", "encoder", "decoder", "attention", "masked", "cross", "heads", "grouped", "feed-forward", "norm", "stream", "probabilities", "written"],
};
const NAMED = { encoder: "encoder", decoder: "decoder", cross: "cross" };
const NARROW = 620; // pixels, as in sentence.css
const DOUBTED = 0.5; // a word of a lower share is named
const MAP_OF = { attention: "encoder", masked: "decoder", cross: "cross" };

class Stage {
  // `ask` is called with the ids of a text that the reader has begun.
  constructor(model, ask) {
    Object.assign(this, { model, ask, layer: 0, head: Maps.MEAN, kept: null, asMap: false });
    this.half = model.get("keeps") === "encoder" ? "encoder" : "decoder";
    this.drawing = new MachineDrawing({
      kinds: this.counted(model.get("kinds")),
      stateOf: (part) => (this.works(part) ? "lit" : "built"),
      shown: (part) => this.tell(part),
      choose: (part) => this.open(part),
    });
    this.walk = new Walk(() => this.draw());
    this.next = new NextPieces(
      (id) => this.take(id),
      () => this.ask([]),
    );
    this.status = announcer("status");
    this.source = this.buildChips("source");
    this.written = this.buildChips(model.get("keeps") === "encoder" ? "filled in" : "written");
    const machine = element("div", "tower");
    this.output = element("p", "output");
    machine.append(this.output, this.written, this.drawing.node, this.source, this.status);
    this.node = element("div", "stage");
    this.node.append(machine, this.buildSide());
    this.showMachine();
  }

  remove() {
    this.walk.pause();
  }

  // Here it is known how many layers there are.
  counted(kinds) {
    const named = (kind) => ({ ...kinds[kind], label: counting(this.model.get("sizes")[kind], `${kind} layer`) });
    return { ...kinds, encoder: named("encoder"), decoder: named("decoder") };
  }

  // The words stand around the machine, so their boxes are left out.
  showMachine() {
    const scene = this.model.get("scene");
    const both = this.model.get("keeps") === "both";
    const half = scene.width / 2;
    const left = both || this.half === "encoder" ? 0 : half;
    const parts = scene.parts.filter(({ kind, kept }) => kept && !["loss", "written", "words", "written so far"].includes(kind));
    const flows = scene.flows.filter((flow) => flow.kept && !this.isOutside(flow));
    const top = Math.min(...parts.map(({ box }) => box[1])) - 12;
    this.drawing.show({ ...scene, parts, flows }, [left, top, both ? scene.width : half, scene.height - 24 - top]);
  }

  // The way to the loss.
  isOutside({ points: [[x0, y0], [x, y]], ends }) {
    return ends === "arrow" && y0 === y && Math.abs(x - x0) > 15 && y < 70 && x < this.model.get("scene").width / 2;
  }

  works({ half, kind }) {
    if (!this.phase || !WORKS[this.phase].includes(kind)) return false;
    return { reads: true, encodes: half === "encoder", remembers: true, writes: half === this.half }[this.phase];
  }

  buildChips(name) {
    const list = element("div", `chips lesson-${name.replace(" ", "-")}`);
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", name);
    return list;
  }

  // -- The side: attention, next pieces, texts

  buildSide() {
    const panels = [this.buildAttention(), this.next.node, this.buildTexts()];
    const tabs = element("div", "tabs");
    const names = { machine: "machine", attention: "attention", next: "next piece", texts: "greedy and beam" };
    this.tabs = Object.entries(names).map(([name, words]) => {
      const button = element("button", `tab lesson-tab-${name}`, words);
      button.type = "button";
      button.addEventListener("click", () => this.turn(name));
      return [name, button];
    });
    tabs.append(...this.tabs.map(([, button]) => button));
    const side = element("div", "side");
    side.append(tabs, ...panels);
    if (!this.model.get("translates")) tabs.lastChild.hidden = true;
    return side;
  }

  // What is shown beside the machine; where there is no room, instead of it.
  turn(name) {
    this.node.dataset.shown = name;
    for (const [own, button] of this.tabs) button.setAttribute("aria-pressed", own === name);
  }

  buildAttention() {
    const part = element("div", "attention");
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", "attention");
    const kinds = { both: ["encoder", "decoder", "cross"], encoder: ["encoder"], decoder: ["decoder"] }[this.model.get("keeps")];
    this.kinds = kinds;
    this.kind = kinds[0];
    const { heads, encoder, decoder } = this.model.get("sizes");
    const layers = Math.max(encoder, decoder);
    const choose = (name) => (value) => {
      this[name] = value;
      this.drawAttention();
    };
    this.selects = {
      kind: buildSelect("attention of", kinds.map((kind, i) => [i, NAMED[kind]]), (i) => choose("kind")(kinds[i])),
      layer: buildSelect("layer", range(layers).map((i) => [i, `layer ${i}`]), choose("layer")),
      head: buildSelect("head", [[Maps.MEAN, "all heads"], ...range(heads).map((i) => [i, `head ${i}`])], choose("head")),
    };
    this.large = this.buildSwitch("map", () => {
      this.asMap = !this.asMap;
      this.drawAttention();
    });
    this.pin = this.buildSwitch("keep", () => {
      this.kept = this.kept ? null : this.now;
      this.drawAttention();
    });
    const row = element("div", "acts");
    this.large.title = "the map of one head, large";
    this.pin.title = "keep this sentence to compare it with the next";
    row.append(...Object.values(this.selects), this.large, this.pin);
    this.views = element("div", "graphs");
    this.difference = element("p", "difference");
    part.append(row, this.views, this.difference);
    return part;
  }

  buildSwitch(words, act) {
    const button = element("button", "act", words);
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }

  buildTexts() {
    const part = element("div", "texts");
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", "greedy and beam");
    this.texts = element("div", "texts-list");
    part.append(this.texts);
    return part;
  }

  // -- An answer

  show(text, answer, given) {
    const { maps, pieces, steps } = answer;
    this.now = { text, answer };
    this.given = given;
    if (!this.tabs.some(([, button]) => button.ariaPressed === "true")) this.turn(this.node.clientWidth > NARROW ? "attention" : "machine");
    const source = pieces.map((piece) => piece.text);
    if (maps.encoder && maps.encoder.shape[3] > source.length) source.push("<end>");
    const { asked } = answer;
    const read = [answer.first, ...answer.written.slice(0, -1)];
    this.now.tokens = { encoder: [source, source], decoder: [read, read], cross: [read, source] };
    this.phases = [["reads"], ...(maps.encoder ? [["encodes"], ["remembers"]] : [])];
    if (this.half === "encoder") this.phases.pop();
    this.phases.push(...asked.map((step) => ["writes", step]));
    this.source.replaceChildren(...this.sourceChips(answer));
    if (this.texts.contains(document.activeElement)) this.tabs.at(-1)[1].focus();
    this.texts.replaceChildren(...(maps.cross ? [element("p", "note", "searching …")] : []));
    this.sure = steps.map(({ logits }, i) => Math.log(tempered(logits, 1)[answer.ids[i]]));
    const from = given.length && maps.cross ? this.phases.length - steps.length + given.length - 1 : 0;
    this.walk.begin(this.phases.length - 1, from);
  }

  sourceChips({ pieces, maps, first, written, begun }) {
    if (!maps.encoder) return [first, ...written.slice(0, begun)].map((piece) => this.buildChip(piece));
    return pieces.map(({ text, unknown }) => {
      const chip = this.buildChip(text);
      if (unknown) chip.classList.add("lesson-unknown");
      return chip;
    });
  }

  buildChip(piece) {
    return element("span", "chip", piece);
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

  draw() {
    const [phase, step] = this.at;
    const fresh = phase !== this.phase;
    this.phase = phase;
    if (fresh) this.drawing.refresh();
    if (fresh && this.kinds.length > 1) this.kind = phase === "writes" ? "cross" : "encoder";
    const { answer } = this.now;
    const { asked } = answer;
    const said = phase === "writes" ? asked.filter((place) => place <= step) : [];
    const chips = said.map((place, i) => {
      const chip = element("button", "chip", answer.written[place]);
      chip.type = "button";
      chip.addEventListener("click", () => this.walk.go(this.phases.length - asked.length + i));
      if (place < this.given.length && !answer.read) chip.classList.add("lesson-given");
      if (place === step) chip.classList.add("lesson-latest");
      return chip;
    });
    renew(this.written, chips);
    this.source.classList.toggle("lesson-remembered", ["remembers", "writes"].includes(phase));
    this.drawAttention();
    this.drawNext(step ?? asked[0]);
    this.output.replaceChildren(...(said.length === asked.length ? this.whole(answer) : [this.begun(said)]));
    this.sayStep();
  }

  // The text, its words shaded by doubt where that was measured.
  whole({ text, words }) {
    if (words?.map((word) => word.text).join(" ") !== text) return [text || "(nothing)"];
    return words.flatMap(({ text: own, share }, i) => {
      const node = element("span", share === null ? "" : "word", own);
      node.style.setProperty("--doubt", percent(1 - share));
      if (share !== null) node.title = `of words as sure as this one, ${percent(share)} are right`;
      return i ? [" ", node] : [node];
    });
  }

  begun(said) {
    const pieces = said.map((place) => this.now.answer.written[place]);
    return `${this.now.answer.read ? "" : pieces.join("").replaceAll("▁", " ").trim()} …`;
  }

  sayStep() {
    this.status.textContent = this.now ? this.inWords(...this.at) : "";
  }

  drawNext(step) {
    const { answer } = this.now;
    const read = this.readAt(step);
    const words = answer.read ? `in the place of ${quoted([read])}: the most probable pieces` : `after ${quoted([read])}: the most probable next pieces`;
    this.next.show(words, answer.steps[step].logits, answer.ids[step], this.names, this.given.length);
  }

  // The piece that a step reads: for an encoder, the one in its place.
  readAt(step) {
    const { read, written: output, first } = this.now.answer;
    return read ? this.names[read[step]] : (output[step - 1] ?? first);
  }

  inWords(phase, step) {
    const { answer } = this.now;
    const { encoder } = this.model.get("sizes");
    const count = counting(answer.pieces.length, "piece");
    const most = this.model.get("most_pieces");
    const placed = this.drawing.reached.some(({ kind }) => kind === "positions") ? ", with its place added" : "";
    if (phase === "reads") return `The text is cut into ${count}, of at most ${most}; each becomes a row of numbers${placed}.`;
    if (phase === "encodes") return `${counting(encoder, "layer")} of the encoder ${encoder === 1 ? "mixes" : "mix"} the pieces: each looks at all others.`;
    if (phase === "remembers") return `The memory is full: a row for each piece, ${count} in all, which every step of the decoder reads.`;
    const piece = answer.written[step];
    const chance = Math.exp(this.sure[step]).toFixed(4);
    const chosen = step < this.given.length && !answer.read ? "you chose" : "it writes";
    const last = step === answer.asked.at(-1);
    const end = last ? ` That was all, ${(answer.taken / answer.steps.length).toFixed(0)} ms a piece.${inDoubt(answer.words ?? [])}` : "";
    return `It reads ${quoted([this.readAt(step)])}; ${chosen} ${quoted([piece])}, probability ${chance}.${end}`;
  }

  // -- Attention

  drawAttention() {
    if (!this.now) return;
    const { selects, kinds, kind, kept, now } = this;
    Object.assign(selects.kind, { value: kinds.indexOf(kind) });
    // The two stacks may differ in height.
    const layers = this.model.get("sizes")[kind === "encoder" ? "encoder" : "decoder"];
    this.layer = clamp(this.layer, layers);
    for (const option of selects.layer.options) option.hidden = Number(option.value) >= layers;
    Object.assign(selects.layer, { value: this.layer });
    Object.assign(selects.head, { value: this.head });
    this.large.setAttribute("aria-pressed", this.asMap);
    this.pin.setAttribute("aria-pressed", Boolean(kept));
    const shown = kept && kept !== now ? [kept, now] : [now];
    renew(this.views, shown.map((one) => this.buildGraph(one, shown.length)));
    this.difference.textContent = shown.length > 1 ? compared(...shown) : "";
  }

  buildGraph({ answer, tokens }, count) {
    const { shape, numbers } = answer.maps[this.kind];
    const [queries, keys] = tokens[this.kind];
    const [, , rows, columns] = shape;
    const map = new Maps(shape, numbers).get(this.layer, this.head);
    const title = `${NAMED[this.kind]}, layer ${this.layer}`;
    if (this.asMap) {
      const one = { shape: [1, 1, rows, columns], numbers: Uint16Array.from(map, (weight) => Math.round(weight * Maps.STEPS)) };
      return new SentenceMap(title, one, [queries, keys], count > 1 ? 150 : 260).node;
    }
    const lines = new Lines(count > 1 ? 190 : 380, (words) => (this.status.textContent = words));
    const [phase, step] = this.at;
    const writing = phase === "writes" && (this.kind !== "encoder" || answer.read) && answer === this.now.answer;
    const all = this.kind === "encoder" || answer !== this.now.answer || phase !== "reads";
    const there = writing && !answer.read ? step + 1 : all ? rows : 0;
    lines.show(title, map, [queries, keys], there, writing ? step : null);
    return lines.node;
  }

  // -- Parts

  open({ kind }) {
    if (this.kinds.includes(MAP_OF[kind])) {
      this.kind = MAP_OF[kind];
      this.turn("attention");
      this.drawAttention();
    }
    if (kind === "probabilities") this.turn("next");
  }

  tell(part) {
    if (!part) return this.sayStep();
    const sizes = { ...this.model.get("sizes"), batch: 1, tokens: this.now?.answer.pieces.length ?? "tokens" };
    const shape = part.shape.replace(/\w+/g, (name) => sizes[name] ?? name);
    this.status.textContent = `${part.label.replaceAll("-\n", "-").replaceAll("\n", " ")}: ${part.says} ${shape}`;
  }

  // -- The beam search

  showTexts(texts) {
    const { answer } = this.now;
    const total = this.sure.reduce((a, b) => a + b, 0);
    const entry = (ids, text, amount) => {
      const item = element("button", "choose");
      item.type = "button";
      const number = amount.toFixed(3).replace("-", "−");
      item.append(element("span", "token", text || "(nothing)"), element("span", "number", number));
      item.addEventListener("click", () => this.ask(ids));
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

const counting = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(100 * share)}%`;

// The words that are more probably wrong than right.
function inDoubt(words) {
  const few = words.filter(({ share }) => share !== null && share < DOUBTED);
  const told = few.map(({ text, share }) => `${quoted([text])} (right ${percent(share)} of the time)`);
  return few.length ? ` It doubts ${told.join(", ")}.` : "";
}

// What changed from the kept text to this one.
function compared(kept, now) {
  const words = ({ answer }) => wordsOf(answer.pieces).map(written);
  const [from, before, after] = difference(words(kept), words(now));
  if (from === before && from === after) return "The kept sentence and this one are the same.";
  const named = (list) => (list.length ? quoted([list.join(" ")]) : "nothing");
  const was = named(words(kept).slice(from, before));
  return `${was} became ${named(words(now).slice(from, after))}; ${quoted([kept.answer.text])} became ${quoted([now.answer.text])}.`;
}
