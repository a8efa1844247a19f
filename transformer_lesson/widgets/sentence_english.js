// Whether a text is English, as Python's `translation.english` tells it.

const OTHERS = new Set(
  (
    "je tu il elle nous vous ils elles le la les un une des du de et est sont avez que qui ne" +
    " pas dans pour sur avec au aux ce cette mon mes sa ses ou où à ça très" +
    " ich du sie wir ihr der das den dem ein eine einen und ist sind nicht mit auf für von zu" +
    " el los las una es por para en lo su di che è sono della nel del het een niet ik"
  ).split(" "),
);
const ELIDED_BEFORE = /^(?:[cdjlmnst]|qu)'/;
const ADDRESS = /(?:https?:\/\/|www\.)\S+|(?<!\S)[^\s@]+@\S+/g;
const WITHIN_NAME = /(?<=[A-Za-zÀ-ÿ])(?:[ -](?:de|du|la|le|del|di|da|von|der|den|el)){1,3}(?=[ -][A-ZÀ-Þ])/g;
const LATIN = /^[a-zß-öø-ɏ\u1e00-\u1eff]/;
const PROGRAM = /[{}\\|]|[A-Za-z]_[A-Za-z]|[A-Za-z][[(](?!s\))|(?<=[A-Za-z][[(])["']|[=<>]=|[=-]>| = |<\/?[a-z]|;\s*$|[A-Za-z)\]]\.[a-z_]+[.(]|&&/g;

// Why a text, normalized, is not translated, in a sentence; null if it is English.
function refusalOf(typed, words) {
  const text = typed.replace(ADDRESS, "").replace(WITHIN_NAME, "");
  const kinds = kindsOf(text, words);
  const count = (kind) => kinds.filter((own) => own === kind).length;
  const marks = text.match(PROGRAM)?.length ?? 0;
  if (marks > 1 && 4 * marks >= kinds.length) return "This looks like code, and the translator reads English sentences.";
  const [foreign, noWord] = [count("foreign"), count("no word")];
  const strange = count("unknown") + foreign + noWord + (foreign && count("rare"));
  if (strange + foreign + 2 * noWord < 3 || 2 * strange + foreign <= kinds.length) return null;
  return `This does not look like English, which the translator reads: ${strange} of ${kinds.length} words are none that it knows.`;
}

// Of what kind each word is; names are left out.
function kindsOf(text, words) {
  const shouted = isUpper(text);
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const small = word.toLowerCase();
    const named = isUpper(word[0]) && !shouted;
    if (small.length > 2 * words.longest || !LATIN.test(small)) return ["no word"];
    if (named && index && words.knows(small)) return ["common"];
    if ((OTHERS.has(small) || ELIDED_BEFORE.test(small)) && !(named && index)) return ["foreign"];
    if (words.knows(small)) return [(words.ranks.get(small) ?? 0) < COMMON ? "common" : "rare"];
    if (named) return [];
    return [words.nearest(small) === undefined ? "unknown" : "slip"];
  });
}
