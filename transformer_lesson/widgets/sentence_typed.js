// What a reader types, as the model reads it, and how sure it is of what it writes: as Python's
// `translation.typed.as_read` and `translation.doubt` do it.

const NEAREST = new Map([
  ...[..."\u2019\u2018`\u00b4"].map((mark) => [mark, "'"]),
  ...[..."\u201c\u201d\u201e"].map((mark) => [mark, '"']),
  ...[..."\u2013\u2014\u2212"].map((mark) => [mark, "-"]),
  ["\u2026", "."],
  ["\t", " "],
]);
const SHOUTED = 5;

const CLOCK = /\b(1[0-2]|[1-9])(:[0-5]\d)? ?([ap])(?:m\b|\.m\.)/gi;

const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/g;
const SPACE = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
const STYLED = /[\u0132\u0133\u2160-\u217f\ufb00-\ufb06\uff01-\uff5e\u{1d400}-\u{1d7ff}]+/gu;

// As Python's `translation.normalization`.
function normalized(text) {
  const plain = text.replace(INVISIBLE, "").replace(SPACE, " ");
  return plain.replace(STYLED, (found) => found.normalize("NFKC")).normalize("NFC");
}

// `alphabet` is a Set of the characters that have a piece of their own, and the space; `words` are
// `KnownWords`, or null.
function asRead(typed, alphabet, words) {
  const equal = normalized(typed);
  const text = words ? equal.replace(CLOCK, (_, hour, minutes, half) => `${(hour % 12) + 12 * /p/i.test(half)}${minutes ?? ":00"}`) : equal;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const small = text === text.toLowerCase();
  const large = text === text.toUpperCase();
  const ofOneCase = small !== large && (small || letters >= SHOUTED);
  const plain = [...(ofOneCase ? recased(text) : text)].map((letter) => (alphabet.has(letter) ? letter : near(letter, alphabet))).join("");
  return words ? words.spelled(plain, ofOneCase) : plain;
}

function recased(text) {
  const small = [...text].map((letter) => one(letter.toLowerCase(), letter)).join("");
  const pronouns = small.replace(/(?<![\p{L}\p{N}_])i(?![\p{L}\p{N}_])/gu, "I");
  const start = /(^|[.!?]\s+)([^\p{L}\p{N}_]*)(\p{L})/gu;
  return pronouns.replace(start, (_, end, marks, letter) => end + marks + one(letter.toUpperCase(), letter));
}

const one = (changed, letter) => ([...changed].length === 1 ? changed : letter);

function near(letter, alphabet) {
  const candidates = [NEAREST.get(letter) ?? letter, [...letter.normalize("NFD")][0], letter.toLowerCase()];
  return candidates.find((found) => found === " " || alphabet.has(found)) ?? letter;
}

// The share of words of this probability that are right; `calibration` is what doubt.json holds.
function shareOf({ probabilities, shares }, probability) {
  const above = probabilities.findIndex((known) => known >= probability);
  if (above <= 0) return above ? shares.at(-1) : shares[0];
  const [low, high] = [probabilities[above - 1], probabilities[above]];
  const part = (probability - low) / (high - low);
  return shares[above - 1] + part * (shares[above] - shares[above - 1]);
}

// The words that pieces make, cut at spaces, each with its share of right words; null for marks.
function doubted(calibration, pieces, probabilities) {
  const words = [];
  pieces.forEach((piece, i) => {
    const last = words.at(-1);
    if (last && !(piece.startsWith("▁") && last.text !== "▁")) {
      last.text += piece;
      last.probability *= probabilities[i];
    } else words.push({ text: piece, probability: probabilities[i] });
  });
  return words.map(({ text, probability }) => ({
    text: text.replace(/^▁/, ""),
    share: calibration && /[\p{L}\p{N}]/u.test(text) ? shareOf(calibration, probability) : null,
  }));
}
