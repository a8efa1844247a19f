// The worker: holds the model, and answers one sentence at a time; a newer one ends the work on it.

class Outdated extends Error {}

class Answers {
  constructor(post) {
    Object.assign(this, { post, latest: 0 });
  }

  // `weights` is the ArrayBuffer of a safetensors file.
  load({ config, vocabulary, weights }) {
    this.tokenizer = new Tokenizer(vocabulary);
    this.model = new Model(config, readWeights(weights));
  }

  // Posts {answer} with the greedy translation that begins with the ids `given`, then {texts} with
  // the results of the beam search. Both bear the number of the question.
  async ask({ number, text, given, width }) {
    this.latest = number;
    const pieces = this.tokenizer.encode(text);
    const ids = [...pieces.map(({ id }) => id), END];
    const most = this.model.config.max_tokens;
    if (!pieces.length || ids.length > most) {
      return this.post({ answer: { number, pieces: this.named(pieces), most: most - 1 } });
    }
    const pause = () => this.pause(number);
    try {
      await pause();
      const began = performance.now();
      const source = this.model.encode(ids);
      const written = await greedy(this.model, source, given, pause);
      const taken = performance.now() - began;
      this.post({ answer: { number, pieces: this.named(pieces), most: most - 1, taken, ...this.told(source, written) } });
      // From a text that has ended nothing goes on: then all texts are searched.
      const prompt = given.at(-1) === END ? [] : given;
      const texts = await beamSearch(this.model, source, prompt, width, pause);
      this.post({ texts: { number, texts: texts.map((found) => ({ ...found, ...this.read(found.ids) })) } });
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }

  // Lets messages in, and ends the work on a question when there is a newer one.
  async pause(number) {
    await new Promise((resolve) => setTimeout(resolve));
    if (number !== this.latest) throw new Outdated();
  }

  named(pieces) {
    return pieces.map((piece) => ({ ...piece, unknown: piece.id === this.tokenizer.unknown }));
  }

  // The text of what was written; start, end and padding leave no trace, as in `Vocabulary.decode`.
  read(ids) {
    const text = this.tokenizer.decode(ids.filter((id) => ![PADDING, START, END].includes(id)));
    return { ended: ids.at(-1) === END, text };
  }

  told(source, { ids, steps }) {
    const name = (id) => this.tokenizer.pieces[id];
    return {
      ids,
      ...this.read(ids),
      written: ids.map(name),
      steps: steps.map(({ best }) => best.map(([id, probability]) => ({ id, piece: name(id), probability }))),
      maps: {
        encoder: fixed(source.weights, source.ids.length),
        decoder: fixed(byLayer(steps, "self"), ids.length),
        cross: fixed(byLayer(steps, "cross"), source.ids.length),
      },
    };
  }
}

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
  addEventListener("message", ({ data: { load, ask } }) => {
    if (ask) return answers.ask(ask).catch(failed);
    try {
      answers.load(load);
      postMessage({ ready: true });
    } catch (error) {
      failed(error);
    }
  });
}
