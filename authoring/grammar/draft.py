"""A sentence in the making: words in both languages, tied by links.

A link is a number that an English and a French word share when one translates the other. Wherever
the words end up, the alignment is read off the links.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from authoring.grammar.lexicon import Lexicon, Noun
from authoring.grammar.surface import Word

Words = list[Word]
Both = tuple[Words, Words]
Combination = tuple[str, str, str]
NOTHING: tuple[int, ...] = ()


class Refused(Exception):
    """The sentence would hold a combination that it may not hold."""


class Combinations(list[Combination]):
    """The combinations in a sentence; one that is refused ends it at once."""

    def __init__(self, refuses: Callable[[Combination], bool] | None = None) -> None:
        super().__init__()
        self._refuses = refuses

    def append(self, combination: Combination) -> None:
        """Add a combination.

        Raises:
            Refused: the sentence may not hold it.
        """
        if self._refuses is not None and self._refuses(combination):
            raise Refused
        super().append(combination)


@dataclass
class Draft:
    """The sentence in the making.

    Attributes:
        rng: the source of chance.
        lexicon: the source of lexemes.
        phenomena: what the sentence shows so far.
        lexemes: the names of the lexemes in it.
        combinations: (kind, lexeme, lexeme): ``"adjective"`` with its noun, ``"subject"`` noun with
            its verb, ``"object"`` noun with its verb.
        you: the person addressed, once the sentence names one; None: nobody.
        era: ``"past"`` if relative clauses must be in the past, else ``"present"``.
        neutral: whether it names a person whose sex English leaves open: "a baker".
        definite: whether "the" replaces "some" ("did not want to eat *the* apples").
        ordering: whether the sentence is an order, which names only persons that both know.
    """

    rng: Random
    lexicon: Lexicon
    phenomena: set[str] = field(default_factory=set)
    lexemes: list[str] = field(default_factory=list)
    combinations: Combinations = field(default_factory=Combinations)
    you: "Person | None" = None
    era: str = "past"
    neutral: bool = False
    definite: bool = False
    ordering: bool = False
    _links: int = 0

    def link(self) -> tuple[int, ...]:
        """A new link."""
        self._links += 1
        return (self._links,)

    def chance(self, probability: float) -> bool:
        """Whether it happens this time."""
        return self.rng.random() < probability

    def frame(self, *frames: str) -> str:
        """Draw one of the frames of time; it decides the tenses of relative clauses too."""
        frame = self.rng.choice(frames)
        self.era = "present" if "present" in frame or "future" in frame else "past"
        return frame

    def uses(self, name: str) -> None:
        """Note a lexeme."""
        self.lexemes.append(name)


@dataclass(frozen=True)
class Person:
    """What verbs, adjectives and possessives agree with.

    ``plural`` and ``french_plural`` say whether English and French treat it as a plural.
    """

    person: int = 3
    plural: bool = False
    french_plural: bool = False
    gender: str = "m"
    human: bool = True

    @property
    def row(self) -> int:
        """Row of the French conjugation, 0 for "je" to 5 for "ils"."""
        return self.person - 1 + 3 * self.french_plural

    @property
    def many(self) -> bool:
        """Whether French adjectives agree in the plural: not with a polite "vous" to one person."""
        return self.plural if self.person == 2 else self.french_plural


@dataclass
class Phrase:
    """A noun phrase or a pronoun in both languages.

    ``after_de`` is its French after "de" where that differs (no article: "besoin de pain"),
    ``second`` the second of two joined by "et", before which a preposition is repeated.
    """

    english: Words
    french: Words
    who: Person
    noun: Noun | None = None
    pronoun: bool = False
    after_de: Words | None = None
    distant: bool = False
    second: Words | None = None


def fixed(draft: Draft, english: str, french: str) -> tuple[Words, Words]:
    """A set phrase, linked word by word if both languages have as many, else all to all.

    ``last week = la semaine:2 dernière:1`` says which English word each French one translates.
    """
    left, right = english.replace("_", " ").split(), french.replace("_", " ").split()
    links = [draft.link() for _ in left]
    if ":" in french:
        cut = [word.partition(":") for word in right]
        pairs = [
            (w, sum((links[int(k) - 1] for k in i.split(",") if k), NOTHING)) for w, _, i in cut
        ]
    elif len(left) == len(right):
        pairs = list(zip(right, links, strict=True))
    else:
        every = tuple(link for (link,) in links)
        pairs = [(word, every) for word in right]
    return list(zip(left, links, strict=True)), pairs


def alignment(english: Words, french: Words) -> tuple[tuple[int, int], ...]:
    """The pairs of positions whose words share a link, sorted."""
    places: dict[int, list[int]] = {}
    for j, (_, links) in enumerate(french):
        for link in links:
            places.setdefault(link, []).append(j)
    return tuple(
        sorted(
            {
                (i, j)
                for i, (_, links) in enumerate(english)
                for link in links
                for j in places.get(link, ())
            }
        )
    )
