// One answered text: its pieces, what the model has not seen, the translation or continuation step by
// step, the other texts of the beam search, and the maps.

function quoted(texts) {
  return texts.map((text) => `“${text}”`).join(", ");
}

// The words of an answer, each a list of pieces.
function wordsOf(pieces) {
  const words = [];
  for (const piece of pieces) (words[piece.word] ??= []).push(piece);
  return words;
}

function written(word) {
  return word.map(({ text }) => text).join("").replace("▁", "");
}

// What the model has never read, or hardly, in words.
function warnings(pieces) {
  const unknown = [...new Set(pieces.filter((piece) => piece.unknown).map(({ text }) => text))];
  const words = wordsOf(pieces);
  const split = words.filter((word) => word.length > 1 && !word.some((piece) => piece.unknown));
  const said = [];
  if (unknown.length) {
    said.push(`The model has never seen ${quoted(unknown)} and reads <unknown> instead: it cannot know what stood there.`);
  }
  if (split.length) {
    said.push(
      `${quoted([...new Set(split.map(written))])}: no piece of the vocabulary is so long, because the training text ` +
        "has such a word seldom or never. The vocabulary does not tell which of the two.",
    );
  }
  if (split.length > words.length / 2) said.push("Most words are in pieces: the model has read little like this.");
  return said;
}

// Where two lists differ: [from, to of the first, to of the second].
function difference(first, second) {
  let from = 0;
  while (from < first.length && first[from] === second[from]) from += 1;
  let same = 0;
  const shorter = Math.min(first.length, second.length) - from;
  while (same < shorter && first.at(-1 - same) === second.at(-1 - same)) same += 1;
  return [from, first.length - same, second.length - same];
}

class Result {
  // `view` answers again when a piece or a text is chosen: with `view.ask(given)`.
  constructor(view, text, answer, given, columns) {
    Object.assign(this, { view, text, answer, given });
    const { steps, maps, pieces, begun, written: output } = answer;
    this.model = new PartModel({ step: Math.min(begun, steps.length - 1) }, () => this.showStep());
    this.node = element("section", "result");
    this.node.setAttribute("aria-label", text);
    this.difference = element("p", "difference");
    this.node.append(element("p", "sentence", text), this.buildPieces(), this.difference);
    this.node.append(...warnings(pieces).map((words) => element("p", "warning", words)));
    this.node.append(this.buildWriting());
    if (maps.cross) this.node.append(this.buildTexts());
    const read = [answer.first, ...output.slice(0, -1)];
    const grid = (title, map, tokens) => new SentenceMaps(title, map, tokens, columns, (layer) => view.turn(layer));
    this.grids = [grid(maps.cross ? "decoder" : "self-attention", maps.decoder, [read, read])];
    if (maps.cross) {
      const source = pieces.map((piece) => piece.text);
      if (maps.encoder.shape[3] > source.length) source.push("<end>");
      this.grids.unshift(grid("encoder", maps.encoder, [source, source]));
      this.grids.push(grid("decoder to source", maps.cross, [read, source]));
    }
    this.node.append(...this.grids.map(({ node }) => node));
    this.showStep();
  }

  remove() {
    this.player.pause();
    this.node.remove();
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  // -- The sentence

  buildPieces() {
    this.words = wordsOf(this.answer.pieces).map((word) => {
      const item = element("span", "word");
      item.setAttribute("role", "listitem");
      item.append(...word.map((piece) => this.buildPiece(piece)));
      if (word.length > 1) item.classList.add("lesson-split");
      if (word.length > 1) item.append(element("span", "tag", `in ${word.length} pieces`));
      return item;
    });
    const list = element("div", "pieces");
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", "pieces of the text");
    list.append(...this.words);
    return list;
  }

  buildPiece({ text, unknown }) {
    const chip = element("span", "chip", text);
    if (unknown) chip.classList.add("lesson-unknown");
    if (unknown) chip.append(element("span", "tag", " ? never seen"));
    return chip;
  }

  // -- The translation, or the text as a language model goes on with it

  buildWriting() {
    const { steps, written: output, text, taken, begun, maps } = this.answer;
    const part = element("div", "translation");
    this.player = new Player(this, part, "step", steps.length - 1);
    this.chips = output.map((piece, step) => {
      const chip = element("span", "chip", piece);
      if (step < begun) chip.classList.add("lesson-given");
      chip.addEventListener("click", () => this.player.go(step));
      return chip;
    });
    const chips = element("div", "pieces");
    chips.append(...this.chips);
    this.heading = element("p", "heading");
    this.candidates = element("div", "candidates");
    const free = element("button", "free", "write freely again");
    free.type = "button";
    free.hidden = !this.given.length;
    free.addEventListener("click", () => this.view.ask([]));
    const speed = `${(taken / steps.length).toFixed(0)} ms a piece${maps.cross ? ", the encoder included" : ""}.`;
    part.append(
      element("p", "output", text || "(nothing)"),
      element("p", "note", `${this.counted()}, ${speed}${this.ending()}`),
      chips,
      this.player.buildControls("Space plays and pauses; click a piece to append it"),
      this.heading,
      this.candidates,
      free,
    );
    return part;
  }

  counted() {
    const { steps, begun, maps } = this.answer;
    if (maps.cross) return `${steps.length} pieces${begun ? `, of which ${begun} were chosen` : ""}`;
    return `${steps.length - begun} pieces after ${begun + 1} that it was given`;
  }

  ending() {
    if (this.answer.ended) return "";
    if (this.answer.maps.cross) return " The model did not end it: it was stopped at its longest.";
    return " Here it was stopped.";
  }

  showStep() {
    const step = this.model.get("step");
    const { steps, ids, begun } = this.answer;
    this.player.slider.show(step);
    this.chips.forEach((chip, i) => {
      chip.classList.toggle("lesson-latest", i === step);
      chip.classList.toggle("lesson-later", i > step);
    });
    this.heading.textContent = `most probable next pieces, step ${step + 1}`;
    const bars = steps[step].map(({ id, piece, probability }) => {
      const bar = buildBar(piece, probability, 1);
      const button = element("button", "token", piece);
      button.type = "button";
      button.setAttribute("aria-label", `append ${piece}, probability ${probability.toFixed(4)}`);
      button.addEventListener("click", () => this.view.ask([...ids.slice(0, step), id]));
      bar.querySelector(".lesson-token").replaceWith(button);
      bar.append(element("span", "tag", id === ids[step] ? `✓ ${step < begun ? "given" : "taken"}` : ""));
      return bar;
    });
    this.candidates.replaceChildren(buildList(bars));
  }

  // -- The beam search

  buildTexts() {
    const part = element("div", "beams");
    this.texts = element("div", "texts", "searching …");
    part.append(element("p", "heading", "beam search: the best finished texts"), this.texts);
    return part;
  }

  showTexts(texts) {
    const items = texts.map(({ ids, text, score }, rank) => {
      const item = element("div", "text");
      item.setAttribute("role", "listitem");
      const button = element("button", "choose", `${rank + 1}. ${text || "(nothing)"}`);
      button.type = "button";
      button.addEventListener("click", () => this.view.ask(ids));
      item.append(button, element("span", "number", `score ${score.toFixed(3).replace("-", "−")}`));
      return item;
    });
    this.texts.replaceChildren(buildList(items));
  }

  // -- Beside another

  // Marks what differs from the kept result, and says it.
  compare(kept) {
    const words = (result) => wordsOf(result.answer.pieces).map(written);
    const outputs = [kept.answer.written, this.answer.written];
    const [from, before, after] = difference(words(kept), words(this));
    this.words.slice(from, after).forEach((word) => word.classList.add("lesson-changed"));
    const [first, old, fresh] = difference(...outputs);
    this.chips.slice(first, fresh).forEach((chip) => chip.classList.add("lesson-changed"));
    const named = (text) => (text ? `“${text}”` : "nothing");
    const text = (pieces, end) => named(pieces.slice(first, end).join("").replaceAll("▁", " ").trim());
    const said = (list, end) => named(list.slice(from, end).join(" "));
    const same = from === before && from === after;
    this.difference.textContent = same
      ? "The kept sentence and this one are the same."
      : `Changed (underlined): ${said(words(kept), before)} became ${said(words(this), after)}; in ` +
        `${this.answer.maps.cross ? "the translation" : "what was read and written"} ` +
        `${text(outputs[0], old)} became ${text(outputs[1], fresh)}.`;
  }

  turn(layer) {
    for (const grid of this.grids) grid.draw(layer);
  }
}
