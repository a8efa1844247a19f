// The words that the model has read, and what stands in for names and numbers that it has not: as
// Python's `translation.known_words` and `translation.stand_ins` do it.

const WORD = /[\p{L}\p{Nl}\p{No}]+(?:'[\p{L}\p{Nl}\p{No}]+)*/gu;
const COMMON = 6000;
const BEFORE = 20;
const STARTS = /(?:^|[.!?:]|")[\s"'(-]*$/;
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const bare = (word) => word.toLowerCase().replace(/'s$/, "");

class KnownWords {
  // `words` in the order of their frequency, with spaces between.
  constructor(words) {
    Object.assign(this, { forms: new Map(), ranks: new Map(), longest: 0 });
    for (const form of words.split(" ")) {
      const word = form.toLowerCase();
      if (!this.forms.has(word)) this.ranks.set(word, this.ranks.size);
      this.forms.set(word, form);
      this.longest = Math.max(this.longest, word.length);
    }
  }

  knows(word) {
    return this.ranks.has(word.toLowerCase()) || this.ranks.has(bare(word));
  }

  // What is `kept`, from a place to another, stays as it is, and so does what may be a name.
  spelled(text, recased, kept = []) {
    return text.replace(WORD, (word, at) => {
      if (kept.some(([begin, end]) => begin <= at && at < end)) return word;
      const large = isUpper(word[0]);
      if (this.knows(word)) return recased ? this.cased(word) : word;
      if (large && !STARTS.test(text.slice(Math.max(0, at - BEFORE), at)) && !recased) return word;
      const meant = this.nearest(word.toLowerCase());
      const form = this.forms.get(meant);
      if (!form || (large && !recased && this.mayBeName(word, meant))) return word;
      return large ? form[0].toUpperCase() + form.slice(1) : form;
    });
  }

  // Whether a capitalised unknown word is more likely a name than a slip.
  mayBeName(word, meant) {
    if (this.forms.get(meant) !== meant) return true;
    const rank = this.ranks.get(meant);
    this.allTriples ??= new Set([...this.ranks.keys()].flatMap(triples));
    const strange = rank < 400 && triples(word.toLowerCase()).some((one) => !this.allTriples.has(one));
    return !(meant.includes("'") || strange || (word.length > 6 && rank < 1500));
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

// The letters of a word, three at a time, with its begin and its end.
const triples = (word) => [...word].map((_, i) => `^${word}$`.slice(i, i + 3));

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

const ATTEMPTS = 3;
const POOLS = Object.fromEntries(
  Object.entries(FORMS.pools).map(([name, pool]) => [name, pool.map((one) => [one.split("|")[0], one.split("|").slice(1).join("|") || one])]),
);
const SPARE = [...POOLS.people, ...POOLS.places];
const STANDING = new Set([...SPARE, ...POOLS.women].map(([known]) => known));
const [BACK, SPACED, LESS] = ["\ue000", "\ue001", "\ue002"];
const ELIDED = /^(?:[djlmnst]|qu)e$/i;
const VOWEL = /^(?:[AEIOUÉ](?![A-Z0-9])|une? )/;
const FIGURED = /^(?=.*[0-9])[^A-Za-z]*$/;
const CONTRACTED = { de: "du", à: "au", De: "Du", À: "Au", "jusqu'à": "jusqu'au", le: "le", Le: "Le" };
const BEFORE_DATE = { ...CONTRACTED, en: "le", sur: "le", dans: "le", En: "Le", Sur: "Le" };

// [the text that the model reads, its stand-ins], each {known, own, written, french, times}: for all
// that is copied, or for some only.
function withStandIns(text, words, { turn, only }) {
  const places = copied(text, words, turn > 0);
  const ends = [0, ...places.map(({ end }) => end)];
  const rest = [...places.map(({ begin }) => begin), text.length].map((begin, i) => text.slice(ends[i], begin)).join(" ");
  const used = new Set(rest.match(/[\p{L}\p{N}]+/gu));
  const found = new Map();
  let [written, at] = ["", 0];
  for (const { begin, end, pool, french } of places) {
    const own = text.slice(begin, end);
    let instead = withoutStandIn(own, pool, french);
    if (!only || only.includes(own)) {
      const choice = found.has(own) ? null : free(pool, turn, used);
      if (choice) {
        used.add(firstOf(choice[0]));
        found.set(own, { known: choice[0], own, written: choice[1], french, times: 0 });
      }
      if (found.has(own)) {
        found.get(own).times += 1;
        instead = found.get(own).known;
      }
    }
    written += text.slice(at, begin) + instead;
    at = end;
  }
  return [written + text.slice(at), [...found.values()]];
}

// What is copied, without a stand-in: a time of day as a model may have read it.
function withoutStandIn(own, pool, french) {
  if (pool !== "times") return own;
  const [hour, minute] = french.split("h");
  return `${hour}:${minute || "00"}`;
}

// The first of a pool, turned by the attempt, that is not used.
function free(pool, attempt, used) {
  const turn = attempt % POOLS[pool].length;
  return [...POOLS[pool].slice(turn), ...POOLS[pool].slice(0, turn), ...SPARE].find(([known]) => !used.has(firstOf(known)));
}

const firstOf = (known) => known.split(/[ :]/)[0];

// The words of a translation, each {text, probability}, with what was stood in for; null if a stand-in
// was lost, or stands there more often than in the English.
function putBack(words, standIns) {
  if (!standIns.length) return words;
  const [text, seen] = markedBack(words.map((word) => word.text).join(" "), standIns);
  return standIns.some((one) => (seen.get(one) ?? 0) !== one.times) ? null : spelledOut(text, [...words]);
}

// [a text with marks of what is put back, how often each was].
function markedBack(french, standIns) {
  const seen = new Map();
  if (!standIns.length) return [french, seen];
  const each = standIns.map(({ written }) => `(${written})`).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?<![0-9][.,:-])(?:${each})(?![\\p{L}\\p{N}_]| 000|[.,:]?[0-9])`, "gu");
  const text = french.replace(pattern, (match, ...more) => {
    const found = standIns[more.findIndex((group) => group !== undefined)];
    seen.set(found, (seen.get(found) ?? 0) + 1);
    return BACK + (found.french || match).replaceAll(" ", SPACED) + LESS.repeat(match.split(" ").length - 1);
  });
  return [text, seen];
}

// What was typed where the model wrote all that stood in for it, and no more.
function keptOf(french, standIns) {
  const seen = markedBack(french, standIns)[1];
  return standIns.filter((one) => seen.get(one) === one.times).map(({ own }) => own);
}

// The words of a text with marks of what is put back; `words` are those before.
function spelledOut(text, words) {
  const out = [];
  text.split(" ").forEach((word, i, marked) => {
    let [{ probability }] = words.splice(0, word.split(LESS).length);
    let plain = word.replaceAll(SPACED, " ").replaceAll(LESS, "").replaceAll(BACK, "");
    if (word.includes(BACK)) {
      probability = 1;
      const ends = !/[\p{L}\p{N}]$/u.test(plain) || [undefined, "!", "?"].includes(marked[i + 1]);
      const [taken, own] = fitted(out.at(-1)?.text ?? "", plain, ends);
      if (taken) out.pop();
      plain = own;
    }
    out.push({ text: plain, probability });
  });
  return out;
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

// [whether the word before goes into it, what is put back] as the two go together in French.
function fitted(before, own, ends) {
  if (before.endsWith(",") && ends && NAMED.article.test(own)) return [false, own.replace(NAMED.article, "")];
  if (own.startsWith("le ") && before in CONTRACTED) return [true, `${CONTRACTED[before]} ${own.slice(3)}`];
  if (["à", "À"].includes(before) && NAMED.inside.test(own)) return [true, `${before === "à" ? "dans" : "Dans"} ${own}`];
  if (!before && NAMED.date.test(own)) return [false, `Le ${own}`];
  if (before in BEFORE_DATE && NAMED.date.test(own)) return [true, `${BEFORE_DATE[before]} ${own}`];
  if (["le", "Le"].includes(before) && NAMED.measure.test(own)) return [true, before === "le" ? own : capital(own)];
  if (!before && NAMED.small.test(own)) return [false, capital(own)];
  if (VOWEL.test(own) && ELIDED.test(before)) return [true, `${before.slice(0, -1)}'${own}`];
  return [false, own];
}

// Words of which what cannot be right has the probability 0: a number, a unit or a name that the English
// has not.
function withInvented(words, english) {
  const wrong = differing(english, words.map(({ text }) => text).join(" "))[1];
  const invented = (text) => {
    const name = text.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, "");
    return wrong.some((one) => standsIn(one, text)) || (STANDING.has(name) && !english.includes(name));
  };
  return words.map((word) => (invented(word.text) ? { ...word, probability: 0 } : word));
}

const escaped = (text) => text.replace(/[.+*?^$()|[\]\\{}]/g, "\\$&");

// Whether a number or a unit is in a word, and no part of a longer one.
function standsIn(wrong, word) {
  const own = /^[0-9]/.test(wrong) ? "[0-9]" : "\\p{L}";
  return new RegExp(`(?<!${own})${escaped(wrong)}(?!${own})`, "u").test(word);
}

// Whether what was typed stands in a text as French writes it, its article aside.
function stands({ french: put, own }, french) {
  const bare = (put || own).replace(NAMED.article, "");
  return french.includes(bare) || (NAMED.small.test(bare) && french.includes(capital(bare)));
}

// Stand-ins, of which those that are nowhere in a translation are not looked for.
function withLeftOut(french, standIns) {
  const seen = markedBack(french, standIns)[1];
  return standIns.map((one) => (seen.has(one) ? one : { ...one, times: 0 }));
}

// Whether a word of what is not looked for is in a translation.
function leavesTrace(french, standIns) {
  const written = standIns.filter(({ times }) => !times).flatMap((one) => one.written.match(/\p{L}{3,}/gu) ?? []);
  return written.some((word) => french.includes(word));
}

// Stand-ins, and what the model copied as it was typed and French writes otherwise.
function withTyped(french, standIns, all) {
  const typed = all.filter(({ own, french: put }) => ![own, ""].includes(put) && FIGURED.test(own));
  const more = typed.map((one) => ({ ...one, known: one.own, written: escaped(one.own) }));
  const seen = markedBack(french, [...standIns, ...more])[1];
  return [...standIns, ...more.filter((one) => seen.has(one)).map((one) => ({ ...one, times: seen.get(one) }))];
}

// What a translation has lost that has not all of its stand-ins.
function lostIn(french, standIns, english) {
  const lost = standIns.filter((one) => !stands(one, french));
  const told = lost.map((one) => `${one.own} ${one.french}`).join(" ");
  const numbers = differing(english, french)[0].filter((number) => !told.includes(number));
  return [...lost.map(({ own }) => own), ...numbers.sort()];
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
  return [...frame.slice(0, begin), { text: "«", probability: 1 }, ...inner, { text: `»${mark}`, probability: 1 }, ...after];
}
