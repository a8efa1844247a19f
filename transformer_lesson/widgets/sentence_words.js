// The words that the model has read, and what stands in for names and numbers that it has not: as
// Python's `translation.known_words` and `translation.stand_ins` do it.

const WORD = /[\p{L}\p{Nl}\p{No}]+(?:'[\p{L}\p{Nl}\p{No}]+)*/gu;
const COMMON = 6000;
const BEFORE = 20;
const STARTS = /(?:^|[.!?:]|")[\s"'(-]*$/;
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const bare = (word) => word.toLowerCase().replace(/'s$/, "");
const isUpper = (text) => text === text.toUpperCase() && text !== text.toLowerCase();

class KnownWords {
  // `words` in the order of their frequency, with spaces between.
  constructor(words) {
    this.forms = new Map(words.split(" ").map((form) => [form.toLowerCase(), form]));
    this.ranks = new Map([...this.forms.keys()].map((word, rank) => [word, rank]));
    this.longest = [...this.ranks.keys()].reduce((most, word) => Math.max(most, word.length), 0);
  }

  knows(word) {
    return this.ranks.has(word.toLowerCase()) || this.ranks.has(bare(word));
  }

  spelled(text, recased) {
    return text.replace(WORD, (word, at) => {
      const large = isUpper(word[0]);
      if (this.knows(word)) return recased ? this.cased(word) : word;
      if (large && !STARTS.test(text.slice(Math.max(0, at - BEFORE), at)) && !recased) return word;
      const meant = this.nearest(word.toLowerCase());
      const form = this.forms.get(meant);
      if (!form || (large && form !== meant && !recased)) return word;
      return large ? form[0].toUpperCase() + form.slice(1) : form;
    });
  }

  cased(word) {
    const base = bare(word);
    const form = this.forms.get(word.toLowerCase()) ?? this.forms.get(base) + word.slice(base.length);
    return isUpper(form[0]) ? form : word;
  }

  nearest(word) {
    if (word.length < 2 || word.length > this.longest + 1 || !/^[\x00-\x7f]*$/.test(word)) return undefined;
    for (const [near, most] of slips(word)) {
      const found = near.filter((one) => (this.ranks.get(one) ?? most) < most);
      if (found.length) return found.reduce((a, b) => (this.ranks.get(b) < this.ranks.get(a) ? b : a));
    }
    return undefined;
  }
}

function* slips(word) {
  const cut = [...Array(word.length + 1).keys()].map((i) => [word.slice(0, i), word.slice(i)]);
  const inner = cut.slice(1).filter(([, b]) => b.length > 1);
  yield [cut.map(([a, b]) => `${a}'${b}`), COMMON];
  yield [cut.filter(([, b]) => b.length > 1).map(([a, b]) => a + b[1] + b[0] + b.slice(2)), COMMON];
  if (word.length > 3) {
    const missing = cut.slice(1, -1).flatMap(([a, b]) => LETTERS.map((c) => a + c + b));
    yield [[...missing, ...inner.map(([a, b]) => a + b.slice(1))], COMMON];
    yield [[..."etyn"].map((c) => word + c), 500];
  }
  if (word.length > 6) yield [inner.flatMap(([a, b]) => LETTERS.map((c) => a + c + b.slice(1))), 3000];
}

const ATTEMPTS = 2;
const PEOPLE = ["Tom", "Jackson", "John"];
const PLACES = ["Boston", "Tokyo", "Chicago"];
const NUMBERS = ["2000", "3000", "5000"];
const YEARS = ["1990", "1980", "2010"];
const YEAR = /^(?:1\d{3}|20\d\d)$/;
const LARGE = /(?<![\d.,:/])(?:\d{1,3}(?:,\d{3})+|[3-9]\d{3}|\d{5,9})(?![.,:/]?\d)/g;
const LONG = /(?<![\d.,:/])(?:\d{1,3}(?:,\d{3})+|\d{3,9})(?![.,:/]?\d)/g;
const TITLES = new Set(["Mr", "Mrs", "Ms", "Miss", "Dr", "I"]);
const TITLED = /\b(?:Mr|Mrs|Ms|Miss|Dr|Doctor|Professor|President)\.? $/;
const PLACE = new RegExp(
  "\\b(?:in|near|visit|visited|(?:go|goes|going|gone|went|come|comes|came|travel|travelled|fly|flew" +
    "|drive|drove|move|moved|return|returned|back|way|road|train|bus|plane|flight|am|is|are|was" +
    "|were) (?:to|from)) $",
);
const ELIDED = /^(?:[djlmnst]|qu)e$/i;

// A word by itself: no letter, digit or underscore beside it.
const alone = (word) => new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?![\\p{L}\\p{N}_])`, "gu");

// Returns {text, standIns}: the text that the model reads, and [what stands there, its own].
function withStandIns(text, words, attempt) {
  const names = unknownNames(text, words).map(([begin, end]) => [begin, end, poolOf(text, begin)]);
  const numbers = [...text.matchAll(attempt ? LONG : LARGE)].map((match) => {
    return [match.index, match.index + match[0].length, YEAR.test(match[0]) ? YEARS : NUMBERS];
  });
  const found = new Map();
  let [written, at] = ["", 0];
  for (const [begin, end, pool] of [...names, ...numbers].sort(([a], [b]) => a - b)) {
    const own = text.slice(begin, end);
    const turned = [...pool.slice(attempt), ...pool.slice(0, attempt)];
    const taken = [...found.values()];
    const free = turned.find((known) => !taken.includes(known) && !alone(known).test(text));
    const known = found.get(own) ?? free ?? own;
    found.set(own, known);
    written += text.slice(at, begin) + known;
    at = end;
  }
  return { text: written + text.slice(at), standIns: [...found].map(([own, known]) => [known, own]) };
}

// Whether a translation has all longer numbers of what was read.
function keepsNumbers(read, french) {
  const figures = french.replace(/(?<=\d)\s(?=\d{3})/g, "");
  return (read.match(/\d{3,}/g) ?? []).every((number) => figures.includes(number));
}

function poolOf(text, begin) {
  const before = text.slice(0, begin);
  if (TITLED.test(before)) return PEOPLE.slice(1);
  return PLACE.test(before) ? PLACES : PEOPLE;
}

// Where names stand that hold an unknown word: capitalised words, a space between.
function unknownNames(text, words) {
  const spans = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0].replace(/'s$/, "");
    const [begin, end] = [match.index, match.index + word.length];
    const large = isUpper(word[0]);
    const unknown = large && !(word.length > 1 && isUpper(word)) && !words.knows(word);
    const known = large && words.forms.get(word.toLowerCase()) === word;
    if (TITLES.has(word) || !(unknown || known)) continue;
    const last = spans.at(-1);
    if (last && text.slice(last[1], begin) === " ") spans.splice(-1, 1, [last[0], end, last[2] || unknown]);
    else spans.push([begin, end, unknown]);
  }
  return spans.filter(([, , unknown]) => unknown);
}

// The words of a translation, each {text, share}, with what was stood in for; null if one was lost.
function putBack(words, standIns) {
  const lost = new Set(standIns.map(([known]) => known));
  const written = [];
  for (const word of words) {
    let { text, share } = word;
    for (const [known, own] of standIns) {
      const before = text;
      text = text.replace(alone(known), () => own.replaceAll(",", "\u202f"));
      if (text === before) continue;
      lost.delete(known);
      if ("AEIOUÉ".includes(own[0]) && written.length && ELIDED.test(written.at(-1).text)) {
        text = `${written.pop().text.slice(0, -1)}'${text}`;
      }
    }
    written.push({ text, share });
  }
  return lost.size ? null : written;
}

const QUOTED = /"([\p{L}\p{N}_][^"]*?)([,.!?]*)"/gu;
const isYes = ({ text }) => /^[^\p{L}\p{N}_]*oui[^\p{L}\p{N}_]*$/iu.test(text);
const hasLetter = (text) => /[\p{L}\p{N}_]/u.test(text);

// [the sentence with "Yes" in the place of what it quotes, and that], or null.
function withoutQuotation(sentence) {
  const matches = [...sentence.matchAll(QUOTED)];
  if (matches.length !== 1) return null;
  const [whole, quoted, mark] = matches[0];
  const before = sentence.slice(0, matches[0].index);
  const after = sentence.slice(matches[0].index + whole.length);
  if (!hasLetter(before + after)) return null;
  const shown = after[0] === " " && mark ? "," : mark;
  return [`${before}"Yes${shown}"${after}`, quoted + (["!", "?"].includes(mark) ? mark : ".")];
}

// The words of a frame with those of the quotation in the place of its "Oui".
function putQuotation(frame, quoted) {
  const at = frame.findIndex(isYes);
  if (!quoted.length) return frame;
  let [begin, end] = [at, at + 1];
  while (begin && !/[\p{L}\p{N}_:,]/u.test(frame[begin - 1].text)) begin -= 1;
  while (end < frame.length && !hasLetter(frame[end].text)) end += 1;
  const [last, after] = [quoted.at(-1), frame.slice(end)];
  const inner = [...quoted.slice(0, -1), { ...last, text: last.text.replace(/\.+$/, "") }];
  const comma = frame.slice(at, end).some(({ text }) => text.includes(","));
  const mark = "!?".includes(last.text.at(-1)) ? "" : after.length ? (comma ? "," : "") : ".";
  return [...frame.slice(0, begin), { text: "«", share: null }, ...inner, { text: `»${mark}`, share: null }, ...after];
}
