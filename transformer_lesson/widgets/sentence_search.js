// Writing: greedily, from a beginning that may be given, and by beam search. Both do what decoding.py
// does for one sentence. A plan is {start, end, room}: what the decoder reads first, what ends a text
// (null: nothing does), and how many tokens a text may have, the start included.

const LENGTH_PENALTY = 0.6;
const SHOWN = 8; // most probable next pieces

// The indices of the `count` largest numbers, the largest first.
function largest(values, count) {
  const kept = [];
  for (let i = 0; i < values.length; i++) {
    if (kept.length === count && !(values[i] > values[kept[count - 1]])) continue;
    let at = kept.length;
    while (at > 0 && values[i] > values[kept[at - 1]]) at -= 1;
    kept.splice(at, 0, i);
    kept.length = Math.min(kept.length, count);
  }
  return kept;
}

// Reads [start, ...given] and goes on with the most probable piece. Returns the ids without the
// start, and for each step the logits, their probabilities, the weights of its attentions, and what each
// part computed. `pause` is awaited before each step and may throw to end the work.
async function greedy(model, source, { start, end, room }, given, pause) {
  const cache = model.newCache(room);
  const ids = [];
  const steps = [];
  // A text may name the end, and goes on behind it.
  while (ids.length + 1 < room && (ids.length < given.length || ids.at(-1) !== end)) {
    await pause();
    const trace = (model.trace = new Map());
    const read = () => (model.off.has("mask") ? model.decodeUnmasked([start, ...ids], source) : model.decode([ids.at(-1) ?? start], [cache], source));
    const { logits, self, cross } = read();
    model.trace = null;
    const probabilities = softmax(logits.slice());
    steps.push({
      logits,
      probabilities,
      trace,
      self: self.map(([weights]) => weights),
      cross: cross.map(([weights]) => weights),
    });
    ids.push(given[ids.length] ?? largest(probabilities, 1)[0]);
  }
  return { ids, steps };
}

// The `width` best texts that begin with [start, ...given], each as {ids, score, total}: the ids
// after the start, the log-probability over the length penalty, and the log-probability.
async function beamSearch(model, source, { start, end, room }, given, width, pause) {
  const first = model.newCache(room);
  const prompt = [start, ...given];
  for (const id of prompt.slice(0, -1)) model.decode([id], [first], source);
  let running = [{ ids: prompt, total: 0, cache: first }];
  let finished = [];
  for (let length = given.length + 2; length <= room; length++) {
    await pause();
    const caches = running.map(({ cache }) => cache);
    const { logits } = model.decode(running.map(({ ids }) => ids.at(-1)), caches, source);
    const penalty = ((4 + length - given.length) / 6) ** LENGTH_PENALTY;
    const candidates = extended(running, logits, 2 * width);
    candidates.forEach((candidate, rank) => {
      const ends = candidate.ids.at(-1) === end || length === room;
      candidate.ends = ends;
      // A text that ends outside the beam is lost, like one that goes on outside it.
      if (ends && rank < width) finished.push({ ...candidate, score: candidate.total / penalty });
    });
    finished = finished.sort((a, b) => b.score - a.score).slice(0, width);
    running = candidates.filter(({ ends }) => !ends).slice(0, width);
    const worst = finished.length === width ? finished.at(-1).score : -Infinity;
    if (!running.length || worst >= running[0].total / penalty) break;
    running = running.map((text) => ({ ...text, cache: text.cache.copy() }));
  }
  return finished.map(({ ids, score, total }) => ({ ids: ids.slice(1), score, total }));
}

// The `count` most probable texts that are one piece longer than those running.
function extended(running, logits, count) {
  const size = logits.length / running.length;
  return running
    .flatMap(({ ids, total, cache }, row) => {
      const own = logits.slice(row * size, (row + 1) * size);
      const best = largest(own, count);
      const gains = softmax(own);
      return best.map((id) => ({ ids: [...ids, id], total: total + Math.log(gains[id]), cache }));
    })
    .sort((a, b) => b.total - a.total)
    .slice(0, count);
}
