"""When and how: expressions of time and manner that suit the tense and the verb."""

from authoring.grammar import others
from authoring.grammar.clause import BE, Clause, types_of
from authoring.grammar.draft import Both, Draft, Person, fixed
from authoring.grammar.lexicon import Menu
from authoring.grammar.listing import entries
from authoring.grammar.quantities import NUMBERS


def set_phrases(text: str) -> Menu[tuple[str, str]]:
    pairs = [entry.split(" = ") for entry in entries(text)]
    return Menu([(english, french) for english, french in pairs], 0.9)


TIMES = {
    "past": set_phrases(others.PAST_TIMES),
    "present": set_phrases(others.PRESENT_TIMES),
    "progressive": set_phrases(others.NOW_TIMES),
    "future": set_phrases(others.FUTURE_TIMES),
}

MANNERS = set_phrases(others.MANNER)

CALM = Menu(
    [
        m
        for m in MANNERS.items
        if m[0]
        in (
            "quietly",
            "alone",
            "patiently",
            "calmly",
            "nervously",
            "in silence",
            "in secret",
            "politely",
        )
    ],
    0.9,
)

ANY_MANNER = frozenset(
    (
        "work=travailler",
        "eat/ate/eaten=manger",
        "study=étudier",
        "read/read/read=lire",
        "sing/sang/sung=chanter",
        "dance=danser",
    )
)

WITH_MANNER = ANY_MANNER | {
    "wait=attendre",
    "cry=pleurer",
    "smile=sourire",
    "pray=prier",
    "sleep/slept/slept=dormir",
}

FREQUENCY = frozenset(("often", "always", "sometimes", "rarely", "never", "longer"))

UNFIT = frozenset(
    [("sing", "quietly")] + [("sleep", m) for m in ("patiently", "politely", "in secret")]
)

# French puts these right after the verb, before an object.
BEFORE_OBJECT = frozenset(("quickly", "well"))

COMMON_FRAMES = ("present", "present", "past", "past", "past", "future")


def joined(draft: Draft, first: Both, english: str, french: str, second: Both) -> Both:
    """Two clauses joined by a conjunction, which may begin with a comma."""
    left, right = fixed(draft, english, french)
    return [*first[0], *left, *second[0]], [*first[1], *right, *second[1]]


def time_of(draft: Draft, tense: str) -> Both | None:
    """An expression of time that suits the tense; None if there is none."""
    key = {
        "past": "past",
        "present": "present",
        "progressive": "progressive",
        "future": "future",
        "near": "future",
    }.get(tense)
    if key is None:
        return None
    english, french = TIMES[key].draw(draft.rng)
    if draft.chance(0.12) and key != "progressive":
        return _hour(draft)
    draft.uses(english)
    draft.phenomena.add("time")
    return fixed(draft, english, french)


def _hour(draft: Draft) -> Both:
    """ "at three o'clock": à trois heures."""
    at, number, hour = draft.link(), draft.link(), draft.link()
    draft.phenomena.add("number")
    word = draft.rng.choice(others.HOURS)
    french = "une" if word == "one" else NUMBERS[word]
    hours = "heure" if word == "one" else "heures"
    if draft.chance(0.3):
        half = draft.link()
        return (
            [("at", at), ("half", half), ("past", half), (word, number)],
            [("à", at), (french, number), (hours, number), ("et", half), ("demie", half)],
        )
    return [("at", at), (word, number), ("o'clock", hour)], [
        ("à", at),
        (french, number),
        (hours, hour),
    ]


def with_time(draft: Draft, clause: Clause, probability: float = 0.25) -> Both:
    """A statement, sometimes with an expression of time or manner."""
    english, french = clause.statement()
    verb = clause.verb
    frequency = FREQUENCY & {word for word, _ in clause.group.english}
    thing = clause.object
    if frequency & {"never", "longer"}:
        return english, french
    if verb.name in WITH_MANNER and "person" in types_of(clause.subject) and draft.chance(0.35):
        manner, maniere = (MANNERS if verb.name in ANY_MANNER else CALM).draw(draft.rng)
        while (thing is not None and manner in BEFORE_OBJECT) or (
            (verb.english.base, manner) in UNFIT
        ):
            manner, maniere = MANNERS.draw(draft.rng)
        draft.uses(manner)
        if manner == "alone":
            left, right = alone(draft, clause.subject.who)
        else:
            left, right = fixed(draft, manner, maniere)
        if thing is None:
            clause.english_tail = left + clause.english_tail
            clause.french_tail = right + clause.french_tail
            english, french = clause.statement()
        elif not thing.distant:
            english, french = english + left, french + right
    if verb is BE or frequency:
        return english, french
    if draft.chance(probability) and not (clause.verb.stative and clause.tense == "present"):
        when = time_of(draft, clause.tense)
        if when is not None:
            return _placed(draft, (english, french), when)
    return english, french


def alone(draft: Draft, who: Person) -> Both:
    link = draft.link()
    form = {
        ("m", False): "seul",
        ("f", False): "seule",
        ("m", True): "seuls",
        ("f", True): "seules",
    }
    return [("alone", link)], [(form[who.gender, who.french_plural], link)]


def _placed(draft: Draft, statement: Both, when: Both) -> Both:
    """A statement with the time first, before a comma, or last."""
    if draft.chance(0.35):
        comma = draft.link()
        return (
            [*when[0], (",", comma), *statement[0]],
            [*when[1], (",", comma), *statement[1]],
        )
    return statement[0] + when[0], statement[1] + when[1]
