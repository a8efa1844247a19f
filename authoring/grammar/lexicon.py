"""The lexemes of the built-in language, read from the lists and sorted into menus.

A `Menu` draws its entries with a Zipf-like distribution: the one of rank r weighs 1/(r + 1)^s, so
that the last nouns of a type come up in only a handful of sentences.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Generic, TypeVar

from authoring.grammar import conjugation, english
from authoring.grammar.adjectives import ADJECTIVES
from authoring.grammar.listing import listed
from authoring.grammar.nouns import NOUNS
from authoring.grammar.verbs import VERBS

ZIPF = 1.1

Item = TypeVar("Item")


class Menu(Generic[Item]):
    """Entries by rank, drawn with a Zipf-like distribution."""

    def __init__(self, items: Sequence[Item], exponent: float = ZIPF) -> None:
        self.items = tuple(items)
        self.cumulative: list[float] = []
        total = 0.0
        for rank in range(len(self.items)):
            total += 1 / (rank + 2) ** exponent
            self.cumulative.append(total)

    def draw(self, rng: Random) -> Item:
        """Draw an entry."""
        return self.items[bisect(self.cumulative, rng.random() * self.cumulative[-1])]


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun in both languages.

    ``english_number`` and ``french_number`` are ``"both"``, ``"singular"`` or ``"plural"``: the
    numbers that it has. ``other`` is the feminine of a noun where English has one word for both.
    """

    name: str
    english: tuple[str, ...]
    english_plural: tuple[str, ...]
    french: tuple[str, ...]
    french_plural: tuple[str, ...]
    gender: str
    english_number: str
    french_number: str
    types: tuple[str, ...]
    other: "Noun | None" = None

    @property
    def human(self) -> bool:
        """Whether "he" or "she" stands for it."""
        return "person" in self.types


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective: ``french`` holds masculine and feminine, singular and plural, as words."""

    name: str
    english: str
    comparative: str
    french: dict[tuple[str, bool], tuple[str, ...]]
    before: bool
    predicate_only: bool
    attribute_only: bool


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb in both languages, with what follows it.

    ``english_rest`` and ``french_rest`` are fixed words ("be *afraid*", "avoir *peur*"), the
    prepositions stand before the object; ``particle`` follows a pronoun ("turn it *on*").
    """

    name: str
    kind: str
    subjects: tuple[str, ...]
    english: english.EnglishVerb
    english_rest: tuple[str, ...]
    english_preposition: str
    particle: str
    french: conjugation.Forms
    reflexive: bool
    french_rest: tuple[str, ...]
    french_preposition: str
    objects: tuple[str, ...]
    stative: bool
    progressive: bool
    with_be: bool = field(default=False)


ENGLISH_PREPOSITIONS = frozenset(listed("at for to about of into that from"))
FRENCH_PREPOSITIONS = frozenset(listed("à de que dans"))


def _entries(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Each entry of a list, with the words of the ``@`` line above it."""
    header: tuple[str, ...] = ()
    entries = []
    for line in text.strip().splitlines():
        if line.startswith("@"):
            header = tuple(line[1:].split())
        elif line:
            entries += [(header, entry.strip()) for entry in line.split(";")]
    return entries


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split("_"))


def _noun(header: tuple[str, ...], entry: str) -> Noun:
    """A noun from its entry; a feminine goes into ``other``."""
    left, right = entry.split(" = ")
    french, gender, *more = right.replace("*", "").split()
    left = left.replace("'s", " 's")
    number = {"-": "singular", "+": "plural"}.get(left[-1], "both")
    singular, _, plural = left.rstrip("-+").partition("/")
    types = (*more, *header)
    name = f"{singular}={french.partition('/')[0]}"
    forms = []
    for word in french.split(":"):
        one, _, many = word.partition("/")
        many = many or ("_".join((conjugation.plural(one),)) if "_" not in one else one)
        forms.append((_words(one), _words(many)))
    kept = {"m": "singular", "p": "plural"}.get(gender[1:], "both")
    if kept == "plural":
        forms = [(one, one) for one, _ in forms]

    def make(i: int, gender_: str, other: Noun | None) -> Noun:
        both = (tuple(singular.split()), tuple((plural or english.plural(singular)).split()))
        if number == "plural":
            both = (both[0], both[0])
        marked = (*types, singular) if singular not in types else types
        return Noun(name, *both, *forms[i], gender_, number, kept, marked, other)

    feminine = make(1, "f", None) if len(forms) > 1 else None
    return make(0, gender[0], feminine)


def _adjective(entry: str) -> Adjective:
    left, right = entry.split(" = ")
    name, _, comparative = left.partition(" (")
    marks = right.split()
    masculine, *others = marks[0].replace("*", "").split("/")
    feminine = others[0] if others else conjugation.feminine(masculine)
    if len(others) == 2:
        forms = {(g, n): _words(masculine) for g in "mf" for n in (False, True)}
    else:
        forms = {
            ("m", False): (masculine,),
            ("f", False): (feminine,),
            ("m", True): (conjugation.plural(masculine),),
            ("f", True): (conjugation.plural(feminine),),
        }
    full = f"{name}={masculine}"
    return Adjective(
        full, name, comparative.rstrip(")"), forms, marks[-1][0] == "<", "~" in marks, "<+" in marks
    )


def read_verb(kind: str, line: str) -> Verb:
    """A verb from its line."""
    subjects, left, right, objects = (part.strip() for part in line.split("|"))
    mark = left[0] if left[0] in "~-" else ""
    forms, *rest = left.lstrip("~-").split()
    particle = rest.pop()[1:] if rest and rest[-1].startswith("*") else ""
    preposition = ""
    if (
        kind not in ("intransitive", "infinitive")
        and rest
        and rest[-1] in ENGLISH_PREPOSITIONS
        and objects != "into"
    ):
        preposition = rest.pop()
    french = right.replace("s'", "se ").split()
    reflexive = french[0] == "se"
    infinitive, *fixed = french[reflexive:]
    french_preposition = ""
    if kind != "intransitive" and fixed and fixed[-1] in FRENCH_PREPOSITIONS:
        french_preposition = fixed.pop()
    return Verb(
        name=f"{left.lstrip('~-')}={right}",
        kind=kind,
        subjects=tuple(subjects.split()),
        english=english.verb(forms),
        english_rest=tuple(rest),
        english_preposition=preposition,
        particle=particle,
        french=conjugation.conjugate(infinitive),
        reflexive=reflexive,
        french_rest=tuple(fixed),
        french_preposition=french_preposition,
        objects=tuple(objects.split()),
        stative=mark == "~",
        progressive=not mark,
        with_be=reflexive or infinitive in conjugation.WITH_BE,
    )


class Lexicon:
    """All lexemes, and the menus by type that sentences are drawn from."""

    def __init__(self) -> None:
        self.nouns = [_noun(header, entry) for header, entry in _entries(NOUNS)]
        self._by_type: dict[str, list[Noun]] = {}
        for noun in self.nouns:
            for type_ in dict.fromkeys(noun.types):
                self._by_type.setdefault(type_, []).append(noun)
        self.adjectives: dict[str, Adjective] = {}
        blocks: dict[str, list[tuple[Adjective, Adjective]]] = {}
        for header, entry in _entries(ADJECTIVES):
            made = _adjective(entry)
            adjective = self.adjectives.setdefault(made.name, made)
            for type_ in header:
                blocks.setdefault(type_, []).append((adjective, made))
        self.adjectives_of = {
            type_: Menu([a for a, here in list_ if not here.attribute_only])
            for type_, list_ in blocks.items()
        }
        self.attributes_of = {
            type_: Menu([a for a, here in list_ if not here.predicate_only])
            for type_, list_ in blocks.items()
            if not all(here.predicate_only for _, here in list_)
        }
        self.verbs: list[Verb] = []
        for header, line in _entries(VERBS):
            self.verbs.append(read_verb(header[0], line))
        self.aspirated = self._aspirated()
        self.ambiguous = self._ambiguous()

    def _aspirated(self) -> frozenset[str]:
        """The words that begin with an aspirated h, in all their forms."""
        found = set()
        for entry in (entry for _, entry in _entries(NOUNS) if "*" in entry):
            noun = _noun((), entry)
            found |= {noun.french[0], noun.french_plural[0]}
        for entry in (entry for _, entry in _entries(ADJECTIVES) if "*" in entry):
            found |= {form[0] for form in _adjective(entry).french.values()}
        return frozenset(found)

    def _ambiguous(self) -> frozenset[str]:
        """The names of lexemes that share their English, but not their French, with another."""
        meanings: dict[tuple[str, ...], set[str]] = {}
        named: dict[tuple[str, ...], list[str]] = {}
        for noun in self.nouns:
            meanings.setdefault(noun.english, set()).add(noun.name)
            named.setdefault(noun.english, []).append(noun.name)
        for verb in self.verbs:
            said = (verb.english.base, *verb.english_rest, verb.english_preposition, verb.particle)
            french = " ".join((verb.french.infinitive, *verb.french_rest, verb.french_preposition))
            meanings.setdefault(said, set()).add(french)
            named.setdefault(said, []).append(verb.name)
        return frozenset(
            name for said, french in meanings.items() if len(french) > 1 for name in named[said]
        )

    @cache  # noqa: B019  (there is one lexicon, and it lives as long as the program)
    def nouns_of(self, *types: str) -> Menu[Noun]:
        """The nouns of any of these types, the frequent ones of each type first."""
        ranked = []
        for type_ in types:
            of_type = self._by_type.get(type_, [])
            ranked += [(rank, noun) for rank, noun in enumerate(of_type)]
        ranked.sort(key=lambda pair: pair[0])
        return Menu(list({id(noun): noun for _, noun in ranked}.values()))

    @cache  # noqa: B019
    def verbs_of(self, kind: str, *subjects: str) -> Menu[Verb]:
        """The verbs of a kind that take a subject of any of these types."""
        return Menu(
            [v for v in self.verbs if v.kind == kind and not set(subjects).isdisjoint(v.subjects)],
            0.8,
        )

    @cache  # noqa: B019
    def verbs_for(self, subject: str, noun: Noun) -> Menu[Verb]:
        """The transitive verbs that take the noun as their object."""
        return Menu(
            [
                v
                for v in self.verbs
                if v.kind == "transitive"
                and subject in v.subjects
                and not set(v.objects).isdisjoint(noun.types)
            ],
            0.8,
        )


@cache
def lexicon() -> Lexicon:
    """The lexicon, made once."""
    return Lexicon()
