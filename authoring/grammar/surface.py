"""From the words of a sentence to its text and back.

While a sentence is built, a French word has its full form: ``LE``, ``LA``, ``LES`` are
articles (``le``, ``la``, ``les`` are pronouns, which contract with nothing), ``beau+`` an adjective
before its noun. `finish` turns them into what French writes: *l'homme*, *du pain*, *un bel arbre*,
*mon amie*, *s'il*. The links of a word, which say what it translates, survive.
"""

from functools import cache

from authoring.grammar.listing import listed

Word = tuple[str, tuple[int, ...]]

CONTRACTED = {("de", "LE"): "du", ("de", "LES"): "des", ("à", "LE"): "au", ("à", "LES"): "aux"}
ELIDED = {w: w[:-1] + "'" for w in listed("le la je me te se de ne que jusque parce_que")}
ELIDED |= {"LE": "l'", "LA": "l'"}
BEFORE_VOWEL = {
    "ma": "mon",
    "ta": "ton",
    "sa": "son",
    "ce": "cet",
    "beau+": "bel",
    "nouveau+": "nouvel",
    "vieux+": "vieil",
    "fou+": "fol",
}
VOWELS = frozenset("aeiouàâäéèêëîïôöùûœh")
NOT_ELIDED = frozenset(("oui", "onze", "huit", "huitième", "onzième", "ouistiti"))


def finish(french: list[Word], aspirated: frozenset[str]) -> list[Word]:
    """Return the words with elision, contraction and the forms before a vowel.

    Args:
        french: the words in their full forms.
        aspirated: words that begin with an h and cause no elision.
    """
    done: list[Word] = []
    count = len(french)
    i = 0
    while i < count:
        word, links = french[i]
        following = french[i + 1] if i + 1 < count else ("", ())
        contracted = CONTRACTED.get((word, following[0]))
        if contracted and not (following[0] == "LE" and _vocalic(_at(french, i + 2), aspirated)):
            word, links = contracted, links + following[1]
            i += 1
        elif word in ELIDED:
            word = ELIDED[word] if _vocalic(following[0], aspirated) else word.lower()
        elif word in BEFORE_VOWEL:
            vocalic = _vocalic(following[0], aspirated)
            word = BEFORE_VOWEL[word] if vocalic else word.rstrip("+")
        elif word == "si" and following[0] in ("il", "ils"):
            word = "s'"
        elif word == "LES":
            word = "les"
        done.append((word, links))
        i += 1
    return done


def _at(words_: list[Word], i: int) -> str:
    return words_[i][0] if i < len(words_) else ""


@cache
def _vocalic(word: str, aspirated: frozenset[str]) -> bool:
    """Whether the word before this one is elided."""
    if not word or word in NOT_ELIDED or word in aspirated:
        return False
    # "d'Yvonne", but "le yaourt".
    return word == "y" or (word[0] in "yY" and word[1:2] not in VOWELS) or word[0].lower() in VOWELS


def detokenize(words_: list[str], language: str) -> str:
    """Join the words: no space before commas and full stops, none after *l'*.

    French writes a space before ``?`` and ``!``.
    """
    glued = (",", ".", "'s") if language == "fr" else (",", ".", "?", "!", "'s")
    pieces: list[str] = []
    for word in words_:
        elided = pieces and language == "fr" and pieces[-1].endswith("'")
        if pieces and not elided and word not in glued and word[0] != "-":
            pieces.append(" ")
        pieces.append(word)
    return "".join(pieces)
