// Text to the ids of pieces and back.

// A list of words, as `WordList` saves it: text is cut at its spaces. A word that the list lacks has
// no id.
class WordTokenizer {
  constructor({ model }) {
    this.ids = new Map(Object.entries(model.vocab));
    this.pieces = [...this.ids.keys()]; // in the order of their ids
  }

  encode(text) {
    const words = text.split(/\s+/).filter(Boolean);
    return words.map((word, i) => ({ id: this.ids.get(word), text: word, word: i }));
  }

  decode(ids) {
    return ids.map((id) => this.pieces[id]).join(" ");
  }
}

function tokenizerOf(vocabulary) {
  const kinds = { BPE: Tokenizer, WordLevel: WordTokenizer };
  const { type } = vocabulary.model;
  if (!kinds[type]) throw new Error(`the vocabulary is of the type ${type}; this view reads ${Object.keys(kinds).join(" and ")}.`);
  return new kinds[type](vocabulary);
}

// As `Vocabulary` does it with the file that it saves: a word begins at each space, punctuation stands
// for itself, and in each word the pair of pieces that was learned first is joined until none is left
// (Sennrich et al. 2016).

const SPACE_MARK = "▁";
// What Python's library counts: the category P of Unicode and all marks of ASCII, such as $ and +.
const PUNCTUATION = /([\p{P}!-/:-@[-`{-~])/u;

class Tokenizer {
  constructor({ model }) {
    this.ids = new Map(Object.entries(model.vocab));
    this.pieces = [];
    for (const [piece, id] of this.ids) this.pieces[id] = piece;
    // No piece holds a space, so one can stand between the two halves of a pair.
    this.ranks = new Map(model.merges.map((pair, rank) => [pair.join(" "), rank]));
    this.unknown = this.ids.get(model.unk_token);
    const bare = this.pieces.map((piece) => piece.replace(SPACE_MARK, ""));
    this.alphabet = new Set([...bare.filter((piece) => [...piece].length === 1), " "]);
  }

  // Each piece as {id, text, word}: its text differs from `pieces[id]` where it is unknown; `word`
  // counts the words and marks of punctuation. Text that reads "<end>" is text, and ends nothing.
  encode(text) {
    return this.words(text).flatMap((pieces, word) => pieces.map((piece) => ({ ...piece, word })));
  }

  words(text) {
    if (!text) return [];
    const marked = text.replaceAll(" ", SPACE_MARK);
    const whole = marked.startsWith(SPACE_MARK) ? marked : SPACE_MARK + marked;
    return whole
      .split(new RegExp(`(?=${SPACE_MARK})`))
      .flatMap((word) => word.split(PUNCTUATION))
      .filter(Boolean)
      .map((word) => this.join([...word]));
  }

  join(characters) {
    let parts = characters;
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return parts.map((text) => ({ id: this.ids.get(text) ?? this.unknown, text }));
      parts = parts.with(at, parts[at] + parts[at + 1]).toSpliced(at + 1, 1);
    }
  }

  // The first piece begins after no space.
  decode(ids) {
    return ids
      .map((id, i) => this.pieces[id].replaceAll(SPACE_MARK, i ? " " : ""))
      .join("");
  }
}
