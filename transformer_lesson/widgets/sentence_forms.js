// What is copied and not translated, and how French writes it, by the table of Python's
// `translation.forms`, which stands here as FORMS.

const NARROW = "\u202f";
const isLower = (text) => text === text.toLowerCase() && text !== text.toUpperCase();
const isUpper = (text) => text === text.toUpperCase() && text !== text.toLowerCase();

function compiled(pattern, flags = "u") {
  let filled = pattern;
  while (/<[A-Z]+>/.test(filled)) filled = filled.replace(/<([A-Z]+)>/g, (_, name) => FORMS.fragments[name]);
  return new RegExp(filled.replaceAll("(?P<", "(?<"), flags);
}

const KNOWN_FRENCH = Object.assign({}, ...FORMS.form.filter(({ words }) => words).map(({ words }) => FORMS[words]));
const patternOf = ({ pattern, words }) => compiled(pattern ?? `<BEGIN>(?<!-)(?:${Object.keys(FORMS[words]).join("|")})<END>(?!-)`, "gu");
const FORM_LIST = FORMS.form.map((form) => ({ french: "", ...form, pattern: patternOf(form) }));
const NAMED = Object.fromEntries(
  ["nation", "joined", "within", "before", "place", "woman", "she", "he", "small", "article", "date", "measure", "inside", "shop", "maker", "model"].map((name) => [name, compiled(FORMS.names[name])]),
);
const NAME = compiled(FORMS.names.one, "gu");
const CROWNED = FORMS.names.crowned.split(" ");
const SAINTS = FORMS.names.saints.split(" ");
const COMPOUND = FORMS.names.compound.split(" ");
const GIVEN = FORMS.names.given.split(" ");
const WOMEN = FORMS.names.women.split(" ");
const DAYS = FORMS.names.days.split(" ");
const alone = (pattern) => compiled(`(?<![<LETTER>])(?:${pattern})(?![<LETTER>])`);
// Of a unit beside a figure, the English of it, and that of one beside a whole number.
const UNITS = Object.entries(FORMS.licenses).map(([french, [english, whole]]) => ({
  unit: compiled(`(?P<number>[0-9]+(?:[.,][0-9]+)?)[ \u202f-]?(?P<unit>${french})(?![<LETTER>])`, "gu"),
  known: alone(`${french}|${english}`),
  whole: whole && alone(whole),
}));
const COUNTS = Object.entries(FORMS.counts).map(([french, english]) => ({
  number: compiled(`(?<![<LETTER>-])(?:${french})(?:-[<LETTER>]+)*(?![<LETTER>-]| heures)`, "gu"),
  known: compiled(english),
}));

// {form, match, begin, end} of each form that is found; of those that overlap the first in the table.
function inForms(text, later = false) {
  const found = [];
  for (const form of FORM_LIST.filter((own) => later || !own.later)) {
    for (const match of text.matchAll(form.pattern)) {
      const [begin, end] = [match.index, match.index + match[0].length];
      if (!found.some((other) => other.begin < end && begin < other.end)) found.push({ form, match, begin, end });
    }
  }
  return found;
}

// {begin, end, pool, french} of all that is to be copied, in the order of the text.
function copied(text, words, later = false) {
  const forms = inForms(text, later);
  const bare = forms.reduce((left, { begin, end }) => left.slice(0, begin) + "_".repeat(end - begin) + left.slice(end), text);
  const found = forms.map(({ form, match, begin, end }) => ({ begin, end, pool: form.pool, french: FRENCH[form.french](match[0], match.groups ?? {}) }));
  return [...found, ...names(bare, words)].sort((a, b) => a.begin - b.begin);
}

// An English text with all that is copied as French writes it.
function inFrench(text, words) {
  const put = (left, { begin, end, french }) => left.slice(0, begin) + (french || left.slice(begin, end)) + left.slice(end);
  return copied(text, words).reduceRight(put, text);
}

// The numbers of a text that writes them as French does, each as often as it stands there.
function figures(text) {
  const counts = new Map();
  for (const [number] of text.replace(/(?<=[0-9])\s(?=[0-9]{3})/g, "").matchAll(/[0-9]+(?:,[0-9]+)?/g)) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

// The numbers that only the one has, and numbers and units that only the other has.
function differing(english, french) {
  const [ours, theirs] = [figures(english), figures(french)];
  const only = (some, others, known) => [...some.keys()].filter((number) => some.get(number) > (others.get(number) ?? 0) && !known.has(number));
  return [only(ours, theirs, inWords("french", french)), [...only(theirs, ours, inWords("english", english)), ...strangeUnits(english, french), ...strangeWords(english, french)]];
}

// The numbers in words, above twelve, of French that come from none of the English.
function strangeWords(english, french) {
  const low = english.toLowerCase();
  const some = COUNTS.filter(({ known }) => !known.test(low)).flatMap(({ number }) => french.match(number) ?? []);
  return new Set(some.filter((word) => !english.includes(word)));
}

// The units, hours, scales and currencies beside a figure that only the French has.
function strangeUnits(english, french) {
  const low = english.toLowerCase();
  const strange = ({ known, whole }, number) => !known.test(low) && (!whole?.test(low) || /[.,]/.test(number));
  return new Set(UNITS.flatMap((own) => [...french.matchAll(own.unit)].filter(({ groups }) => strange(own, groups.number)).map(({ groups }) => groups.unit)));
}

// The numbers that words of a text may stand for.
function inWords(language, text) {
  const said = new Set(text.toLowerCase().match(/[\p{L}\p{Nl}\p{No}]+(?:-[\p{L}\p{Nl}\p{No}]+)*/gu));
  const known = FORMS.figures[language].split(" ").map((pair) => pair.split("="));
  return new Set(known.filter(([word]) => said.has(word)).map(([, number]) => number));
}

const inFigures = (amount) => amount.replace(/(?<![0-9])\./, "0.").replace(/^[Mm]inus /, "moins ").replaceAll(",", NARROW).replaceAll(".", ",");
// With its unit, which is in the plural from two on.
const measured = (amount, unit) => {
  const [one, many = `${one}s`] = FORMS.measures[unit].split("|");
  return `${amount} ${/^(?:-|moins )?[01](?![0-9\u202f])/.test(amount) ? one : many}`;
};
// The number that English words such as "two hundred and twenty-five" name.
const said = (words) => {
  const known = new Map(FORMS.figures.english.split(" ").map((pair) => pair.split("=")));
  const numbers = words.toLowerCase().split(/[ -]/).map((word) => Number(known.get(word) ?? 0));
  return numbers.reduce((total, number) => (number >= 100 ? total * number : total + number), 0);
};
const dayOf = (day, month, year) => {
  const named = month && FORMS.figures.months.split(" ")[FORMS.figures.short.split(" ").indexOf(month.slice(0, 3).toLowerCase())];
  return [Number(day) === 1 ? "1er" : Number(day), named, year].filter(Boolean).join(" ");
};
const crowned = (title, name) => (CROWNED.includes(title) ? name.split(" ").map((word) => FORMS.crowned[word] ?? word).join(" ") : name);
const inInches = (number) => (/[0-9]/.test(number) ? number : String(said(number)));
const ERAS = { A: "après", B: "avant" };
const FRENCH = {
  "": (own) => own,
  kept: () => "",
  number: (_, { amount }) => inFigures(amount),
  percent: (_, { amount }) => `${inFigures(amount)}${NARROW}%`,
  ordinal: (_, { day }) => `${inFigures(day)}e`,
  price: (_, { amount, sign, scale = "" }) => {
    const [number, currency, power] = [inFigures(amount), sign.trim(), scale.slice(0, 1).toLowerCase()];
    const thousand = number.includes(",") ? `${NARROW}k` : `${NARROW}000${NARROW}`;
    const named = { m: "million", b: "billion" }[power];
    return named ? `${measured(number, named)} ${FORMS.currencies[currency] ?? `de ${currency}`}` : `${number}${power ? thousand : NARROW}${currency}`;
  },
  unit: (_, { amount, unit }) => `${inFigures(amount)}${NARROW}${FORMS.units[unit] ?? unit}`,
  measure: (_, { amount, unit }) => measured(inFigures(amount), unit),
  // Of which one goes on where the other ends: "5 feet 11 inches".
  measures: (own) => own.replace(/([0-9]+)[ -]([a-z]+?)(?:(?<=ch)es|s)?(?![a-z])/g, (_, amount, unit) => measured(amount, unit)).replaceAll(" and ", " et "),
  spoken: (_, { minutes, side, named }) => {
    const [past, hour] = [said(minutes), said(named)];
    const [shown, of] = side === "to" ? [60 - past, ((hour + 10) % 12) + 1] : [past, hour];
    return `${of}h${String(shown).padStart(2, "0")}`;
  },
  shares: (_, { words }) => `${said(words)}${NARROW}%`,
  said: (_, { words }) => String(said(words)).replace(/(?=000$)/, NARROW),
  spelled: (_, { spelled, month, year }) => dayOf(FORMS.days.names.split(" ").indexOf(spelled.toLowerCase()) + 1, month, year),
  weekday: (_, { weekday, day }) => `${FORMS.days.week.split(" ")[DAYS.indexOf(weekday.toLowerCase())]} ${dayOf(day)}`,
  slashed: (_, { number, day, year = "" }) => `${day}/${number}${year}`,
  era: (_, { amount, era }) => `${amount} ${ERAS[era[0]]} Jésus-Christ`,
  height: (_, { feet, inches }) => `${measured(inInches(feet), "foot")} ${measured(inInches(inches), "inch")}`,
  hours: (own) => `de ${inForms(own.replace(/ ?- ?/, " to ")).map(({ match }) => FRENCH.time("", match.groups)).join(" à ")}`,
  halves: (_, { words, unit }) => measured(`${said(words)},5`, unit),
  counted: (_, { words, unit }) => measured(String(said(words)), unit),
  numbered: (_, { noun, number }) => `${FORMS.numbered[noun.toLowerCase()]} ${/^[0-9]+\.[0-9]+$/.test(number) ? inFigures(number) : number}`,
  phrase: (own) => FORMS.phrases[own.toLowerCase()],
  word: (own) => KNOWN_FRENCH[own],
  regnal: (_, { title, name, number }) => `${title ? `${FORMS.titles[title]} ` : ""}${crowned(title, name)} ${FORMS.regnal[`${title} ${number}`] ?? FORMS.regnal[number]}`,
  place: (own) => FORMS.places[own] ?? own,
  land: (all, { land, own }) => FORMS.places[all] ?? `${FORMS.lands[land]} ${own}`,
  decade: (_, { decade }) => `années ${decade}`,
  date: (_, { day, month, year }) => `${month ? "" : "le "}${dayOf(day, month, year)}`,
  range: (own, { first, since, day, month, year }) => {
    const [begin, last] = [dayOf(first, month && since), dayOf(day, month ?? since, year)];
    return /^f/i.test(own) ? `du ${begin} au ${last}` : `entre le ${begin} et le ${last}`;
  },
  time: (_, { hour, minute = "", half, next }) => {
    // From 11 to 1 p.m. is from the morning on.
    const other = next !== undefined && hour % 12 > next % 12;
    return `${half ? (hour % 12) + 12 * (/p/i.test(half) !== other) : Number(hour)}h${minute}`;
  },
};

// Names that hold an unknown word or initials, or follow a title or "St.".
function names(text, words) {
  return groups(text, words).flatMap((group) => {
    const title = group[0].kind === "title" ? capital(text.slice(group[0].begin, group[0].end)) : "";
    const name = title ? group.slice(1) : group;
    const has = (...kinds) => name.some(({ kind }) => kinds.includes(kind));
    const whole = name.length > 1 && has("initial", "saint");
    if (!name.length || !(title || whole || has("unknown"))) return [];
    const particle = NAMED.before.exec(text.slice(0, name[0].begin));
    const [begin, end] = [particle ? particle.index : name[0].begin, name.at(-1).end];
    const own = text.slice(begin, end);
    const french = title ? `${FORMS.titles[title]} ${crowned(title, own)}` : (FORMS.places[own] ?? own);
    const number = NAMED.model.exec(text.slice(end));
    if (number && !title && NAMED.maker.test(text.slice(0, begin))) return [{ begin, end: end + number[0].length, pool: "codes", french: own + number[0] }];
    return [{ begin: title ? group[0].begin : begin, end, pool: has("saint") ? "places" : poolOf(text, begin, title), french }];
  });
}

// Capitalised words that may be a name together.
function groups(text, words) {
  const found = [[]];
  for (const match of text.matchAll(NAME)) {
    const [begin, [whole]] = [match.index, match];
    const word = NAMED.shop.test(text.slice(begin + whole.length)) ? whole : whole.replace(NAMED.joined, "");
    const last = found.at(-1).at(-1);
    if (last && !linked(last, text.slice(last.end, begin))) found.push([]);
    const mayStart = !found.at(-1).length && !GIVEN.includes(word);
    const starts = mayStart && STARTS.test(text.slice(Math.max(0, begin - BEFORE), begin));
    const kind = kindOf(word, words, starts);
    if (kind) found.at(-1).push({ begin, end: begin + word.length, kind });
    else found.push([]);
  }
  return found.filter((group) => group.length);
}

function linked({ kind }, between) {
  if (["title", "saint"].includes(kind)) return [" ", ". "].includes(between) || NAMED.within.test(between.replace(/^\./, ""));
  return between === " " || (kind === "initial" && !between) || NAMED.within.test(between);
}

// What a capitalised word is to a name; null if it is no part of one.
function kindOf(word, words, starts) {
  if (capital(word) in FORMS.titles) return "title";
  if (SAINTS.includes(word)) return "saint";
  if (word.slice(1) === ".") return "initial";
  const parts = word.split("-");
  if (parts.length > 1) {
    const large = parts.filter((part) => part && isUpper(part[0]));
    const strange = large.some((part) => !isCommon(part, words));
    const plain = large.filter((part) => part.length > 1 && isLower(words.forms.get(part.toLowerCase()) ?? part));
    const named = plain.length === parts.length && !parts.some((part) => COMPOUND.includes(part.toLowerCase()));
    const several = large.length > 1 && (strange || named || large.length < parts.length);
    const known = parts.slice(0, starts ? 1 : undefined).every((part) => words.knows(part));
    return several || (parts[0].length > 1 && !known) ? "unknown" : null;
  }
  if (!words.knows(word)) return DAYS.includes(word.toLowerCase()) ? null : "unknown";
  if (isCommon(word, words)) return isLower(words.forms.get(word.toLowerCase()) ?? "i") && !starts ? "common" : null;
  return "known";
}

// Whether a word is known, and as no name.
function isCommon(part, words) {
  if (!words.knows(part)) return false;
  const form = words.forms.get(part.toLowerCase()) ?? part.toLowerCase();
  return isLower(form) || /^I(?:$|')/.test(form) || DAYS.includes(part.toLowerCase()) || NAMED.nation.test(form);
}

function poolOf(text, begin, title) {
  const before = text.slice(0, begin);
  if (WOMEN.includes(title) || (!title && NAMED.woman.test(before))) return "women";
  if (title) return "people";
  if (NAMED.place.test(before)) return "places";
  return NAMED.she.test(text) && !NAMED.he.test(text) ? "women" : "people";
}
