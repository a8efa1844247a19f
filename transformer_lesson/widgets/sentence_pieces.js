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

// What is to be said of each piece that the model has never read, or hardly, and of those that stand in
// for others; nothing of the rest.
function notesOf(pieces, standIns) {
  const words = wordsOf(pieces);
  const standing = standingIn(pieces, standIns);
  return pieces.map(({ text, unknown, word }, i) => {
    const whole = written(words[word]);
    if (standing[i]) return `${quoted([standing[i].known])} stands in for ${quoted([standing[i].own])}${standing[i].french ? `; ${quoted([standing[i].french])} is put back` : ""}.`;
    if (unknown) return `The model has never seen ${quoted([text])} and reads <unknown> instead: it cannot know what stood there.`;
    if (words[word].length === 1) return "";
    return `No piece of the vocabulary is as long as ${quoted([whole])}: the training text has it seldom or never.`;
  });
}

// For each piece what stands in there, or nothing.
function standingIn(pieces, standIns) {
  let text = "";
  const spans = pieces.map((piece) => [text.length, (text += piece.text.replaceAll("▁", " ")).length]);
  const places = standIns.flatMap((one) => [...text.matchAll(one.known)].map(({ index }) => ({ one, begin: index, end: index + one.known.length })));
  return spans.map(([begin, end]) => places.find((place) => place.begin < end && begin < place.end)?.one);
}

// What became of the parts of a sentence that are not the model's to translate.
function toldOf({ quotation, lost = [] }) {
  const apart = quotation ? "“Yes” stands in for the quotation, which is translated by itself. " : "";
  const without = lost.length ? `Not kept: ${quoted(lost)}. The model lost what stood in, and read it as it was typed; do not trust the French there.` : "";
  return (apart + without).trim();
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

const DOUBTED = 0.4; // a word of a lower share is named
const DOUBTS = 3; // words that are named
const counting = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(100 * share)}%`;

// The words that are probably wrong, and those of the sentence that are missing.
function inDoubt(words, missing = []) {
  const few = words.filter(({ share }) => share !== null && share < DOUBTED);
  const told = few.slice(0, DOUBTS).map(({ text, share }) => `${quoted([text])} (right ${percent(share)} of the time)`);
  const more = few.length > DOUBTS ? ` and ${few.length - DOUBTS} more` : "";
  const left = missing.length ? ` Nothing seems to be there for ${quoted(missing)}.` : "";
  return (few.length ? ` It doubts ${told.join(", ")}${more}.` : "") + left;
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
