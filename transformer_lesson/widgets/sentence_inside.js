// The part that is open beside the drawing, on the numbers of this text.

const MOST_NEURONS = 10;
const SMALL_MAP = 46; // pixels
const FOCUSED = "button, select, input, [tabindex]";
const SUBLAYERS = { attention: "self_attention", masked: "self_attention", cross: "cross_attention", "feed-forward": "feed_forward", gated: "feed_forward" };
const isNorm = (kind) => ["norm", "rms"].includes(kind);
const SAID = { self_attention: "self-attention", cross_attention: "cross-attention", feed_forward: "feed-forward" };

// Gives each part of a drawing its place in the model: `inside` is the sublayer that it is, or belongs
// to, or "final".
function located(parts) {
  const halves = Object.groupBy(parts, ({ half }) => half);
  for (const own of Object.values(halves)) {
    const sublayers = own.map(({ kind }) => SUBLAYERS[kind]).filter(Boolean);
    let [last, norms] = ["", 0];
    for (const part of own) {
      last = SUBLAYERS[part.kind] ?? last;
      if (SUBLAYERS[part.kind] || ["heads", "grouped"].includes(part.kind)) part.inside = last;
      if (isNorm(part.kind)) part.inside = sublayers[norms++] ?? "final";
    }
  }
}

class Inside {
  // `tell` hears words for the status line, `opened` of the part that the reader has chosen, `away` says
  // what of a part is taken away, and `next` is the list of the next pieces.
  constructor(model, { tell, opened, away, next }) {
    Object.assign(this, { model, tell, away, next, sizes: model.get("sizes"), heads: {}, layers: {}, asMap: false, kept: null });
    this.node = buildGroup("inside", "inside");
    this.heading = element("div", "opened");
    this.content = element("div", "content");
    this.content.tabIndex = 0; // it may scroll
    this.choose = buildSelect("part", [], (i) => opened(this.parts[i]));
    this.choose.className = "lesson-which"; // a part is something of the drawing
    this.link = element("span");
    this.heading.append(this.choose, this.link);
    this.node.append(this.heading, this.content);
  }

  // The parts of the drawing that can be opened; the first is that of which most is to be seen.
  take(parts) {
    located(parts);
    this.parts = parts;
    this.choose.replaceChildren(...parts.map((part, i) => new Option(this.nameOf(part), i)));
    this.part = parts.find(({ kind }) => kind === "cross") ?? parts.find(({ kind }) => SUBLAYERS[kind]);
  }

  nameOf(part) {
    const { half, kind, inside } = part;
    const norm = isNorm(kind);
    const of = norm ? (inside === "final" ? "last " : "") : "";
    const which = norm && inside !== "final" ? ` at ${SAID[inside]}` : inside && /heads|grouped/.test(kind) ? ` of ${SAID[inside]}` : "";
    const name = `${of}${nameOf(part)}${which}`;
    return ["encoder", "decoder"].includes(kind) ? name : `${half}: ${name}`;
  }

  // `tokens` has, for each kind of map, the words of its queries and keys.
  show(answer, text, tokens) {
    this.now = { answer, text, tokens, trace: new Trace(answer, this.sizes) };
  }

  // Shows `part` for the pieces at `places` of the encoder and the decoder.
  draw(part, places) {
    Object.assign(this, { part, places });
    if (!this.now) return;
    this.place = places[part.half];
    this.choose.value = this.parts.indexOf(part);
    this.link.replaceChildren(this.buildLink(part));
    const [before, at] = this.focused();
    const away = this.away(part);
    this.content.replaceChildren(...(away ? [this.note(away)] : []), ...this.build(part).flat());
    if (at < 0) return;
    const now = [...this.content.querySelectorAll(FOCUSED)];
    (now.find((node) => labelOf(node) === labelOf(before)) ?? now[clamp(at, now.length)])?.focus();
  }

  // What has the focus within the content, and its place there, or -1.
  focused() {
    const node = document.activeElement;
    return [node, [...this.content.querySelectorAll(FOCUSED)].indexOf(node)];
  }

  redraw() {
    this.draw(this.part, this.places);
  }

  buildLink({ lesson, section }) {
    const [stem, title] = LESSONS[lesson];
    const link = element("a", "leads", `${lesson} ${title}, section ${section.split(".")[0]}`);
    link.title = section;
    leadTo(link, this.model, this.model.get("folder").replace(/[^/]*$/, ""), stem, section);
    return link;
  }

  build(part) {
    const { kind, half } = part;
    const own = {
      embedding: () => this.buildEmbedding(half),
      positions: () => this.buildPositions(half),
      norm: () => this.buildNorm(part),
      rms: () => this.buildNorm(part),
      heads: () => this.buildHeads(part),
      grouped: () => this.buildHeads(part),
      "feed-forward": () => this.buildNeurons(half),
      gated: () => this.buildNeurons(half),
      stream: () => this.buildStream(half),
      encoder: () => this.buildLayers(half),
      decoder: () => this.buildLayers(half),
      memory: () => this.buildMemory(),
      probabilities: () => this.buildProbabilities(part),
      written: () => this.buildNext(),
    }[kind];
    return own ? own() : this.buildAttention(part);
  }

  // -- What the parts share

  note(words) {
    return element("p", "note", words);
  }

  bands(title, rows, columns) {
    return new Bands(title, rows, this.room, columns).node;
  }

  get room() {
    return Math.max(250, Math.min(520, this.content.clientWidth || 320));
  }

  // The pieces that a half reads.
  pieces(half) {
    const { encoder, decoder } = this.now.tokens;
    return (half === "encoder" ? encoder : decoder)[0];
  }

  get piece() {
    return this.pieces(this.part.half)[this.place];
  }

  at(name, place = this.place) {
    return this.now.trace.row(this.part.half, name, place);
  }

  layerOf(half) {
    return (this.layers[half] = clamp(this.layers[half] ?? 0, this.sizes[half]));
  }

  chooseLayer(half) {
    const select = buildSelect("layer", range(this.sizes[half]).map((i) => [i, `layer ${i}`]), (i) => {
      this.layers[half] = i;
      this.redraw();
    });
    select.value = this.layerOf(half);
    return select;
  }

  row(...nodes) {
    const row = element("div", "acts");
    row.append(...nodes);
    return row;
  }

  button(words, title, pressed, act) {
    const button = buildButton("act", words, () => {
      act();
      this.redraw();
    });
    return Object.assign(button, { title, ariaPressed: pressed });
  }

  // -- Before the layers

  buildEmbedding(half) {
    const { scale, sizes: { d_model: width } } = this;
    const row = this.at(`${half}.embedding`);
    const times = scale === 1 ? [] : [{ name: "in the table", numbers: row.map((x) => x / scale) }, { name: `× ${rounded(scale)}`, numbers: row }];
    const pieces = this.pieces(half).map((name, i) => (this.isThere(half, i) ? [{ name, numbers: this.at(`${half}.embedding`, i), marked: i === this.place }] : [])).flat();
    return [
      this.note(`${quoted([this.piece])} is one of ${grouped(this.sizes.vocab_size)} rows of ${width} learned numbers${scale === 1 ? "" : `, multiplied by √${width} = ${rounded(scale)}`}.`),
      times.length ? this.bands(`the row of ${quoted([this.piece])}`, times) : [],
      this.bands("the rows of all pieces", pieces),
    ].flat();
  }

  isThere(half, place) {
    return half === "encoder" || place <= this.places.decoder;
  }

  buildPositions(half) {
    if (!this.now.trace.has(half, `${half}.positions`)) return [];
    const [row, added] = [this.at(`${half}.embedding`), this.at(`${half}.positions`)];
    const sum = row.map((x, i) => x + added[i]);
    const places = this.pieces(half).flatMap((name, i) => (this.isThere(half, i) ? [{ name: `${i} ${name}`, numbers: this.at(`${half}.positions`, i), marked: i === this.place }] : []));
    return [
      this.note(`${quoted([this.piece])} stands at place ${this.place}. The row of that place is added to its own, number by number.`),
      this.bands("one piece", [
        { name: this.piece, numbers: row },
        { name: `+ place ${this.place}`, numbers: added },
        { name: "= sum", numbers: sum },
      ]),
      this.bands("what is added at each place", places),
    ];
  }

  // -- In the layers

  buildNorm({ half, inside }) {
    const final = inside === "final";
    const name = final ? `${half}.final_norm` : `${half}.layers.${this.layerOf(half)}.${inside}_norm`;
    const [before, after] = [this.at(`${name}.input`), this.at(name)];
    const said = (row) => `mean ${rounded(meanOf(row))}, spread ${rounded(spreadOf(row))}`;
    return [
      final ? [] : this.row(this.chooseLayer(half)),
      this.note(`${quoted([this.piece])} before: ${said(before)}. After: ${said(after)}; the norm has learned a factor for each number.`),
      this.bands("before", [{ name: this.piece, numbers: before }]),
      this.bands("after", [{ name: this.piece, numbers: after }]),
    ].flat();
  }

  buildNeurons(half) {
    const name = `${half}.layers.${this.layerOf(half)}.feed_forward`;
    const hidden = this.at(`${name}.hidden`);
    const order = [...hidden.keys()].sort((a, b) => hidden[b] - hidden[a]).slice(0, MOST_NEURONS);
    const firing = hidden.filter((value) => value > 0).length;
    const top = Math.max(hidden[order[0]], 1e-9);
    return [
      this.row(this.chooseLayer(half)),
      this.note(`At ${quoted([this.piece])} ${firing} of ${hidden.length} neurons are above 0; these fire most:`),
      buildList(order.map((i) => buildBar(`neuron ${i}`, hidden[i], top))),
      this.bands("what they add to the stream", [{ name: this.piece, numbers: this.at(name) }]),
    ];
  }

  buildStream(half) {
    const [begin, added] = this.now.trace.stream(half, this.place);
    const lengths = [["enters", lengthOf(begin)], ...added.map(([name, row]) => [partName(name), lengthOf(row)])];
    const top = Math.max(...lengths.map(([, length]) => length));
    const final = this.now.trace.has(half, `${half}.final_norm.input`) ? `: ${rounded(lengthOf(this.at(`${half}.final_norm.input`)))} when it leaves the last layer` : "";
    return [
      this.note(`How long a row each part adds to the stream of ${quoted([this.piece])}, from the first to the last. The sum grows${final}.`),
      buildList(lengths.map(([name, length]) => buildBar(name, length, top))),
    ];
  }

  buildLayers(half) {
    const names = range(this.sizes[half]).map((layer) => [`after layer ${layer}`, `${half}.layers.${layer}`]);
    const pre = this.now.trace.has(half, `${half}.final_norm`);
    const after = (layer) => {
      if (!pre) return this.at(`${half}.layers.${layer}.feed_forward_norm`);
      return this.at(layer + 1 < names.length ? `${half}.layers.${layer + 1}.self_attention_norm.input` : `${half}.final_norm.input`);
    };
    const [begin] = this.now.trace.stream(half, this.place);
    return [
      this.note(`The stream of ${quoted([this.piece])} on its way up: what enters, and what each layer has made of it.`),
      this.bands("the stream", [{ name: "enters", numbers: begin }, ...names.map(([name], layer) => ({ name, numbers: after(layer) }))]),
    ];
  }

  buildMemory() {
    const rows = this.now.trace.rows(this.now.trace.source.get("memory"));
    return [
      this.note(`${counting(rows.length, "row")} of ${this.sizes.d_model} numbers: all that the decoder ever learns of the source.`),
      this.bands("the memory", rows.map((numbers, i) => ({ name: this.now.tokens.encoder[0][i], numbers, marked: i === this.places.encoder }))),
    ];
  }

  // Where nothing is written a piece is chosen here.
  buildProbabilities(part) {
    const { half } = part;
    const name = this.now.trace.has(half, `${half}.final_norm`) ? `${half}.final_norm` : `${half}.layers.${this.sizes[half] - 1}.feed_forward_norm`;
    const { best } = this.next;
    const rest = 1 - best.reduce((sum, { probability }) => sum + probability, 0);
    const bars = [...best.map(({ piece, probability }) => [piece, probability]), ["all others", Math.max(0, rest)]];
    return [
      this.bands(`this row, times ${grouped(this.sizes.vocab_size)} others`, [{ name: this.piece, numbers: this.at(name) }]),
      ...(part === this.parts.at(-1) ? this.buildNext() : [this.note("The softmax of these products: how probable each piece is."), buildList(bars.map(([piece, share]) => buildBar(piece, share, 1)))]),
    ];
  }

  buildNext() {
    this.next.draw();
    return [this.next.node];
  }

  // -- Attention

  mapOf({ half, inside }) {
    return inside === "cross_attention" ? "cross" : half;
  }

  // The layer and head that are shown: at first those that align best.
  headOf(kind) {
    return (this.heads[kind] ??= sharpest(this.now.answer.maps[kind]));
  }

  chooseHead(kind, layers) {
    const [layer, head] = this.headOf(kind);
    const set = (at) => (i) => {
      this.heads[kind] = this.heads[kind].with(at, i);
      this.redraw();
    };
    const selects = [
      buildSelect("layer", range(layers).map((i) => [i, `layer ${i}`]), set(0)),
      buildSelect("head", [[Maps.MEAN, "all heads"], ...range(this.sizes.heads).map((i) => [i, `head ${i}`])], set(1)),
    ];
    selects.forEach((select, i) => (select.value = [layer, head][i]));
    return selects;
  }

  buildAttention(part) {
    const kind = this.mapOf(part);
    const keep = this.button("keep", "keep this text to compare it with the next", Boolean(this.kept), () => {
      this.kept = this.kept ? null : this.now;
    });
    const map = this.button("map", "the map of the head, large", this.asMap, () => (this.asMap = !this.asMap));
    const shown = this.kept && this.kept !== this.now ? [this.kept, this.now] : [this.now];
    const graphs = element("div", "graphs");
    graphs.append(...shown.map((one) => this.buildGraph(kind, one, shown.length)));
    const acts = this.row(...this.chooseHead(kind, this.sizes[part.half]), map, keep);
    return [acts, graphs, ...(shown.length > 1 ? [element("p", "difference", compared(...shown))] : [])];
  }

  buildGraph(kind, { answer, tokens }, count) {
    const { shape, numbers } = answer.maps[kind];
    const [layer, head] = this.headOf(kind);
    const [, , rows, columns] = shape;
    const [reads, keys, writes] = tokens[kind];
    const map = new Maps(shape, numbers).get(layer, head);
    const title = `${kind === "cross" ? "cross-attention" : `${kind} self-attention`}, layer ${layer}`;
    if (this.asMap) {
      const one = { shape: [1, 1, rows, columns], numbers: Uint16Array.from(map, (weight) => Math.round(weight * Maps.STEPS)) };
      return new SentenceMap(title, one, [reads, keys], count > 1 ? 150 : 260).node;
    }
    const queries = writes ? reads.map((word, i) => `${word} → ${writes[i]}`) : reads;
    const heads = [writes ? "reads → writes" : "each piece", kind === "cross" ? "source" : "looks at"];
    const lines = new Lines(Math.min(420, this.room / count), this.tell);
    const now = answer === this.now.answer;
    const there = now && kind !== "encoder" ? this.places.decoder + 1 : rows;
    // Where all is written, all lines are to be seen.
    const whole = kind !== "encoder" && there === rows;
    lines.show(title, map, [queries, keys], heads, there, now && !whole ? this.place : null);
    return lines.node;
  }

  // All heads of a layer small, and one of them: its query, its keys, scores, weights and values.
  buildHeads(part) {
    const kind = this.mapOf(part);
    const [layer, chosen] = this.headOf(kind);
    const head = Math.max(0, chosen);
    const name = `${part.half}.layers.${layer}.${part.inside}`;
    return [this.row(this.chooseHead(kind, this.sizes[part.half])[0], ...this.buildSmall(kind, layer, head)), ...this.buildHead(name, kind, head)];
  }

  buildSmall(kind, layer, head) {
    const { shape, numbers } = this.now.answer.maps[kind];
    const maps = new Maps(shape, numbers);
    const [, , rows, columns] = shape;
    return range(this.sizes.heads).map((i) => {
      const button = this.button("", `head ${i}`, i === head, () => (this.heads[kind] = [layer, i]));
      button.classList.add("lesson-small");
      const heatmap = new Heatmap(rows, columns, [SMALL_MAP / columns, SMALL_MAP / rows]);
      heatmap.paint(maps.get(layer, i), 0, 1);
      button.setAttribute("aria-label", `head ${i}`);
      button.append(heatmap.canvas, element("span", "", `head ${i}`));
      return button;
    });
  }

  buildHead(name, kind, head) {
    const { trace, tokens } = this.now;
    const { heads, kv_heads: shared, d_head: width } = this.sizes;
    const own = (row, at = head) => row.subarray(at * width, (at + 1) * width);
    const group = Math.floor(head / (heads / shared));
    const known = (what) => trace.keys(this.part.half, name, what, this.place).map((row) => own(row, group));
    const [keys, values] = [known("key"), known("value")];
    const scores = trace.scores(this.part.half, name, this.place, head);
    const weights = tempered(scores, 1);
    const words = tokens[kind][1];
    const hidden = words.slice(keys.length).map((word) => ({ name: word, numbers: null, more: ["masked", "0"] }));
    const rows = (what, more) => words.slice(0, keys.length).map((word, i) => ({ name: word, numbers: what[i], more: more(i), share: weights[i] }));
    const number = (x) => (Number.isFinite(x) ? x.toFixed(2).replace("-", "−") : "masked");
    const written = tokens[kind][2]?.[this.place];
    return [
      this.note(`${quoted([this.piece])}${written ? `, which writes ${quoted([written])},` : ""} asks; its query times a key, divided by √${width}, is the score.`),
      this.bands(`head ${head}: the query`, [{ name: this.piece, numbers: own(this.at(`${name}.query`)), more: ["", ""] }], ["", ""]),
      this.bands(kind === "cross" ? "keys, from the memory" : "keys", [...rows(keys, (i) => [number(scores[i]), weights[i].toFixed(4)]), ...hidden], ["score", "softmax"]),
      this.bands("values, added up by these weights", [...rows(values, (i) => ["", weights[i].toFixed(4)]), { name: "= sum", numbers: own(this.at(`${name}.heads`)), more: ["", ""], marked: true }], ["", "weight"]),
    ];
  }
}

// The layer and head of maps whose queries look most at keys of their own: of which the query says most
// about the key, in bits (their mutual information). One that always looks at the same key says nothing.
function sharpest({ shape: [layers, heads, rows, columns], numbers }) {
  const maps = new Maps([layers, heads, rows, columns], numbers);
  const told = (map) => {
    const mean = range(columns).map((key) => range(rows).reduce((sum, row) => sum + map[row * columns + key], 0) / rows);
    return map.reduce((sum, weight, i) => sum + (weight > 0 ? weight * Math.log(weight / mean[i % columns]) : 0), 0);
  };
  const all = range(layers).flatMap((layer) => range(heads).map((head) => [told(maps.get(layer, head)), layer, head]));
  const [, layer, head] = all.reduce((best, one) => (one[0] > best[0] ? one : best));
  return [layer, head];
}

const labelOf = (node) => node.ariaLabel ?? node.textContent;
const meanOf = (row) => row.reduce((a, b) => a + b, 0) / row.length;
const spreadOf = (row) => Math.sqrt(row.reduce((sum, x) => sum + (x - meanOf(row)) ** 2, 0) / row.length);
const rounded = (x) => String(Number(x.toFixed(2))).replace("-", "−");

function partName(name) {
  const [, , layer, part] = name.split(".");
  return `${layer} ${SAID[part]}`;
}
