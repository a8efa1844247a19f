"""What people type, as the model reads it: capitals, punctuation and foreign letters put right."""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from transformer_lesson.translation.forms import NAME, TABLE, in_forms
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.normalization import normalized

_NEAREST = str.maketrans(
    "\u2019\u2018`\u00b4\u201c\u201d\u201e\u2013\u2014\u2212\u2026\t", "''''\"\"\"---. "
)
_SENTENCE_START = re.compile(r"(^|[.!?]\s+)(\W*)([^\W\d_])")
# A point after these ends no sentence: "Mr. Brown", "at 7 p.m.", "J. Smith".
_SHORT = "".join(rf"(?<!\b{short})" for short in TABLE["names"]["abbreviated"].split())
_END = re.compile(
    _SHORT + r"(?<!\b[A-Z])(?<!\.m)" + r"(?<![.!?]{2})[.!?]+(?:\s+(?=\S)|[\"»)]+\s+(?=[^a-z\s]))"
)
_SHOUTED = 5  # letters; a shorter text in capitals may be "USA" or "OK"


def as_read(text: str, alphabet: frozenset[str], words: KnownWords | None = None) -> str:
    """Return ``text``, normalized, with what is not in ``alphabet`` as the nearest that is.

    Text all in capitals or all in small letters gets those of a sentence: a capital at the start of
    each sentence, and in "I". A character with no near one stays. By ``words`` slips of typing are
    put right, and what is copied (``forms``), the letters of names too, stays as it was typed.
    """
    text = normalized(text)
    typed = text = re.sub(" +", " ", text) if words else text
    letters = sum(map(str.isalpha, text))
    of_one_case = text.islower() or (text.isupper() and letters >= _SHOUTED)
    if of_one_case:
        text = _recased(text)
    if not words:
        return nearest(text, alphabet)
    text = "".join(c if c.isalpha() else near(c, alphabet) for c in text)
    forms = [(form.exact, match.span()) for form, match in in_forms(text)]
    for begin, end in (span for exact, span in forms if exact):
        text = text[:begin] + typed[begin:end] + text[end:]
    kept = [span for _, span in forms]
    found = [] if of_one_case else list(NAME.finditer(text))
    names = [match.span() for match in found]
    kept += [match.span() for match in found if "-" in match[0] or match[0].islower()]
    own = {place for span in (*kept, *names) for place in range(*span)}
    text = "".join(c if i in own else near(c, alphabet) for i, c in enumerate(text))
    return words.spelled(text, of_one_case, kept)


def nearest(text: str, alphabet: frozenset[str]) -> str:
    """Return ``text`` with what is not in the alphabet as the nearest that is."""
    return "".join(near(letter, alphabet) for letter in text)


def has_words(text: str) -> bool:
    """Whether there is a letter or a figure in ``text``: else there is nothing to translate."""
    return any(map(str.isalnum, text))


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, without the spaces between them."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    cut = (text[begin:end].strip() for begin, end in pairwise(ends))
    return [sentence for sentence in cut if sentence]


def parts(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return the sentences of ``text``; halves of one that does not fit."""
    return [part for sentence in sentences(text) for part in _halves(sentence, fits)]


def _halves(text: str, fits: Callable[[str], bool]) -> list[str]:
    if fits(text) or len(text) < 2:
        return [text]
    middle = len(text) // 2
    ends = ([match.end() for match in re.finditer(p, text)] for p in (r"[,;:]\s+", r"\s+"))
    places = next(filter(None, ends), [middle])
    at = min(places, key=lambda place: abs(place - middle))
    return [*_halves(text[:at].strip(), fits), *_halves(text[at:], fits)]


def _recased(text: str) -> str:
    # A few letters, such as "İ", have a small form of two characters.
    small = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    small = re.sub(r"\bi\b", "I", small)
    return _SENTENCE_START.sub(lambda m: m[1] + m[2] + _capital(m[3]), small)


def _capital(letter: str) -> str:
    return letter.upper() if len(letter.upper()) == 1 else letter


def near(letter: str, alphabet: frozenset[str]) -> str:
    """Return the nearest character that is in the alphabet; the letter itself if none is."""
    bare = unicodedata.normalize("NFD", letter)[0]
    near_ones = letter, letter.translate(_NEAREST), bare, letter.lower()
    return next((one for one in near_ones if one in alphabet or one == " "), letter)
