// What a reader takes away from the machine, or swaps in it: whole kinds of parts, single heads, and rows
// of the memory for those of another text.

const RIDDLE = "A riddle: most sentences miss no single head. Find a sentence and a head that it misses; lesson 12 measures how often there is one.";
const OTHER = "The house is white.";
const MOST_HEADS = 48;

class Change {
  // `changed` is called when something is taken away or put back, `read` with another text, whose pieces
  // are shown when they come.
  constructor(model, { changed, read }) {
    Object.assign(this, { model, changed, read, off: new Set(), swaps: [], picked: null, source: [] });
    this.node = buildGroup("change", "change");
    this.again = this.button("as it was", () => this.reset());
    this.kinds = this.kindsOf(model.get("keeps"), model.get("scene").parts);
    this.node.append(this.buildKinds(), ...(model.get("translates") ? [this.buildSwap()] : []), this.buildHeads());
    this.draw();
  }

  // Null where the machine is as it was.
  get change() {
    return this.off.size || this.swaps.length ? { off: [...this.off], swaps: this.swaps } : null;
  }

  isOff(part) {
    return this.isWhollyOff(part) || (["heads", "grouped"].includes(part.kind) && this.headsOff(part).length > 0);
  }

  isWhollyOff({ half, kind, inside }) {
    return !isNorm(kind) && this.off.has(kind === "positions" ? kind : `${half}.${inside}`);
  }

  // The heads of an attention that are away one by one, as their buttons have them.
  headsOff({ half, kind, inside }) {
    const names = [...this.off].map((name) => name.split("."));
    return names.flatMap(([own, , layer, sublayer, head]) => (head && own === half && sublayer === inside && !isNorm(kind) ? [`${layer}.${head}`] : []));
  }

  // What is said above a part; "" where nothing of it is away.
  told(part) {
    if (this.isWhollyOff(part)) return "Taken away: the rest of the machine gets nothing from it.";
    const heads = this.headsOff(part);
    return heads.length ? `Taken away (layer.head): ${heads.join(", ")}. The rest of the machine gets nothing from there.` : "";
  }

  button(words, act) {
    return buildButton("act", words, act);
  }

  heading(words) {
    return element("p", "heading", words);
  }

  // The kinds by their names, with what the model calls them.
  kindsOf(keeps, parts) {
    const has = (half) => keeps === "both" || keeps === half;
    const placed = parts.some(({ kind, kept }) => kind === "positions" && kept);
    return [
      ...(keeps === "both" ? [["cross-attention", ["decoder.cross_attention"]]] : []),
      ...(has("decoder") ? [["decoder's self-attention", ["decoder.self_attention"]]] : []),
      ...(has("encoder") ? [["encoder's self-attention", ["encoder.self_attention"]]] : []),
      ["feed-forwards", ["encoder", "decoder"].filter(has).map((half) => `${half}.feed_forward`)],
      ...(placed ? [["positions", ["positions"]]] : []),
      ...(has("decoder") ? [["mask", ["mask"]]] : []),
    ];
  }

  buildKinds() {
    const part = element("div", "kinds");
    this.switches = this.kinds.map(([words, names]) => [this.button(words, () => this.toggle(names)), names]);
    const row = element("div", "acts");
    row.append(...this.switches.map(([button]) => button), this.again);
    this.count = announcer("note");
    part.append(this.heading("Take all of a kind away"), row, this.count);
    return part;
  }

  buildHeads() {
    const { heads, encoder, decoder } = this.model.get("sizes");
    const part = element("div", "heads-off");
    const layers = { encoder, decoder };
    const attentions = this.kinds.flatMap(([words, [name]]) => (/attention$/.test(name) ? [[words, name]] : []));
    part.append(this.heading(this.model.get("doubt") ? RIDDLE : "Take single heads away"));
    this.single = [];
    for (const [words, name] of attentions) {
      const [half, sublayer] = name.split(".");
      const count = layers[half] * heads;
      if (count > MOST_HEADS) continue;
      const row = buildToolbar("head-row", words);
      row.append(element("span", "name", words));
      for (const at of range(count)) {
        const [layer, head] = [Math.floor(at / heads), at % heads];
        const own = `${half}.layers.${layer}.${sublayer}.${head}`;
        const button = this.button(`${layer}.${head}`, () => this.toggle([own]));
        button.setAttribute("aria-label", `${words}, layer ${layer}, head ${head}`);
        button.classList.add("lesson-one");
        this.single.push([button, [own]]);
        row.append(button);
      }
      settle(row);
      part.append(row);
    }
    return part;
  }

  toggle(names) {
    const all = names.every((name) => this.off.has(name));
    for (const name of names) this.off[all ? "delete" : "add"](name);
    this.draw();
    this.changed();
  }

  reset() {
    this.off.clear();
    this.swaps = [];
    this.draw();
    this.changed();
  }

  draw() {
    const away = [...this.switches, ...this.single].filter(([button, names]) => {
      button.ariaPressed = names.every((name) => this.off.has(name));
      return button.ariaPressed === "true";
    });
    this.count.textContent = away.length > 1 ? `${away.length} are taken away at once: what changes is due to all of them together.` : "";
    this.again.ariaDisabled = !this.change;
    if (this.own) this.drawSwap();
  }

  // A new text, or another to take rows from, has another memory.
  renew() {
    this.swaps = [];
    this.draw();
  }

  show(source) {
    this.source = source;
    if (this.own && !this.asked) {
      this.asked = true;
      this.read(OTHER);
    }
    this.draw();
  }

  // -- Rows of the memory

  buildSwap() {
    const part = element("div", "swap");
    const label = element("label", "ask");
    this.field = element("input", "another");
    Object.assign(this.field, { type: "text", value: OTHER, spellcheck: false, autocomplete: "off" });
    this.field.addEventListener("change", () => this.read(this.field.value));
    label.append(element("span", "name", "another sentence, for the rows of its memory"), this.field);
    [this.other, this.own] = ["pieces of the other sentence", "the memory of yours"].map((name) => buildToolbar("chips", name));
    this.pieces = [];
    this.hint = element("p", "note");
    part.append(this.heading("Swap what is remembered of a word"), label, this.other, this.hint, this.own);
    return part;
  }

  // The pieces of another text have come.
  take({ text, pieces }) {
    if (text !== this.otherText && this.swaps.length) {
      this.renew();
      this.changed();
    }
    Object.assign(this, { otherText: text, pieces: pieces.map((piece) => piece.text), picked: null });
    this.drawSwap();
  }

  drawSwap() {
    this.hint.textContent = this.picked === null ? "Drag a word of it onto a word of yours, or click one and then the other." : `Now click the word of yours that “${this.pieces[this.picked]}” replaces.`;
    renew(this.other, this.pieces.map((piece, i) => {
      const chip = this.chip(piece, () => this.pick(this.picked === i ? null : i));
      chip.setAttribute("aria-pressed", this.picked === i);
      chip.draggable = true;
      chip.addEventListener("dragstart", () => (this.picked = i));
      return chip;
    }));
    settle(this.other);
    renew(this.own, this.source.map((piece, row) => {
      const swap = this.swaps.find((one) => one.row === row);
      const chip = this.chip(swap ? `${piece} ← ${swap.piece}` : piece, () => this.place(row));
      chip.classList.toggle("lesson-latest", Boolean(swap));
      if (swap) chip.title = "put back";
      chip.addEventListener("dragover", (event) => event.preventDefault());
      chip.addEventListener("drop", (event) => {
        event.preventDefault();
        this.place(row);
      });
      return chip;
    }));
    settle(this.own);
  }

  chip(text, act) {
    return buildButton("chip", text, act);
  }

  pick(i) {
    this.picked = i;
    this.drawSwap();
  }

  // Puts the row that was picked in the place of one of the text, or, where none was, that one back.
  place(row) {
    const there = this.swaps.some((swap) => swap.row === row);
    if (this.picked === null && !there) return;
    const swap = { row, text: this.otherText, from: this.picked, piece: this.pieces[this.picked] };
    this.swaps = [...this.swaps.filter((one) => one.row !== row), ...(this.picked === null ? [] : [swap])];
    this.picked = null;
    this.drawSwap();
    this.draw();
    this.changed();
  }
}
