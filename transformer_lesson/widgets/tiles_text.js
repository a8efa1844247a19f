// One step of a walk over the tiles in words and tables; tiles_text.py writes the text alternative.

const SHOWN = 4; // numbers of a vector
const WRONG = 1e-3; // more than rounding does, relative to the larger of 1 and the exact result

function amountOf(value) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size === 0) return "0";
  if (size === Infinity) return `${sign}∞`;
  const plain = size >= 1e-3 && size < 1e5;
  return sign + (plain ? size.toFixed(4) : size.toExponential(2).replace("-", "−"));
}

function vectorOf(values, joint = ", ") {
  const shown = values.slice(0, SHOWN).map(amountOf);
  return [...shown, ...(values.length > SHOWN ? [`… of ${values.length}`] : [])].join(joint);
}

function counted(count, name) {
  return `${grouped(count)} ${name}${count === 1 ? "" : "s"}`;
}

// The whole numbers from `start` to `stop`, which is excluded.
function spanOf(one, many, [start, stop]) {
  return stop - start === 1 ? `${one} ${start}` : `${many} ${start} to ${stop - 1}`;
}

function totalOf(counts) {
  return sumOf([...counts.values()]);
}

// A table with a heading for each row and each column. The first of the lines is the headings.
function buildTable(name, lines) {
  const [head, ...body] = lines.map((cells, line) => {
    const row = element("tr");
    row.append(
      ...cells.map((text, i) => {
        const cell = element(line && i ? "td" : "th", "", text);
        if (!line || !i) cell.scope = line ? "row" : "col";
        return cell;
      }),
    );
    return row;
  });
  const [table, top, rest] = [element("table", name), element("thead"), element("tbody")];
  top.append(head);
  rest.append(...body);
  table.append(top, rest);
  return table;
}

// -- Words held in fast memory, and words moved

function memoryOf(walk, step, capacity) {
  const held = walk.held(step);
  const total = sumOf(held.map(([, words]) => words));
  const bars = [...held, ["together", total]].map(([name, words]) => {
    const bar = buildBar(name, words, capacity);
    bar.querySelector(".lesson-number").textContent = grouped(words);
    return bar;
  });
  const room = `fast memory: ${grouped(total)} of ${counted(capacity, "word")}`;
  const short = "This does not fit: take smaller tiles.";
  return [
    element("p", "heading", room),
    buildList(bars),
    element("p", "wrong", total > capacity ? short : ""),
  ];
}

function movedOf(walk, step) {
  const { read, written } = walk.moves[step];
  // All steps show the same lines, those of the last step.
  const last = walk.moves.at(-1);
  const names = MOVED.filter((name) => last.read.has(name) || last.written.has(name));
  const line = (name, ...counts) => [name, ...counts.map(grouped)];
  const [all, end] = [walk.moves[step], last].map((move) => totalOf(move.read) + totalOf(move.written));
  return [
    element("p", "heading", `moved so far: ${counted(all, "word")}`),
    buildTable("words", [
      ["tensor", "read", "written"],
      ...names.map((name) => line(name, read.get(name) ?? 0, written.get(name) ?? 0)),
      line("together", totalOf(read), totalOf(written)),
    ]),
    element("p", "whole", `The whole walk moves ${counted(end, "word")}.`),
  ];
}

// -- One row

function rowOf(walk, row, step) {
  const state = walk.row(row, step);
  const backward = walk.rules.direction === "backward";
  const line = (name, result, exact, error) => {
    const wrong = !(error < WRONG * Math.max(1, ...exact.map(Math.abs)));
    return [name, vectorOf(result, "\n"), vectorOf(exact, "\n"), amountOf(error) + (wrong ? " ✗" : "")];
  };
  const { end } = state;
  return [
    element("p", "heading", `row ${row} ${placeOf(state)}`),
    buildTable("states", [["value", "before", "after"], ...statesOf(state, backward)]),
    buildTable("results", [
      [backward ? "dQ" : "output", "here", "exact", "error"],
      line(`${counted(seenBy(state), "key")} so far`, state.soFar, state.exact, state.error),
      line("at the end", end.end, end.exact, end.error),
    ]),
    element("p", "worst", worstOf(walk, step)),
    ...notesOf(walk, state).map((note) => element("p", "note", note)),
  ];
}

function placeOf({ inside, begun, done }) {
  if (inside) return "is in this tile";
  if (!begun) return done ? "may see no key" : "has not begun";
  return done ? "is finished" : "is not in this tile";
}

function seenBy({ seen }) {
  return seen.filter(Boolean).length;
}

function statesOf({ before, after, inside, due, factor, logSumExp, rowTerm }, backward) {
  if (backward) {
    return [
      ["log-sum-exp", amountOf(logSumExp), amountOf(logSumExp)],
      ["row term D", amountOf(rowTerm), amountOf(rowTerm)],
      ["dQ", vectorOf(before, "\n"), vectorOf(after, "\n")],
    ];
  }
  const should = factor === due || before.sum === 0 ? "" : `, not ${amountOf(due)}`;
  return [
    ["maximum", amountOf(before.maximum), amountOf(after.maximum)],
    ["rescaling factor", "", inside ? amountOf(factor) + should : "–"],
    ["sum", amountOf(before.sum), amountOf(after.sum)],
    ["accumulator", vectorOf(before.accumulator, "\n"), vectorOf(after.accumulator, "\n")],
  ];
}

function worstOf(walk, step) {
  const { rows, error } = walk.finishedRows(step);
  if (!rows.length) return "No row is finished.";
  const who = rows.length === 1 ? "the finished row" : `the ${rows.length} finished rows`;
  return `Largest error of ${who}: ${amountOf(error)}.`;
}

function notesOf({ rules }, state) {
  const { before, after, inside, blind, due, factor } = state;
  if (rules.direction === "backward") {
    return ["The gradient from above is 1 + the row's number, in each column of the value."];
  }
  const notes = [];
  if (blind && after.maximum === -MILLION) {
    const many = "All of this row's scores here are masked. At −1e6 each counts exp(0) = 1, ";
    notes.push(`${many}until a larger maximum comes.`);
  } else if (blind) {
    notes.push("All of this row's scores here are masked: they count 0.");
  } else if (inside && before.maximum === -MILLION && factor === 0) {
    notes.push("A larger maximum came: the factor 0 wipes out what the masked scores had added.");
  }
  if (factor !== due && before.sum !== 0) {
    notes.push("The sum and the accumulator still count by the old maximum.");
  }
  if (after.sum === Infinity) notes.push("exp overflows: float32 ends at 3.4e38.");
  if (inside && !blind && after.sum === 0) notes.push("Every exp is 0 in float32: nothing is left.");
  return notes;
}

// -- All of it in one sentence

function sentenceOf(walk, row, step, capacity) {
  const { rows, columns, partly } = walk.steps[step];
  const { direction, order } = walk.rules;
  const held = sumOf(walk.held(step).map(([, words]) => words));
  const { read, written } = walk.moves[step];
  const fits = held > capacity ? ", which does not fit" : "";
  return [
    `Tile ${step + 1} of ${walk.steps.length}, ${direction}, ${order} first: ` +
      `${spanOf("query", "queries", rows)} with ${spanOf("key", "keys", columns)}, ` +
      (partly ? "partly masked" : "seen whole"),
    rowSentence(walk, row, step),
    `${counted(held, "word")} held of ${grouped(capacity)}${fits}`,
    `${counted(totalOf(read) + totalOf(written), "word")} moved so far.`,
  ].join("; ");
}

function rowSentence(walk, row, step) {
  const state = walk.row(row, step);
  const { before, after, factor, rowTerm, error } = state;
  const close = `error ${amountOf(error)} over ${counted(seenBy(state), "key")} so far`;
  if (!state.inside) return `row ${row} ${placeOf(state)}`;
  if (walk.rules.direction === "backward") {
    const change = `dQ ${vectorOf(before)} to ${vectorOf(after)}`;
    return `row ${row}: row term D ${amountOf(rowTerm)}, ${change}, ${close}`;
  }
  const change = (name) => `${name} ${amountOf(before[name])} to ${amountOf(after[name])}`;
  const accumulators = `${vectorOf(before.accumulator)} to ${vectorOf(after.accumulator)}`;
  return (
    `row ${row}: ${change("maximum")}, factor ${amountOf(factor)}, ${change("sum")}, ` +
    `accumulator ${accumulators}, ${close}`
  );
}
