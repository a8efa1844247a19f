"""A clause in parts, and the choices behind it: frames of time, tenses, kinds of verbs."""

from dataclasses import dataclass

from authoring.grammar.draft import Draft, Phrase, Words
from authoring.grammar.lexicon import Menu, Verb, read_verb
from authoring.grammar.verb_groups import VerbGroup

BE = read_verb("copula", "person | ~be | être |")

AGE = read_verb("copula", "person | ~be | avoir |")

SPEAK = read_verb("copula", "person | ~speak/spoke/spoken | parler |")

FRAMES: dict[str, tuple[tuple[str, float], ...]] = {
    "present": (("present", 0.35), ("progressive", 0.65)),
    "past": (
        ("past", 0.68),
        ("perfect", 0.1),
        ("imperfect", 0.12),
        ("used", 0.04),
        ("pluperfect", 0.06),
    ),
    "future": (("future", 0.7), ("near", 0.3)),
    "conditional": (("conditional", 1.0),),
    "background": (("imperfect", 1.0),),
    "reported": (("imperfect", 0.5), ("pluperfect", 0.5)),
    "simple past": (("past", 1.0),),
    "simple present": (("present", 1.0),),
    "simple future": (("future", 1.0),),
}

PERSON_KINDS = Menu(
    [
        "transitive",
        "intransitive",
        "ditransitive",
        "copula",
        "motion",
        "infinitive",
        "body",
        "taste",
        "profession",
        "speak",
        "age",
    ],
    0.9,
)


@dataclass
class Clause:
    """A clause in parts; `statement` puts them together."""

    subject: Phrase
    verb: Verb
    group: VerbGroup
    english_tail: Words
    french_tail: Words
    object: Phrase | None = None
    tense: str = ""

    def statement(self) -> tuple[Words, Words]:
        """Subject, verb and the rest."""
        english, french = self.predicate()
        return self.subject.english + english, self.subject.french + french

    def predicate(self) -> tuple[Words, Words]:
        """The clause without its subject."""
        english = self.group.english + self.group.english_tail + self.english_tail
        return english, self.group.french + self.french_tail


def types_of(phrase: Phrase) -> tuple[str, ...]:
    """The types of a subject."""
    return phrase.noun.types if phrase.noun else ("person",) if phrase.who.human else ("thing",)


def choose_tense(draft: Draft, verb: Verb, frame: str) -> str:
    """Draw a tense of the frame, one that the verb has."""
    if verb.english.base in ("must", "would"):
        return "present"
    if verb.stative:
        return {
            "past": "state",
            "background": "state",
            "reported": "state",
            "simple past": "state",
            "present": "present",
            "simple present": "present",
            "conditional": "conditional",
        }.get(frame, "future")
    x = draft.rng.random()
    tense = ""
    for tense, share in FRAMES[frame]:  # noqa: B007  (the one it stops at is wanted)
        if x < share:
            break
        x -= share
    if not verb.progressive and tense in ("progressive", "imperfect"):
        tense = {"progressive": "perfect", "imperfect": "past"}[tense]
        if frame == "reported":
            tense = "pluperfect"
    return tense


def settle(negation: str, tense: str, verb: Verb) -> tuple[str, str]:
    """A negation and a tense that go together: "no longer" suits only what lasts."""
    once = tense in ("past", "perfect", "pluperfect")
    if negation == "no longer" and once:
        return (negation, "imperfect") if verb.progressive else ("never", tense)
    if negation == "never":
        return negation, {"progressive": "present", "imperfect": "past"}.get(tense, tense)
    return negation, tense


def lasting(frame: str) -> str:
    """The frame for a taste: hardly ever the future."""
    return "present" if frame in ("future", "simple future", "conditional") else frame


def note_distance(draft: Draft, subject_: Phrase) -> None:
    if subject_.distant:
        draft.phenomena.add("agreement-at-distance")


def some_negation(draft: Draft, question: bool, depth: int) -> str:
    x = draft.rng.random()
    if x > (0.1 if question or depth else 0.2):
        return ""
    return "not" if question or x < 0.14 else draft.rng.choice(("never", "no longer"))


def some_kind(draft: Draft, types: tuple[str, ...]) -> str:
    if "person" in types:
        return PERSON_KINDS.draw(draft.rng)
    if "animal" in types:
        return draft.rng.choice(("transitive", "intransitive", "intransitive", "motion", "copula"))
    return draft.rng.choice(("transitive", "intransitive", "intransitive", "copula", "motion"))


def some_adverb(draft: Draft, tense: str, negation: str, verb: Verb) -> tuple[str, str]:
    if negation or tense != "present" or verb.stative or not draft.chance(0.4):
        return ("", "")
    english, french = draft.rng.choice(
        (
            ("often", "souvent"),
            ("always", "toujours"),
            ("sometimes", "parfois"),
            ("rarely", "rarement"),
        )
    )
    draft.uses(english)
    return english, french
