"""Names, figures and other forms that are copied: something known stands in for them.

A model of few pieces writes nonsense for a rare name, and loses figures. So one that it knows
stands in its place while it translates, and the name itself is put back (as rare words are by
Luong et al. 2015, *Addressing the Rare Word Problem in Neural Machine Translation*); ``forms`` says
for what. A quotation waits outside in the same way.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from transformer_lesson.translation.forms import TABLE, compiled, copied, differing
from transformer_lesson.translation.known_words import KnownWords

ATTEMPTS = 3  # where a stand-in is lost in the translation, others are tried
POOLS = {
    name: [(known.split("|")[0], known.partition("|")[2] or known) for known in pool]
    for name, pool in TABLE["pools"].items()
}
_SPARE = (*POOLS["people"], *POOLS["places"])  # where a pool is used up
STANDING = frozenset(known for known, _ in (*_SPARE, *POOLS["women"]))
# In a text in which something is put back: its begin, spaces within it, and words less than before.
_BACK, _SPACE, _LESS = "\ue000", "\ue001", "\ue002"
_ELIDED = re.compile(r"(?:[djlmnst]|qu)e", re.IGNORECASE)
_VOWEL = re.compile("[AEIOUÉ](?![A-Z0-9])|une? ")
_CONTRACTED = {
    **{"de": "du", "à": "au", "De": "Du", "À": "Au", "jusqu'à": "jusqu'au"},
    **{"le": "le", "Le": "Le"},
}
_BEFORE_DATE = _CONTRACTED | {"en": "le", "sur": "le", "dans": "le", "En": "Le", "Sur": "Le"}
_SMALL, _ARTICLE, _DATE, _MEASURE, _INSIDE = (
    compiled(TABLE["names"][name]) for name in ("small", "article", "date", "measure", "inside")
)
_QUOTED = re.compile(r'"(\w[^"]*?)([,.!?]*)"')
_FIGURES = re.compile("(?=.*[0-9])[^A-Za-z]*")
_LONG = re.compile(r"[^\W\d_]{3,}")
_YES = re.compile(r"\W*oui\W*", re.IGNORECASE)

Word = tuple[str, float]  # and its probability


class StandIn(NamedTuple):
    """What a model knows, and what it stands for.

    Attributes:
        known: what the model reads.
        own: what was typed.
        written: a pattern of what the model makes of ``known``.
        french: what is put back; if it is empty, what the model wrote stays.
        times: how often it stands in the text.
    """

    known: str
    own: str
    written: str
    french: str
    times: int = 1


class Draft(NamedTuple):
    """A sentence as the model read it, what it wrote, and what waits outside.

    Attributes:
        read: the English text, with stand-ins.
        stand_ins: what is put back.
        french: what the model wrote.
        quoted: drafts of the quotation for which "Yes" stands.
        typed: the English text without stand-ins, with figures as French writes them; None where
            nothing is copied.
        lost: what could not be kept in any attempt, and what has no stand-in here.
    """

    read: str
    stand_ins: Sequence[StandIn]
    french: str
    quoted: "Sequence[Draft]" = ()
    typed: str | None = None
    lost: tuple[str, ...] = ()

    def bare(self) -> list[Word]:
        """Return the words that the model wrote, cut at spaces, of unknown probability."""
        return [(word, math.nan) for word in self.french.split(" ")] if self.french else []

    def holds(self) -> bool:
        """Whether the model wrote all that stood in for something, and each number."""
        words = put_back(self.bare(), self.stand_ins)
        return (
            words is not None
            and not self.lost
            and not any(self._differing(words))
            and (not self.quoted or any(map(_is_yes, words)))
        )

    def _differing(self, words: Sequence[Word]) -> tuple[set[str], set[str]]:
        """Return the numbers that only the English has, and that only the words have."""
        french = " ".join(word for word, _ in words)
        return (set(), set()) if self.typed is None else differing(self.typed, french)

    def giving_up(self, stand_ins: Sequence[StandIn]) -> "Draft":
        """Return this draft, which has some of the stand-ins or none, with what it lost."""
        words = put_back(self.bare(), self.stand_ins) or self.bare()
        french = " ".join(word for word, _ in words)
        lost = [one for one in stand_ins if not _stands(one, french)]
        told = " ".join(text for one in lost for text in (one.own, one.french))
        numbers = [n for n in self._differing(words)[0] if n not in told]
        return self._replace(lost=(*(one.own for one in lost), *sorted(numbers)))

    def leaving_out(self) -> "Draft | None":
        """Return this draft where all that is wrong is what it left out, told as lost; else None.

        A stand-in that is nowhere in the translation leaves no trace of itself.
        """
        left = with_left_out(self.french, self.stand_ins)
        draft = self._replace(stand_ins=left).giving_up(self.stand_ins)
        whole = put_back(draft.bare(), left) is not None
        clean = whole and not leaves_trace(self.french, left)
        return draft if clean and draft.faults() == len(draft.lost) else None

    def faults(self) -> int:
        """Return how much was lost, and how many words cannot be right."""
        return len(self.lost) + sum(p == 0 for _, p in self.words(Draft.bare))

    def rewritten(self, stand_ins: Sequence[StandIn]) -> "Draft":
        """Return this draft with figures that the model copied as they were typed in French."""
        typed = [
            one._replace(known=one.own, written=re.escape(one.own))
            for one in stand_ins
            if one.french not in ("", one.own) and _FIGURES.fullmatch(one.own)
        ]
        seen = _put_back(self.french, [*self.stand_ins, *typed])[1]
        found = [one._replace(times=seen[one]) for one in typed if seen[one]]
        return self._replace(stand_ins=[*self.stand_ins, *found])

    def kept(self) -> frozenset[str]:
        """Return what was typed where the model wrote all that stood in for it, and no more."""
        seen = _put_back(self.french, self.stand_ins)[1]
        return frozenset(one.own for one in self.stand_ins if seen[one] == one.times)

    def all_kept(self) -> bool:
        """Whether the model wrote all that stood in for something."""
        return len(self.kept()) == len(self.stand_ins)

    def not_kept(self) -> list[str]:
        """Return what was lost, in what is quoted too."""
        return [*self.lost, *(word for draft in self.quoted for word in draft.not_kept())]

    def words(self, of: "Callable[[Draft], list[Word]]") -> list[Word]:
        """Return the words of the translation; ``of`` gives those that the model wrote itself.

        A word that cannot be right has the probability 0: a number, a unit or a name that the
        English has not.
        """
        written = put_back(of(self), self.stand_ins) or of(self)
        wrong = self._differing(written)[1]
        written = [(w, 0.0 if self._is_invented(w, wrong) else p) for w, p in written]
        if not self.quoted:
            return written
        return put_quotation(written, [word for draft in self.quoted for word in draft.words(of)])

    def _is_invented(self, word: str, wrong: set[str]) -> bool:
        bare = without_marks(word)
        return any(_stands_in(one, word) for one in wrong) or (
            self.typed is not None and bare in STANDING and bare not in self.typed
        )


def with_stand_ins(
    text: str, words: KnownWords, attempt: int = 0, only: Collection[str] | None = None
) -> tuple[str, list[StandIn]]:
    """Return ``text`` with a stand-in for all that is copied, or for some only, and these.

    A further ``attempt`` takes other ones, and also for plain numbers.
    """
    places = copied(text, words, attempt > 0)
    ends = [0, *(end for _, end, _, _ in places)]
    begins = [*(begin for begin, _, _, _ in places), len(text)]
    rest = " ".join(text[a:b] for a, b in zip(ends, begins, strict=True))
    used = set(re.findall(r"[^\W_]+", rest))
    written, at, found = "", 0, dict[str, StandIn]()
    for begin, end, pool, french in places:
        own, instead = text[begin:end], _without(text[begin:end], pool, french)
        if only is None or own in only:
            if own not in found and (choice := _free(pool, attempt, used)):
                used.add(_first(choice[0]))
                found[own] = StandIn(choice[0], own, choice[1], french, 0)
            if own in found:
                found[own] = found[own]._replace(times=found[own].times + 1)
                instead = found[own].known
        written += text[at:begin] + instead
        at = end
    return written + text[at:], list(found.values())


def _without(own: str, pool: str, french: str) -> str:
    """What is copied, without a stand-in: a time of day as a model may have read it."""
    if pool != "times":
        return own
    hour, minute = french.split("h")
    return f"{hour}:{minute or '00'}"


def _free(pool: str, attempt: int, used: set[str]) -> tuple[str, str] | None:
    """Return the first of a pool, turned by the attempt, that is not used."""
    turn = attempt % len(POOLS[pool])
    turned = [*POOLS[pool][turn:], *POOLS[pool][:turn], *_SPARE]
    return next((one for one in turned if _first(one[0]) not in used), None)


def _first(known: str) -> str:
    return re.split(r"[ :]", known)[0]


def put_back(words: Sequence[Word], stand_ins: Sequence[StandIn]) -> list[Word] | None:
    """Return the words of a translation with what was stood in for.

    None if a stand-in was lost, or stands there more often than in the English. What is put back
    has the probability 1.
    """
    if not stand_ins:
        return list(words)
    text, seen = _put_back(" ".join(word for word, _ in words), stand_ins)
    if any(seen[one] != one.times for one in stand_ins):
        return None
    return list(_spelled_out(text, iter(words)))


def with_left_out(french: str, stand_ins: Sequence[StandIn]) -> list[StandIn]:
    """Return stand-ins, of which those that are nowhere in a translation are not looked for."""
    seen = _put_back(french, stand_ins)[1]
    return [one if seen[one] else one._replace(times=0) for one in stand_ins]


def leaves_trace(french: str, stand_ins: Sequence[StandIn]) -> bool:
    """Whether a word of what is not looked for is in a translation."""
    written = (word for one in stand_ins if not one.times for word in _LONG.findall(one.written))
    return any(word in french for word in written)


def _put_back(french: str, stand_ins: Sequence[StandIn]) -> tuple[str, Counter[StandIn]]:
    """Return a text with marks of what is put back, and how often each was."""
    seen = Counter[StandIn]()
    if not stand_ins:
        return french, seen

    def back(match: re.Match[str]) -> str:
        found = stand_ins[(match.lastindex or 1) - 1]
        seen[found] += 1
        own = (found.french or match[0]).replace(" ", _SPACE)
        return _BACK + own + _LESS * match[0].count(" ")

    each = "|".join(f"({one.written})" for one in stand_ins)
    pattern = rf"(?<!\w)(?<![0-9][.,:-])(?:{each})(?!\w| 000|[.,:]?[0-9])"
    return re.sub(pattern, back, french), seen


def _spelled_out(text: str, words: Iterator[Word]) -> Iterator[Word]:
    """Yield the words of a text with marks of what is put back; ``words`` are those before."""
    last: Word | None = None
    marked = text.split(" ")
    for i, word in enumerate(marked):
        probability = next(words)[1]
        for _ in range(word.count(_LESS)):
            next(words)
        plain = word.replace(_SPACE, " ").replace(_LESS, "").replace(_BACK, "")
        if _BACK in word:
            probability = 1.0
            ends = not plain[-1].isalnum() or marked[i + 1 : i + 2] in ([], ["!"], ["?"])
            last, plain = _fitted(last, plain, ends)
        if last:
            yield last
        last = plain, probability
    if last:
        yield last


def _stands(one: StandIn, french: str) -> bool:
    """Whether what was typed stands in a text as French writes it, its article aside."""
    bare = _ARTICLE.sub("", one.french or one.own)
    return bare in french or (bool(_SMALL.match(bare)) and _capital(bare) in french)


def _stands_in(wrong: str, word: str) -> bool:
    """Whether a number or a unit is in a word, and no part of a longer one."""
    own = r"\d" if wrong[0].isdigit() else r"[^\W\d_]"
    return bool(re.search(rf"(?<!{own}){re.escape(wrong)}(?!{own})", word))


def without_marks(word: str) -> str:
    """Return a word without the punctuation around it."""
    return re.sub(r"^\W+|\W+$", "", word)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fitted(last: Word | None, own: str, ends: bool) -> tuple[Word | None, str]:
    """Return a word and what is put back after it as they go together in French."""
    before = last[0] if last else ""
    if before.endswith(",") and ends and _ARTICLE.match(own):  # someone is spoken to
        return last, _ARTICLE.sub("", own)
    if own.startswith("le ") and before in _CONTRACTED:
        return None, f"{_CONTRACTED[before]} {own[3:]}"
    if before in ("à", "À") and _INSIDE.match(own):
        return None, f"{'dans' if before == 'à' else 'Dans'} {own}"
    if not last and _DATE.match(own):
        return None, f"Le {own}"
    if before in _BEFORE_DATE and _DATE.match(own):
        return None, f"{_BEFORE_DATE[before]} {own}"
    if before in ("le", "Le") and _MEASURE.match(own):
        return None, own if before == "le" else _capital(own)
    if _VOWEL.match(own) and _ELIDED.fullmatch(before):
        return None, f"{before[:-1]}'{own}"
    return last, own if last or not _SMALL.match(own) else _capital(own)


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
