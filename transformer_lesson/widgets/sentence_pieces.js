// The words of a text, what of it the model has not seen, and where two texts differ.

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

// What is kept from the model while it translates, in words.
function waiting(standIns, quotation) {
  const said = standIns.map(([known, own]) => `${quoted([known])} stands in for ${quoted([own])}, which the model has hardly read, and is put back.`);
  if (quotation) said.push(`“Yes” stands in for the quotation, which is translated by itself.`);
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
