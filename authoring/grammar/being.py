"""What somebody or something is or has: "is old", "is a cook", "washes her hands"."""

from functools import cache

from authoring.grammar import noun_phrases as nps
from authoring.grammar.adjective_order import clashes
from authoring.grammar.clause import (
    AGE,
    BE,
    SPEAK,
    Clause,
    choose_tense,
    note_distance,
    settle,
    types_of,
)
from authoring.grammar.draft import Draft, Person, Phrase, Words
from authoring.grammar.lexicon import Adjective, Menu, Verb
from authoring.grammar.listing import entries, listed
from authoring.grammar.quantities import AGES
from authoring.grammar.verb_groups import verb_group

DEGREES = Menu(
    [("very", "très"), ("too", "trop"), ("so", "si"), ("really", "vraiment"), ("quite", "assez")],
    0.8,
)

# Nobody becomes these: one is, or is not.
TRAITS = frozenset(
    listed("young tall blond French English German Italian Spanish Dutch Greek Belgian deaf")
)
LATER = frozenset(listed("future near conditional"))

CHILDREN = frozenset(listed("boy girl son daughter nephew niece grandson granddaughter pupil"))
TEENS = frozenset(
    listed(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen"
    )
)

LIMBS = frozenset(listed("leg arm finger wrist hand knee foot shoulder ankle ear"))

GRADABLE = frozenset(
    listed(
        "tired famous intelligent serious patient polite curious dangerous interesting boring "
        "expensive modern powerful fragile solid difficult important useful complicated strange "
        "elegant worried"
    )
)


def copula(
    draft: Draft, subject_: Phrase, frame: str, negation: str = "", question: bool = False
) -> Clause:
    """ "is very old": the adjective agrees with a subject that may stand far away."""
    tense = choose_tense(draft, BE, frame)
    note_distance(draft, subject_)
    noun = subject_.noun
    adjective: Adjective | None = None
    if noun is not None:
        for _ in range(4):
            adjective = adjective or nps.adjective_for(draft, noun, predicate=True)
            if adjective and adjective.english in TRAITS and tense in LATER:
                draft.lexemes.pop()
                draft.combinations.pop()
                adjective = None
    if adjective is None:
        fitting = [
            draft.lexicon.adjectives_of[t]
            for t in types_of(subject_)
            if t in draft.lexicon.adjectives_of
        ]
        menu = fitting[0] if fitting else draft.lexicon.adjectives_of["portable"]
        adjective = menu.draw(draft.rng)
        for _ in range(20):
            clash = adjective.name in draft.lexemes or clashes(draft, adjective, None)
            if not clash and not (adjective.english in TRAITS and tense in LATER):
                break
            adjective = menu.draw(draft.rng)
        else:
            adjective = draft.lexicon.adjectives["strange=étrange"]
        draft.uses(adjective.name)
    group = verb_group(draft, BE, subject_.who, tense, negation=negation, question=question)
    words, forms = described(draft, adjective, subject_.who, bool(negation))
    return Clause(subject_, BE, group, words, forms, None, tense)


def described(
    draft: Draft, adjective: Adjective, who: Person, negated: bool
) -> tuple[Words, Words]:
    """An adjective after "to be", at times "very old" or "older than Paul"."""
    link = draft.link()
    draft.phenomena.add("predicate-adjective")
    forms = [(word, link) for word in adjective.french[who.gender, who.many]]
    words = [(word, link) for word in adjective.english.split()]
    degree = draft.link()
    gradable = bool(adjective.comparative) or adjective.english in GRADABLE
    if gradable and adjective.english != "huge" and draft.chance(0.4):
        left, right = DEGREES.draw(draft.rng)
        while negated and left in ("so", "quite"):  # "pas assez" is "not enough".
            left, right = DEGREES.draw(draft.rng)
        return [(left, degree), *words], [(right, degree), *forms]
    return words, forms


def of_person(
    draft: Draft, subject_: Phrase, kind: str, frame: str, negation: str, question: bool
) -> Clause:
    """A profession (without an article in French), a language, an age."""
    from authoring.grammar.others import LANGUAGES

    who = subject_.who
    link = draft.link()
    negation = "not" if negation else ""
    note_distance(draft, subject_)
    if kind == "speak":
        english, french = draft.rng.choice(entries(LANGUAGES)).split(" = ")
        draft.uses(f"{english}={french}")
        tense = choose_tense(draft, SPEAK, frame)
        group = verb_group(draft, SPEAK, who, tense, negation=negation, question=question)
        return Clause(subject_, SPEAK, group, [(english, link)], [(french, link)], None, tense)
    verb = AGE if kind == "age" else BE
    tense = choose_tense(
        draft, verb, "past" if frame in ("past", "background", "simple past", "reported") else frame
    )
    group = verb_group(draft, verb, who, tense, negation=negation, question=question)
    if kind == "age":
        draft.phenomena.add("number")
        number, nombre = draft.rng.choice(_ages(draft, subject_))
        years = draft.link()
        age = [*((w, link) for w in number.split()), ("years", years), ("old", years)]
        ans = [*((w, link) for w in nombre.split()), ("ans", years)]
        return Clause(subject_, verb, group, age, ans, None, tense)
    noun = nps.draw_noun(draft, "epicene")
    while "kin" in noun.types or noun.english[0] in (
        "pupil",
        "patient",
        "client",
        "tourist",
        "traveller",
    ):
        noun = nps.draw_noun(draft, "epicene")
    draft.uses(noun.name)
    if who.gender == "f" and noun.other:
        noun = noun.other
    form, said = (
        (noun.french_plural, noun.english_plural) if who.many else (noun.french, noun.english)
    )
    one = [] if who.plural else [nps.article(said[0])]
    words = [(w, link) for w in (*one, *said)]
    return Clause(subject_, BE, group, words, [(w, link) for w in form], None, tense)


@cache
def _ages_of(name: str) -> list[tuple[str, str]]:
    """The ages that suit a noun of that name; all ages if it is empty."""
    return [age for age in AGES if not name or (age[0] in TEENS) == (name in CHILDREN)]


def _ages(draft: Draft, subject_: Phrase) -> list[tuple[str, str]]:
    """The ages that suit a subject: if the sentence names an adult, "he" may be the one."""
    return _ages_of(subject_.noun.english[0] if subject_.noun else "thief" * draft.neutral)


def with_body(
    draft: Draft, subject_: Phrase, verb: Verb, frame: str, negation: str, question: bool
) -> Clause:
    """ "washes her hands", "se lave les mains": French has the article."""
    once = verb.english.base in ("break", "hurt", "cut", "twist", "scratch")
    parts = verb.objects
    if subject_.who.many and once:  # "They broke their arms" would leave open how many.
        parts = tuple(part for part in parts if part not in LIMBS) or parts
    noun = nps.draw_noun(draft, draft.rng.choice(parts))
    draft.combinations.append(("object", verb.name, noun.name))
    many = noun.english[0] in ("hand", "foot", "tooth", "eye", "leg") and not once
    phrase = nps.noun_phrase(draft, noun, determiner="the", plural=float(many), adjectives=0)
    english = nps.owner_words(subject_.who)[0]
    negation, tense = settle(negation, choose_tense(draft, verb, frame), verb)
    group = verb_group(
        draft,
        verb,
        subject_.who,
        tense,
        negation=negation,
        question=question,
        body=not verb.french_preposition,
    )
    words = [(english, phrase.english[0][1]), *phrase.english[1:]]
    if subject_.who.plural and noun.english_number == "both":
        words[1:] = [(word, phrase.english[1][1]) for word in noun.english_plural]
    link = group.french_finite[0][1]
    right = (
        [(verb.french_preposition, link), *phrase.french]
        if verb.french_preposition
        else phrase.french
    )
    return Clause(subject_, verb, group, words, right, phrase, tense)
