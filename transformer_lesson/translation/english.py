"""Whether a text is English: of any other a translator would make fluent nonsense."""

import re
from collections import Counter
from collections.abc import Iterator

from transformer_lesson.translation.known_words import COMMON, WORD, KnownWords

# Small words of French, German, Spanish, Italian and Dutch that are no English ones.
_SMALL = (
    "je tu il elle nous vous ils elles le la les un une des du de et est sont avez que qui ne"
    " pas dans pour sur avec au aux ce cette mon mes sa ses ou où à ça très"
    " ich du sie wir ihr der das den dem ein eine einen und ist sind nicht mit auf für von zu"
    " el los las una es por para en lo su di che è sono della nel del het een niet ik"
)
_OTHERS = frozenset(_SMALL.split())
_ELIDED = re.compile(r"(?:[cdjlmnst]|qu)'")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]+@\S+")
# "Maria de la Cruz", "Ursula von der Leyen": what stands within a name tells no language.
_WITHIN_NAME = re.compile(
    r"(?<=[A-Za-zÀ-ÿ])(?:[ -](?:de|du|la|le|del|di|da|von|der|den|el)){1,3}(?=[ -][A-ZÀ-Þ])"
)
_LETTER = re.compile("[a-zß-öø-ɏ\u1e00-\u1eff]")
_CODE = re.compile(
    r"[{}\\|]|[A-Za-z]_[A-Za-z]|[A-Za-z][\[(](?!s\))|(?<=[A-Za-z][\[(])[\"']|[=<>]=|[=-]>| = "
    r"|</?[a-z]|;\s*$|[A-Za-z)\]]\.[a-z_]+[.(]|&&"
)


def refusal(text: str, words: KnownWords) -> str | None:
    """Return in a sentence why ``text``, normalized, is not translated; None if it is English.

    Names, slips of typing, and a few unknown words are no reason.
    """
    text = _WITHIN_NAME.sub("", _ADDRESS.sub("", text))
    kinds = Counter(_kinds(text, words))
    marks = len(_CODE.findall(text))
    if marks > 1 and 4 * marks >= kinds.total():
        return "This looks like code, and the translator reads English sentences."
    foreign, no_word = kinds["foreign"], kinds["no word"]
    # Rare words, such as "sort" and "pain", are doubtful beside foreign ones.
    strange = kinds["unknown"] + foreign + no_word + (foreign and kinds["rare"])
    if strange + foreign + 2 * no_word < 3 or 2 * strange + foreign <= kinds.total():
        return None
    return (
        f"This does not look like English, which the translator reads: {strange} of "
        f"{kinds.total()} words are none that it knows."
    )


def _kinds(text: str, words: KnownWords) -> Iterator[str]:
    """Yield of what kind each word is; names are left out."""
    shouted = text.isupper()
    for match in WORD.finditer(text):
        small = match[0].lower()
        named = match[0][0].isupper() and not shouted
        if len(small) > 2 * words.longest or not _LETTER.match(small):
            yield "no word"
        elif named and match.start() and words.knows(small):
            yield "common"
        elif (small in _OTHERS or _ELIDED.match(small)) and not (named and match.start()):
            yield "foreign"
        elif words.knows(small):
            yield "common" if words.ranks.get(small, 0) < COMMON else "rare"
        elif not named and words.nearest(small) is None:
            yield "unknown"
        elif not named:
            yield "slip"
