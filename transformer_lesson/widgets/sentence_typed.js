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
function asRead(given, alphabet, words) {
  const typed = words ? normalized(given).replace(/ +/g, " ") : normalized(given);
  const letters = typed.match(/\p{L}/gu)?.length ?? 0;
  const ofOneCase = isLower(typed) || (isUpper(typed) && letters >= SHOUTED);
  const text = ofOneCase ? recased(typed) : typed;
  if (!words) return nearest(text, alphabet);
  const marked = text.replace(/\P{L}/gu, (letter) => near(letter, alphabet));
  const forms = inForms(marked);
  const put = (left, { form, begin, end }) => (form.exact ? left.slice(0, begin) + typed.slice(begin, end) + left.slice(end) : left);
  const exact = forms.reduce(put, marked);
  const found = ofOneCase ? [] : [...exact.matchAll(NAME)];
  const span = ({ 0: whole, index }) => [index, index + whole.length];
  const sure = found.filter(([whole]) => whole.includes("-") || isLower(whole));
  const kept = [...forms.map(({ begin, end }) => [begin, end]), ...sure.map(span)];
  const own = (at) => [...kept, ...found.map(span)].some(([begin, end]) => begin <= at && at < end);
  const plain = exact.replace(/[^]/gu, (letter, at) => (own(at) ? letter : near(letter, alphabet)));
  return words.spelled(plain, ofOneCase, kept);
}

// A text with what is not in the alphabet as the nearest that is.
const nearest = (text, alphabet) => [...text].map((letter) => near(letter, alphabet)).join("");

function recased(text) {
  const small = [...text].map((letter) => one(letter.toLowerCase(), letter)).join("");
  const pronouns = small.replace(/(?<![\p{L}\p{N}_])i(?![\p{L}\p{N}_])/gu, "I");
  const start = /(^|[.!?]\s+)([^\p{L}\p{N}_]*)(\p{L})/gu;
  return pronouns.replace(start, (_, end, marks, letter) => end + marks + one(letter.toUpperCase(), letter));
}

const one = (changed, letter) => ([...changed].length === 1 ? changed : letter);

function near(letter, alphabet) {
  const candidates = [letter, NEAREST.get(letter) ?? letter, [...letter.normalize("NFD")][0], letter.toLowerCase()];
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

// The words that pieces make, cut at spaces, each {text, probability}.
function sureWords(pieces, probabilities) {
  const words = [];
  pieces.forEach((piece, i) => {
    const last = words.at(-1);
    if (last && !(piece.startsWith("▁") && last.text !== "▁")) {
      last.text += piece;
      last.probability *= probabilities[i];
    } else words.push({ text: piece, probability: probabilities[i] });
  });
  return words.map(({ text, probability }) => ({ text: text.replace(/^▁/, ""), probability }));
}

// Words with their shares of right ones, as `calibration` tells them; null for marks.
function doubted(calibration, words) {
  const share = ({ text, probability }) => (/[\p{L}\p{N}]/u.test(text) ? shareOf(calibration, probability) : null);
  return words.map((word) => ({ text: word.text, share: share(word) }));
}

const GAIN = 0.2; // in log-probability
const LIGHT = 100;
const bareOf = (word) => word.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, "");

// The words for which French should have one of its own, each {bare, keys}: the places of its pieces,
// punctuation aside, as Python's `doubt.overlooked` leaves them out.
function expected(pieces, standIns, known) {
  const words = [];
  pieces.forEach(({ text }, i) => {
    if (text.startsWith("▁") || !words.length) words.push({ text: "", keys: [] });
    words.at(-1).text += text.replace("▁", "");
    if (text === "▁" || /[\p{L}\p{N}_]/u.test(text)) words.at(-1).keys.push(i);
  });
  const standing = new Set(standIns.flatMap((one) => one.known.split(" ")));
  return words.map(({ text, keys }) => ({ bare: bareOf(text), keys })).filter(({ bare }) => {
    const low = bare.toLowerCase();
    const light = (known.ranks.get(low) ?? LIGHT) < LIGHT || FORMS.light.english.split(" ").includes(low);
    return !light && /^\p{L}+$/u.test(bare) && !standing.has(bare);
  });
}

// Words that were named in a text that was read, as they were typed.
function asTyped(named, read, typed) {
  const [words, own] = [read, typed].map((text) => text.split(/\s+/u).filter(Boolean).map(bareOf));
  const known = new Map(words.map((word, i) => [word.toLowerCase(), own[i]]));
  return named.flatMap((word) => known.get(word.toLowerCase()) ?? []);
}

// What was lost of a text that was read, figures as they were typed: as Python's `doubt.not_kept`.
function notKept(lost, read, words) {
  const plain = [...read.matchAll(/[0-9]+(?:\s[0-9]{3})*/gu)].map(([one]) => [one.replace(/\s/gu, ""), one]);
  const forms = copied(read, words).flatMap(({ begin, end, french }) => {
    const own = read.slice(begin, end);
    return [...figures(french || own).keys()].map((number) => [number, own]);
  });
  const typed = new Map([...plain, ...forms]);
  return [...new Set(lost.map((word) => typed.get(word) ?? word))];
}
