// Flash attention on one small score matrix, tile by tile, right or as a switch breaks it. RULES, PLANS,
// MOVED and HELD, what a walk moves and holds, stand in tiles_model.py.
//
// tests/browser/test_tiles_model.py holds this to that file and to the package's tiles, on the walks of
// tests/widgets/tile_walks.py, which reach every branch.
//
// The state kept between tiles is rounded to float32, as on a GPU; the right results are computed in
// float64. Nothing is drawn here.

const MILLION = 1e6;

// The numbers as Python sent them: scores, values and keys, one after the other.
function givenOf([queries, keys, dValue, dHead], numbers, scale) {
  let place = 0;
  const matrix = (rows, columns) =>
    Array.from({ length: rows }, () => {
      place += columns;
      return Array.from(numbers.slice(place - columns, place));
    });
  const [scores, value, key] = [matrix(queries, keys), matrix(keys, dValue), matrix(keys, dHead)];
  return { queries, keys, dValue, dHead, scale, scores, value, key };
}

function cut(length, size) {
  return range(Math.ceil(length / size)).map((i) => [i * size, Math.min((i + 1) * size, length)]);
}

function between([start, stop]) {
  return range(stop - start).map((i) => start + i);
}

function finite(maximum) {
  return maximum === -Infinity ? 0 : maximum;
}

// The sum of the weighted rows of a matrix with `width` columns.
function weigh(weights, rows, width) {
  return range(width).map((c) => weights.reduce((sum, weight, i) => sum + weight * rows[i][c], 0));
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

// The largest absolute difference; NaN if any difference is NaN.
function distanceOf(one, other) {
  return Math.max(...one.map((value, i) => Math.abs(value - other[i])));
}

// The output and log-sum-exp of a row; a row that saw no key has output 0.
function finishRow({ maximum, sum, accumulator }, round = Math.fround) {
  const total = sum === 0 ? 1 : sum;
  return {
    output: accumulator.map((value) => round(value / total)),
    logSumExp: round(maximum + Math.log(total)),
  };
}

// All steps of a walk over the tiles, and the state after each.
class TileWalk {
  constructor(given, rules) {
    Object.assign(this, { given, rules });
    const { queries, keys } = given;
    // The causal mask is aligned to the last key.
    const last = (row) => (rules.causal ? row + keys - queries : keys);
    this.allowed = range(queries).map((row) => range(keys).map((key) => key <= last(row)));
    this.scores = given.scores.map((row) => row.map((score) => Math.fround(score * rules.times)));
    this.cutTiles();
    this.count();
    this.runForward();
    if (rules.direction === "backward") this.runBackward();
    const whole = this.steps.length;
    this.ends = range(queries).map((row) => {
      const [end, exact] = [this.result(row, whole), this.exact(row, this.allowed[row])];
      return { end, exact, error: distanceOf(end, exact) };
    });
  }

  // -- The tiles and their order

  cutTiles() {
    const { queries, keys } = this.given;
    const { tile_queries, tile_keys, order, last_first } = this.rules;
    const [rows, columns] = [cut(queries, tile_queries), cut(keys, tile_keys)];
    const ordered = last_first ? [...columns].reverse() : columns;
    const pairs =
      order === "queries"
        ? rows.flatMap((r) => ordered.map((c) => [r, c]))
        : ordered.flatMap((c) => rows.map((r) => [r, c]));
    this.tiles = pairs.map(([r, c]) => {
      const cells = between(r).flatMap((row) => between(c).map((column) => this.allowed[row][column]));
      const skipped = !cells.includes(true);
      return { rows: r, columns: c, skipped, partly: !skipped && cells.includes(false) };
    });
    this.steps = this.tiles.filter(({ skipped }) => !skipped);
    this.steps.forEach((tile, step) => Object.assign(tile, { step }));
    this.lastStep = range(queries).map((row) =>
      Math.max(-1, ...this.steps.filter((tile) => this.has(tile, row)).map(({ step }) => step)),
    );
  }

  has({ rows: [start, stop] }, row) {
    return start <= row && row < stop;
  }

  // -- What is moved and held

  words(name, { rows, columns }) {
    const [r, c] = [rows, columns].map(([start, stop]) => stop - start);
    const { dValue, dHead } = this.given;
    if (["scores", "P", "dS"].includes(name)) return r * c;
    if (["query", "dQ"].includes(name)) return r * dHead;
    if (["key", "dK"].includes(name)) return c * dHead;
    if (["value", "dV"].includes(name)) return c * dValue;
    if (["output", "dO"].includes(name)) return r * dValue;
    return r;
  }

  // The words read and written up to and including each step, by tensor.
  count() {
    const { direction, order } = this.rules;
    const plan = PLANS[direction][order];
    const [read, written] = [new Map(), new Map()];
    const add = (counts, names, tile) => {
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + this.words(name, tile));
    };
    if (direction === "backward") {
      // The row term is the sum of dO * O over each row, computed before the tiles.
      const everything = { rows: [0, this.given.queries], columns: [0, this.given.keys] };
      add(read, ["output", "dO"], everything);
      add(written, ["row term D"], everything);
    }
    const outer = (tile) => (order === "queries" ? tile?.rows : tile?.columns)?.[0];
    this.moves = this.steps.map((tile, step) => {
      if (outer(this.steps[step - 1]) !== outer(tile)) add(read, plan.begin, tile);
      add(read, plan.read, tile);
      add(written, plan.written, tile);
      if (outer(this.steps[step + 1]) !== outer(tile)) add(written, plan.end, tile);
      return { read: new Map(read), written: new Map(written) };
    });
  }

  // Pairs of a tensor and its words in fast memory.
  held(step) {
    return HELD[this.rules.direction].map((name) => [name, this.words(name, this.steps[step])]);
  }

  // -- Forward

  masked(row, column) {
    if (this.allowed[row][column]) return this.scores[row][column];
    return this.rules.minus_million ? -MILLION : -Infinity;
  }

  // The states of all rows before the first step and after each step.
  runForward() {
    const start = this.rules.maximum === "running" ? -Infinity : 0;
    const nothing = { maximum: start, sum: 0, accumulator: Array(this.given.dValue).fill(0) };
    let rows = Array(this.given.queries).fill(nothing);
    this.forward = [rows];
    for (const tile of this.steps) {
      rows = rows.map((seen, row) => (this.has(tile, row) ? this.absorb(seen, row, tile) : seen));
      this.forward.push(rows);
    }
    this.finished = rows.map((seen) => finishRow(seen));
  }

  // The state of a row after one more tile, computed correctly or as the rules break it.
  absorb(seen, row, { columns }) {
    const { rescaling, maximum: kind } = this.rules;
    const keys = between(columns);
    const scores = keys.map((key) => this.masked(row, key));
    const maximum = kind === "none" ? 0 : Math.max(seen.maximum, ...scores);
    const exponentials = scores.map((score) => Math.fround(Math.exp(score - finite(maximum))));
    const due = Math.fround(Math.exp(seen.maximum - finite(maximum)));
    const factor = rescaling ? due : 1;
    const values = keys.map((key) => this.given.value[key]);
    const weighted = weigh(exponentials, values, this.given.dValue);
    return {
      maximum,
      sum: Math.fround(factor * seen.sum + sumOf(exponentials)),
      accumulator: weighted.map((value, c) => Math.fround(factor * seen.accumulator[c] + value)),
      due,
      factor,
    };
  }

  // -- Backward

  // The upstream gradient is 1 + the index of the row in every column.
  gradient(row, key, weight, rowTerm) {
    return weight * ((row + 1) * sumOf(this.given.value[key]) - rowTerm);
  }

  runBackward() {
    const { queries, dHead, scale, key: keyRows } = this.given;
    const factor = scale * this.rules.times;
    this.rowTerms = this.finished.map(({ output }, row) => Math.fround((row + 1) * sumOf(output)));
    let rows = Array(queries).fill(Array(dHead).fill(0));
    this.backward = [rows];
    for (const tile of this.steps) {
      const keys = between(tile.columns);
      const vectors = keys.map((key) => keyRows[key]);
      rows = rows.map((seen, row) => {
        if (!this.has(tile, row)) return seen;
        const shift = finite(this.finished[row].logSumExp);
        const gradients = keys.map((key) => {
          const weight = Math.fround(Math.exp(this.masked(row, key) - shift));
          return this.gradient(row, key, weight, this.rowTerms[row]);
        });
        const more = weigh(gradients, vectors, dHead);
        return seen.map((value, c) => Math.fround(value + factor * more[c]));
      });
      this.backward.push(rows);
    }
  }

  // -- The state of a row

  result(row, step) {
    if (this.rules.direction === "backward") return this.backward[step][row];
    return finishRow(this.forward[step][row]).output;
  }

  // The right result over the keys that were seen.
  exact(row, seen) {
    const { keys, dValue, dHead, scale, value, key } = this.given;
    const attend = (allowed) => {
      const kept = range(keys).filter((k) => allowed[k]);
      const scores = kept.map((k) => this.scores[row][k]);
      const maximum = Math.max(-Infinity, ...scores);
      const exponentials = scores.map((score) => Math.exp(score - finite(maximum)));
      const accumulator = weigh(exponentials, kept.map((k) => value[k]), dValue);
      return finishRow({ maximum, sum: sumOf(exponentials), accumulator }, (x) => x);
    };
    if (this.rules.direction === "forward") return attend(seen).output;
    const { output, logSumExp } = attend(this.allowed[row]);
    const rowTerm = (row + 1) * sumOf(output);
    const kept = range(keys).filter((k) => seen[k]);
    const gradients = kept.map((k) =>
      this.gradient(row, k, Math.exp(this.scores[row][k] - logSumExp), rowTerm),
    );
    return weigh(gradients, kept.map((k) => key[k]), dHead).map((x) => x * scale * this.rules.times);
  }

  // Which keys the row has seen after a step.
  seen(row, step) {
    const seen = Array(this.given.keys).fill(false);
    for (const tile of this.steps.slice(0, step + 1)) {
      if (!this.has(tile, row)) continue;
      for (const key of between(tile.columns)) seen[key] = this.allowed[row][key];
    }
    return seen;
  }

  row(row, step) {
    const states = this.rules.direction === "backward" ? this.backward : this.forward;
    const [before, after] = [states[step][row], states[step + 1][row]];
    const inside = this.has(this.steps[step], row);
    const seen = this.seen(row, step);
    const [soFar, exact] = [this.result(row, step + 1), this.exact(row, seen)];
    return {
      ...{ inside, before, after, soFar, exact, seen },
      due: inside ? (after.due ?? 1) : 1,
      factor: inside ? (after.factor ?? 1) : 1,
      error: distanceOf(soFar, exact),
      end: this.ends[row],
      logSumExp: this.finished[row].logSumExp,
      rowTerm: this.rowTerms?.[row],
      begun: this.steps.slice(0, step + 1).some((tile) => this.has(tile, row)),
      done: this.lastStep[row] <= step,
      // Whether the row sees no key of this tile, although other rows do.
      blind: inside && between(this.steps[step].columns).every((key) => !this.allowed[row][key]),
    };
  }

  // The finished rows, and the largest error among them: 0 if there is none, NaN if one is.
  finishedRows(step) {
    const rows = range(this.given.queries).filter((row) => this.lastStep[row] <= step);
    return { rows, error: Math.max(0, ...rows.map((row) => this.ends[row].error)) };
  }
}
