// The worker: holds the model, and answers one sentence at a time; a newer one ends the work on it.

class Outdated extends Error {}

class Answers {
  constructor(post) {
    Object.assign(this, { post, latest: 0 });
  }

  // `weights` is the ArrayBuffer of a safetensors file; `marks` are those of Python's `Marks`, `doubt`
  // its `Calibration`, or null where the doubt of this model was not measured.
  load({ config, vocabulary, weights, marks, doubt = null }) {
    this.tokenizer = tokenizerOf(vocabulary);
    this.known = vocabulary.words ? new KnownWords(vocabulary.words) : null;
    this.model = new Model(config, readWeights(weights));
    const has = (name) => `${name}.query_projection.weight` in this.model.weights;
    this.writes = has("decoder.layers.0.self_attention");
    this.translates = has("decoder.layers.0.cross_attention");
    Object.assign(this, { marks, doubt });
    this.most = config.max_tokens - 1;
    // Longer text needs no reading to be refused, so that the time grows with the text alone.
    this.longest = this.most * this.tokenizer.pieces.reduce((most, piece) => Math.max(most, piece.length), 0);
  }

  // Posts {answer}: what is written greedily after the ids `given`, which the reader chose, else after
  // the text. With a `change` it is the answer of the last text by a machine of which parts are off, or
  // whose memory has rows of other texts. It bears the number of the question.
  ask({ number, text, given, change = null }) {
    this.latest = number;
    return this.unlessOutdated(async () => {
      const pause = () => this.pause(number);
      await pause();
      const answer = change ? await this.changed(change, given, pause) : await this[this.translates ? "translated" : "continued"](normalized(text), given, pause);
      this.post({ answer: { number, ...answer } });
    });
  }

  // Posts {texts}, the results of a beam search for what was answered last, and then {missing}, the words of
  // it that nothing in the French stands for, as they were typed; they are asked for when the answer is
  // shown, so that none waits for them.
  search({ number, width }) {
    return this.unlessOutdated(async () => {
      const pause = () => this.pause(number);
      await pause();
      const { source, plan, begun, put } = this.chosen;
      // From a text that has ended nothing goes on: then all texts are searched.
      const prompt = begun.at(-1) === plan.end ? [] : begun;
      const texts = await beamSearch(this.model, source, plan, prompt, width, pause);
      const read = (found) => ({ ...found, ...this.read(found.ids), words: put(this.read(found.ids).text) });
      const told = texts.map(read).filter(({ words }) => words).map(({ words, ...found }) => ({ ...found, text: joined(words) }));
      this.post({ texts: { number, texts: told } });
      const { drafts, read: english, typed } = this.chosen;
      const named = [];
      for (const draft of this.known ? drafts : []) named.push(...(await this.overlooked(draft, pause)));
      this.post({ missing: { number, words: asTyped(named, english, typed) } });
    });
  }

  // The words of a draft without which its French is more probable.
  async overlooked({ head: { pieces, standIns }, ids, made: { answer, steps } }, pause) {
    const whole = steps.reduce((sum, { probabilities }, i) => sum + Math.log(probabilities[answer.ids[i]]), 0);
    const found = [];
    for (const { bare, keys } of expected(pieces, standIns, this.known)) {
      await pause();
      const source = this.model.encode(this.closed(ids.filter((_, i) => !keys.includes(i))));
      if (this.model.score([this.marks.start, ...answer.ids], source) - whole > GAIN) found.push(bare);
    }
    return found;
  }

  async unlessOutdated(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }

  // `swaps` are rows of the memory, each with the text whose memory it comes from, and its place there.
  async changed({ off, swaps }, given, pause) {
    const { head, ids, put } = this.chosen;
    const model = this.model.without(off);
    const replaced = swaps.map(({ row, text, from }) => ({ row, numbers: this.rowOf(text, from) }));
    const { answer } = await this.written(model, head, ids, { given, replaced }, pause);
    // Its doubt was measured on the machine as it is.
    const back = put?.(answer.text);
    return { ...answer, text: back ? joined(back) : answer.text, words: null };
  }

  // The pieces of a text and its end, as a translator reads it.
  pieces(text) {
    const { alphabet } = this.tokenizer;
    return this.named(this.tokenizer.encode(alphabet ? asRead(text, alphabet, this.known) : text));
  }

  rowOf(text, from) {
    const ids = this.fits(this.pieces(text));
    const { memory } = this.model.remember(this.closed(ids));
    return memory.slice(from * this.model.width, (from + 1) * this.model.width);
  }

  // The translation of a text; what it quotes is translated by itself.
  async translated(text, given, pause) {
    const { alphabet } = this.tokenizer;
    const words = this.known;
    const refused = alphabet && this.refusal(text);
    if (refused) return { pieces: [], refused };
    const read = (typed) => (alphabet ? asRead(typed, alphabet, words) : typed);
    const whole = read(text);
    const [frame, quotation] = (words && withoutQuotation(whole)) || [];
    if (frame) {
      const found = await this.tried(frame, given, pause);
      if (found.holds && found.words.some(isYes)) {
        const inner = await this.tried(read(quotation), [], pause);
        const put = (own) => {
          const back = found.put(own);
          // A text of the beam search may have lost its "Oui".
          return back?.some(isYes) ? putQuotation(back, inner.words ?? []) : back;
        };
        const standIns = [...found.answer.standIns, ...(inner.answer.standIns ?? [])];
        const more = { standIns, lost: notKept(inner.answer.lost, whole, words), quotation };
        const drafts = [found, inner].filter(({ ids }) => ids);
        const chosen = { ...found, put, drafts, read: whole, typed: text };
        return this.choose(chosen, putQuotation(found.words, inner.words ?? []), more);
      }
    }
    const found = await this.tried(whole, given, pause);
    const more = words ? { lost: notKept(found.answer.lost, whole, words) } : {};
    return this.choose({ ...found, drafts: [found], read: whole, typed: text }, words && found.words, more);
  }

  // Why a text is not translated, in a sentence; else nothing.
  refusal(text) {
    if (!/[\p{L}\p{N}]/u.test(text)) return text.trim() && `There is no letter and no figure to translate: ${text.trim()} stays as it is.`;
    if (text.length > this.longest) return `This text has ${text.length} characters, and the model reads at most ${this.most} pieces of words: cut it into sentences.`;
    return this.known && refusalOf(text, this.known);
  }

  // Keeps what the beam search and a piece that the reader takes go on from. Its `put` gives the words of
  // a text of the search, or null where it has lost what is copied.
  choose({ answer, ...found }, words, more) {
    this.chosen = found;
    if (!words) return { ...answer, ...more };
    return { ...answer, text: joined(words), words: this.doubt && doubted(this.doubt, words), ...more };
  }

  // What is written for a text as it is read, in the first attempt that keeps all that is copied; where
  // none does it is the plain translation, and where that loses something, the one with those stand-ins
  // that were kept, if it loses less; and an attempt that only left something out, if it has no more
  // faults.
  async tried(read, given, pause) {
    if (given.length || !this.known) return this.attempted(read, this.known ? this.chosen.attempt : null, given, null, pause);
    let [found, best, left] = [null, { only: [] }, null];
    for (const turn of range(ATTEMPTS)) {
      found = await this.attempted(read, { turn }, given, found, pause);
      if (found.holds || !found.ids) return found;
      const only = keptOf(found.written, found.answer.standIns);
      if (only.length > best.only.length) best = { turn, only };
      const out = await this.attempted(read, { turn, out: true }, given, found, pause);
      const clean = out.kept && !leavesTrace(out.written, withLeftOut(out.written, out.answer.standIns));
      if (clean && out.faults === out.answer.lost.length && !(left?.faults <= out.faults)) left = out;
    }
    const plain = await this.attempted(read, { turn: 0, only: [] }, given, found, pause);
    const some = plain.answer.lost.length && best.only.length ? await this.attempted(read, best, given, plain, pause) : null;
    const last = some?.kept && some.answer.lost.length < plain.answer.lost.length ? some : plain;
    return left?.faults <= last.faults ? left : last;
  }

  // One attempt, with all stand-ins or some; what was written `last` is taken where the text is alike.
  async attempted(read, attempt, given, last, pause) {
    const words = this.known;
    const english = words ? inFrench(read, words) : read;
    const [text, standIns] = words ? withStandIns(read, words, attempt) : [read, []];
    const pieces = this.tokenizer.encode(words ? nearest(text, this.tokenizer.alphabet) : text);
    const [ids, head] = [this.fits(pieces), { pieces: this.named(pieces), standIns, lost: [] }];
    const every = words && attempt.only ? withStandIns(read, words, { turn: 0 })[1] : standIns;
    const back = (some, own) => putBack(some, attempt?.out ? withLeftOut(own, standIns) : attempt?.only ? withTyped(own, standIns, every) : standIns);
    const put = (own) => back(own.split(" ").map((word) => ({ text: word, probability: 1 })), own);
    if (!ids) return { answer: head, attempt, put };
    const again = last?.text === text;
    const made = again ? last.made : await this.written(this.model, head, ids, { given }, pause);
    const { answer, steps, ...found } = made;
    const sure = words && this.sure(answer.ids, steps);
    const kept = words && back(sure, answer.text);
    const lost = words && (attempt.only || attempt.out) ? lostIn(joined(kept ?? sure), every, english) : [];
    const holds = kept && !lost.length && !differing(english, joined(kept)).flat().length;
    const told = { ...answer, ...head, lost };
    const sayable = words && withInvented(kept ?? sure, english);
    const faults = lost.length + (sayable || []).filter(({ probability }) => !probability).length;
    return { answer: told, words: sayable, faults, written: answer.text, text, made, kept, holds, attempt, put, head, ids, ...found };
  }

  // The ids of pieces that the model can read, else null.
  fits(pieces) {
    const ids = pieces.map(({ id }) => id);
    return ids.length && ids.length <= this.most && !ids.includes(undefined) ? ids : null;
  }

  async continued(text, given, pause) {
    const pieces = this.pieces(text);
    const [ids, head] = [this.fits(pieces), { pieces }];
    if (!ids) return head;
    this.chosen = { head, ids };
    return (await this.written(this.model, head, ids, { given }, pause)).answer;
  }

  // What `model` makes of the ids of a text, and what a beam search goes on from.
  async written(model, head, ids, { given, replaced = [] }, pause) {
    const began = performance.now();
    if (!this.writes) return { answer: { ...head, ...this.filled(model, given.length ? given : ids, began) } };
    const { source, plan, begun } = this.translates ? this.translation(model, ids, given, replaced) : this.continuation(ids, given);
    const { ids: out, steps } = await greedy(model, source, plan, begun, pause);
    const taken = performance.now() - began;
    const asked = out.map((_, i) => i).slice(source ? 0 : begun.length);
    return { answer: { ...head, taken, begun: begun.length, asked, ...this.told(source, plan, { ids: out, steps }) }, steps, source, plan, begun };
  }

  closed(ids) {
    const { source_end: last } = this.marks;
    return last === null ? ids : [...ids, last];
  }

  // A translation has as much room as `TypedModel.answer` gives it.
  translation(model, ids, given, replaced) {
    const { start, end } = this.marks;
    const trace = (model.trace = new Map());
    const source = { ...model.encode(this.closed(ids), replaced), trace };
    model.trace = null;
    const room = Math.min(2 * source.ids.length + 10, this.most + 1);
    return { source, plan: { start, end, room }, begun: given };
  }

  // A language model reads the text as the beginning of its own.
  continuation(ids, given) {
    const { start: mark, end, ahead } = this.marks;
    const [start, ...typed] = mark === null ? ids : [mark, ...ids];
    const begun = given.length ? given : typed;
    const room = Math.min(1 + begun.length + ahead, this.most + 1);
    return { source: null, plan: { start, end, room }, begun };
  }

  // Lets messages in, and ends the work on a question when there is a newer one.
  async pause(number) {
    await new Promise((resolve) => setTimeout(resolve));
    if (number !== this.latest) throw new Outdated();
  }

  named(pieces) {
    return pieces.map((piece) => ({ ...piece, unknown: piece.id === this.tokenizer.unknown }));
  }

  // The text of ids without the marks, as `decode` of the vocabularies gives it.
  read(ids) {
    const { padding, start, end } = this.marks;
    const text = this.tokenizer.decode(ids.filter((id) => ![padding, start, end].includes(id)));
    return { ended: ids.at(-1) === end, text };
  }

  // What an encoder alone takes for the masked places of a text, or, where none is, for all.
  filled(model, ids, began) {
    const trace = (model.trace = new Map());
    const { weights, logits } = model.fill(ids);
    model.trace = null;
    const name = (id) => this.tokenizer.pieces[id];
    const masked = ids.flatMap((id, i) => (id === this.marks.mask ? [i] : []));
    const full = ids.map((id, i) => (id === this.marks.mask ? largest(logits[i], 1)[0] : id));
    const steps = logits.map((own, i) => this.step(own, softmax(own.slice()), full[i]));
    const maps = { encoder: fixed(weights, ids.length) };
    const asked = masked.length ? masked : ids.map((_, i) => i);
    const begun = 0;
    return { taken: performance.now() - began, begun, asked, read: ids, ids: full, ...this.read(full), written: full.map(name), steps, maps, trace: { source: trace } };
  }

  sure(ids, steps) {
    const kept = [...ids.keys()].filter((i) => ids[i] !== this.marks.end);
    const chances = kept.map((i) => steps[i].probabilities[ids[i]]);
    return sureWords(kept.map((i) => this.tokenizer.pieces[ids[i]]), chances);
  }

  // What stands for one step: the most probable pieces, and how probable the one is that was `taken`.
  step(logits, probabilities, taken) {
    const best = largest(probabilities, SHOWN);
    return { logits, chance: probabilities[taken], best: best.map((id) => ({ id, piece: this.tokenizer.pieces[id], probability: probabilities[id] })) };
  }

  told(source, { start }, { ids, steps }) {
    const name = (id) => this.tokenizer.pieces[id];
    const whole = source ? ids : [start, ...ids];
    const begun = (i) => this.read(whole.slice(0, whole.length - ids.length + i + 1)).text.split(" ").filter(Boolean).length;
    return {
      ids,
      ...this.read(whole),
      first: name(start),
      written: ids.map(name),
      words: this.doubt && doubted(this.doubt, this.sure(ids, steps)),
      steps: steps.map(({ logits, probabilities }, i) => ({ ...this.step(logits, probabilities, ids[i]), words: begun(i) })),
      trace: { source: source?.trace, steps: steps.map(({ trace }) => trace) },
      maps: {
        encoder: source && fixed(source.weights, source.ids.length),
        decoder: fixed(byLayer(steps, "self"), ids.length),
        cross: source && fixed(byLayer(steps, "cross"), source.ids.length),
      },
    };
  }
}

const joined = (words) => words.map(({ text }) => text).join(" ");

function byLayer(steps, kind) {
  return steps[0][kind].map((_, layer) => steps.map((step) => step[kind][layer]));
}

// Weights by layer and query, each (heads, keys), as the 16-bit numbers that the maps are drawn
// from: (layers, heads, queries, keys). A query that has fewer keys sees none of the others.
function fixed(weights, keys) {
  const layers = weights.length;
  const queries = weights[0].length;
  const heads = weights[0].at(-1).length / keys;
  const numbers = new Uint16Array(layers * heads * queries * keys);
  weights.forEach((rows, layer) =>
    rows.forEach((row, query) => {
      const seen = row.length / heads;
      for (let head = 0; head < heads; head++) {
        const start = ((layer * heads + head) * queries + query) * keys;
        for (let key = 0; key < seen; key++) numbers[start + key] = Math.round(65535 * row[head * seen + key]);
      }
    }),
  );
  return { shape: [layers, heads, queries, keys], numbers };
}

if (typeof WorkerGlobalScope !== "undefined") {
  const answers = new Answers((message) => postMessage(message));
  const failed = (error) => postMessage({ error: error.message });
  addEventListener("message", ({ data: { load, ask, search, read } }) => {
    if (ask) return answers.ask(ask).catch(failed);
    if (search) return answers.search(search).catch(failed);
    try {
      if (read !== undefined) return postMessage({ other: { text: read, pieces: answers.pieces(read) } });
      const [config, vocabulary] = [load.config, load.vocabulary].map((text) => JSON.parse(text));
      answers.load({ ...load, config, vocabulary });
      postMessage({ ready: true, names: answers.tokenizer.pieces, scale: answers.model.scale });
    } catch (error) {
      failed(error);
    }
  });
}
