"""Names that a small model has never read, and large numbers: others stand in for them.

A model of few pieces writes nonsense for a rare name. So one that it knows stands in its place
while it translates, and the name itself is put back (as rare words are by Luong et al. 2015,
*Addressing the Rare Word Problem in Neural Machine Translation*). A quotation waits outside in the
same way.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from transformer_lesson.translation.known_words import WORD, KnownWords

ATTEMPTS = 2  # where a stand-in is lost in the translation, others are tried
# Names that French text has as English text has them. Either list is turned for a second attempt.
PEOPLE = ("Tom", "Jackson", "John")
PLACES = ("Boston", "Tokyo", "Chicago")
NUMBERS = ("2000", "3000", "5000")  # for larger ones; a smaller may be a year
YEARS = ("1990", "1980", "2010")
# In the first attempt, and where a number was lost in it.
_LARGE, _LONG = (
    re.compile(rf"(?<![\d.,:/])(?:\d{{1,3}}(?:,\d{{3}})+|{others})(?![.,:/]?\d)")
    for others in (r"[3-9]\d{3}|\d{5,9}", r"\d{3,9}")
)
_YEAR = re.compile(r"1\d{3}|20\d\d")
_TITLES = frozenset({"Mr", "Mrs", "Ms", "Miss", "Dr", "I"})
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Doctor|Professor|President)\.? $")
_PLACE = re.compile(
    r"\b(?:in|near|visit|visited|(?:go|goes|going|gone|went|come|comes|came|travel|travelled|fly|flew"
    r"|drive|drove|move|moved|return|returned|back|way|road|train|bus|plane|flight|am|is|are|was"
    r"|were) (?:to|from)) $"
)
_ELIDED = re.compile(r"(?:[djlmnst]|qu)e", re.IGNORECASE)
_QUOTED = re.compile(r'"(\w[^"]*?)([,.!?]*)"')
_YES = re.compile(r"\W*oui\W*", re.IGNORECASE)

Word = tuple[str, float]  # and its probability


class StandIn(NamedTuple):
    """A known name or number, and what it stands for."""

    known: str
    own: str


class Draft(NamedTuple):
    """A sentence as the model read it, what it wrote, and what waits outside.

    Attributes:
        read: the English text, with stand-ins.
        french: what the model wrote.
        stand_ins: what is put back.
        quoted: drafts of the quotation for which "Yes" stands.
    """

    read: str
    french: str
    stand_ins: list[StandIn]
    quoted: "Sequence[Draft]" = ()

    def bare(self) -> list[Word]:
        """Return the words that the model wrote, cut at spaces, of unknown probability."""
        return [(word, math.nan) for word in self.french.split(" ")] if self.french else []

    def holds(self) -> bool:
        """Whether the model wrote all that stood in for something, and all longer numbers."""
        words = put_back(self.bare(), self.stand_ins)
        figures = re.sub(r"(?<=\d)\s(?=\d{3})", "", self.french)
        return (
            words is not None
            and all(number in figures for number in re.findall(r"\d{3,}", self.read))
            and (not self.quoted or any(map(_is_yes, words)))
        )

    def words(self, of: "Callable[[Draft], list[Word]]") -> list[Word]:
        """Return the words of the translation; ``of`` gives those that the model wrote itself."""
        written = put_back(of(self), self.stand_ins) or of(self)
        if not self.quoted:
            return written
        return put_quotation(written, [word for draft in self.quoted for word in draft.words(of)])


def with_stand_ins(text: str, words: KnownWords, attempt: int = 0) -> tuple[str, list[StandIn]]:
    """Return ``text`` with a stand-in for each unknown name and each large number, and these.

    A second ``attempt`` takes other ones, also for numbers of three figures and for years.
    """
    places = [(b, e, _pool(text, b)) for b, e in _unknown_names(text, words)]
    numbers = _LONG if attempt else _LARGE
    for match in numbers.finditer(text):
        places.append((*match.span(), YEARS if _YEAR.fullmatch(match[0]) else NUMBERS))
    written, at, found = "", 0, dict[str, str]()
    for begin, end, pool in sorted(places):
        own = text[begin:end]
        turned = pool[attempt:] + pool[:attempt]
        free = (k for k in turned if k not in found.values() and not re.search(rf"\b{k}\b", text))
        known = found.get(own) or next(free, own)
        found[own] = known
        written += text[at:begin] + known
        at = end
    return written + text[at:], [StandIn(known, own) for own, known in found.items()]


def put_back(words: Sequence[Word], stand_ins: Sequence[StandIn]) -> list[Word] | None:
    """Return the words of a translation with what was stood in for; None if a stand-in was lost."""
    written, lost = list[Word](), {known for known, _ in stand_ins}
    for text, probability in words:
        for known, own in stand_ins:
            before, text = text, re.sub(rf"\b{known}\b", own.replace(",", "\u202f"), text)
            if text == before:
                continue
            lost.discard(known)
            if own[0] in "AEIOUÉ" and written and _ELIDED.fullmatch(written[-1][0]):
                text = f"{written.pop()[0][:-1]}'{text}"
        written.append((text, probability))
    return None if lost else written


def without_quotation(sentence: str) -> tuple[str, str] | None:
    """Return a sentence with "Yes" in the place of what it quotes, and that; else None."""
    matches = list(_QUOTED.finditer(sentence))
    if len(matches) != 1:
        return None
    before, after = sentence[: matches[0].start()], sentence[matches[0].end() :]
    quoted, mark = matches[0].groups()
    if not re.search(r"\w", before + after):
        return None
    frame_mark = "," if after[:1] == " " and mark else mark  # what it knows best
    return f'{before}"Yes{frame_mark}"{after}', quoted + (mark if mark in {"!", "?"} else ".")


def put_quotation(frame: Sequence[Word], quoted: Sequence[Word]) -> list[Word]:
    """Return the words of a frame with the quotation in the place of its "Oui"."""
    at = next(i for i, word in enumerate(frame) if _is_yes(word))
    if not quoted:
        return list(frame)
    begin, end = at, at + 1
    while begin and not re.search(r"[\w:,]", frame[begin - 1][0]):
        begin -= 1
    while end < len(frame) and not re.search(r"\w", frame[end][0]):
        end += 1
    (last, probability), after = quoted[-1], frame[end:]
    inner = [*quoted[:-1], (last.rstrip("."), probability)]
    has_comma = any("," in word for word, _ in frame[at:end])
    mark = "" if last[-1] in "!?" else "," if after and has_comma else "" if after else "."
    return [*frame[:begin], ("«", 1.0), *inner, (f"»{mark}", 1.0), *after]


def _is_yes(word: Word) -> bool:
    return bool(_YES.fullmatch(word[0]))


def _pool(text: str, begin: int) -> tuple[str, ...]:
    if _TITLED.search(text[:begin]):
        return PEOPLE[1:]
    return PLACES if _PLACE.search(text[:begin]) else PEOPLE


def _unknown_names(text: str, words: KnownWords) -> list[tuple[int, int]]:
    """Return where names stand that hold an unknown word: capitalised words, a space between."""
    spans: list[tuple[int, int, bool]] = []
    for match in WORD.finditer(text):
        word = match[0].removesuffix("'s")
        begin, end = match.start(), match.start() + len(word)
        shouted = len(word) > 1 and word.isupper()
        unknown = word[0].isupper() and not shouted and not words.knows(word)
        known = word[0].isupper() and words.forms.get(word.lower()) == word
        if word in _TITLES or not (unknown or known):
            continue
        if spans and text[spans[-1][1] : begin] == " ":
            spans[-1] = spans[-1][0], end, spans[-1][2] or unknown
        else:
            spans.append((begin, end, unknown))
    return [(begin, end) for begin, end, unknown in spans if unknown]
