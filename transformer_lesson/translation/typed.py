"""What people type, as the model reads it: capitals, punctuation and foreign letters put right."""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.normalization import normalized

_NEAREST = str.maketrans(
    "\u2019\u2018`\u00b4\u201c\u201d\u201e\u2013\u2014\u2212\u2026\t", "''''\"\"\"---. "
)
_SENTENCE_START = re.compile(r"(^|[.!?]\s+)(\W*)([^\W\d_])")
# A point after these ends no sentence: "Mr. Brown", "at 7 p.m.", "J. Smith".
_END = re.compile(
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\b[A-Z])(?<!\.m)"
    r"(?<![.!?]{2})[.!?]+(?:\s+(?=\S)|[\"»)]+\s+(?=[^a-z\s]))"
)
_CLOCK = re.compile(r"\b(1[0-2]|[1-9])(:[0-5]\d)? ?([ap])(?:m\b|\.m\.)", re.IGNORECASE)
_SHOUTED = 5  # letters; a shorter text in capitals may be "USA" or "OK"


def as_read(text: str, alphabet: frozenset[str], words: KnownWords | None = None) -> str:
    """Return ``text``, normalized, with what is not in ``alphabet`` as the nearest that is.

    Text all in capitals or all in small letters gets those of a sentence: a capital at the start of
    each sentence, and in "I". A character with no near one stays. By ``words`` slips of typing are
    put right, and times of day are told as in French.
    """
    text = normalized(text)
    text = _CLOCK.sub(_hour, text) if words else text
    letters = sum(map(str.isalpha, text))
    of_one_case = text.islower() or (text.isupper() and letters >= _SHOUTED)
    if of_one_case:
        text = _recased(text)
    text = "".join(letter if letter in alphabet else _near(letter, alphabet) for letter in text)
    return words.spelled(text, of_one_case) if words else text


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


def _hour(time: re.Match[str]) -> str:
    return f"{int(time[1]) % 12 + 12 * (time[3] in 'pP')}{time[2] or ':00'}"


def _recased(text: str) -> str:
    # A few letters, such as "İ", have a small form of two characters.
    small = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    small = re.sub(r"\bi\b", "I", small)
    return _SENTENCE_START.sub(lambda m: m[1] + m[2] + _capital(m[3]), small)


def _capital(letter: str) -> str:
    return letter.upper() if len(letter.upper()) == 1 else letter


def _near(letter: str, alphabet: frozenset[str]) -> str:
    near_ones = letter.translate(_NEAREST), unicodedata.normalize("NFD", letter)[0], letter.lower()
    for near in near_ones:
        if near in alphabet or near == " ":
            return near
    return letter
