"""The kinds of sentences of the built-in language, and how often each comes up."""

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from random import Random

from authoring.grammar import questions
from authoring.grammar.clauses import predicate, subject
from authoring.grammar.compound import (
    and_did,
    but_it_is,
    he_says_that,
    long_one,
    two_clauses,
    when_if_while,
)
from authoring.grammar.draft import Both, Combination, Combinations, Draft, Words, alignment
from authoring.grammar.lexicon import lexicon
from authoring.grammar.special import (
    compared,
    in_order_to,
    missed,
    since_or_for,
    there_is,
    weather,
    who_is_it,
)
from authoring.grammar.surface import CONTRACTED, detokenize, finish
from authoring.grammar.timing import COMMON_FRAMES, with_time


def simple(draft: Draft) -> Both:
    """One clause."""
    frame = draft.frame(*COMMON_FRAMES)
    return with_time(draft, predicate(draft, subject(draft), frame))


def question(draft: Draft) -> Both:
    """A question of any kind."""
    x = draft.rng.random()
    if x < 0.4:
        return questions.yes_no(draft, draft.frame(*COMMON_FRAMES))
    if x < 0.6:
        return questions.where_when_why(draft)
    if x < 0.85:
        return questions.what_which_how_many(draft)
    return questions.who_did(draft)


KINDS: dict[Callable[[Draft], Both], float] = {
    simple: 20,
    and_did: 8,
    but_it_is: 8,
    two_clauses: 8,
    when_if_while: 8,
    he_says_that: 8,
    there_is: 4,
    weather: 3,
    since_or_for: 2,
    in_order_to: 6,
    who_is_it: 6,
    compared: 3,
    missed: 2,
    long_one: 5,
    question: 9,
}

YOU_SHARE = 0.07

KIND_LIST = list(KINDS)

CUMULATIVE = list(accumulate(KINDS.values()))

LONG = 16

FUSED = frozenset(CONTRACTED.values())


@dataclass(frozen=True)
class Sentence:
    """A pair, with what it was made from.

    ``english`` and ``french`` are words, the ones that `surface.words` finds in the text.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    english_text: str
    french_text: str
    alignment: tuple[tuple[int, int], ...]
    phenomena: frozenset[str]
    lexemes: frozenset[str]
    combinations: frozenset[tuple[str, str, str]]


@dataclass
class Rough:
    """A sentence whose words are chosen, before elision and the like."""

    draft: Draft
    english: Words
    french: Words
    mark: str


def rough_sentence(rng: Random, refuses: Callable[[Combination], bool] | None = None) -> Rough:
    """Draw a sentence up to the choice of its words.

    Args:
        rng: the source of chance.
        refuses: which combinations the sentence may not hold; None: it may hold any.

    Raises:
        Refused: the sentence would hold one that it may not hold.
    """
    draft = Draft(rng, lexicon(), combinations=Combinations(refuses))
    if rng.random() < YOU_SHARE:
        return Rough(draft, *questions.to_you(draft, draft.frame(*COMMON_FRAMES)))
    kind = KIND_LIST[bisect(CUMULATIVE, rng.random() * CUMULATIVE[-1])]
    return Rough(draft, *kind(draft), "?" if kind is question else ".")


def finished(rough: Rough) -> Sentence:
    """The sentence with its text, its alignment and what it shows."""
    draft = rough.draft
    end = draft.link()
    english = [*rough.english, (rough.mark, end)]
    french = finish([*rough.french, (rough.mark, end)], draft.lexicon.aspirated)
    _note_surface(draft, english, french)
    left, right = _capital([w for w, _ in english]), _capital([w for w, _ in french])
    return Sentence(
        left,
        right,
        detokenize(list(left), "en"),
        detokenize(list(right), "fr"),
        alignment(english, french),
        frozenset(draft.phenomena),
        frozenset(draft.lexemes),
        frozenset(draft.combinations),
    )


def draw_sentence(rng: Random) -> Sentence:
    """Draw a sentence.

    Args:
        rng: the source of chance.
    """
    return finished(rough_sentence(rng))


def _capital(words: list[str]) -> tuple[str, ...]:
    return (words[0][0].upper() + words[0][1:], *words[1:])


@cache
def _surface(word: str) -> str:
    """The phenomenon that a finished French word shows, if any."""
    if word in ("cet", "bel", "nouvel", "vieil"):
        return "special-masculine"
    return "elision" if word.endswith("'") else ""


def _note_surface(draft: Draft, english: Words, french: Words) -> None:
    """Note what shows only in the finished sentence."""
    draft.phenomena |= {_surface(word) for word, _ in french}
    # A preposition and an article, each with a link of its own; the "du" of "du pain" has one.
    if any(len(links) > 1 and word in FUSED and len(set(links)) > 1 for word, links in french):
        draft.phenomena.add("contraction")
    draft.phenomena.discard("")
    if draft.lexicon.ambiguous & set(draft.lexemes):
        draft.phenomena.add("word-sense")
    if len(english) > LONG:
        draft.phenomena.add("long")
