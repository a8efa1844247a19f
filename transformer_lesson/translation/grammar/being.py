"""What somebody or something is or has: "is old", "is a cook", "washes her hands"."""

from transformer_lesson.translation.grammar import noun_phrases as nps
from transformer_lesson.translation.grammar.clause import (
    AGE,
    BE,
    SPEAK,
    Clause,
    choose_tense,
    note_distance,
    types_of,
)
from transformer_lesson.translation.grammar.draft import Draft, Person, Phrase, Words
from transformer_lesson.translation.grammar.lexicon import Adjective, Menu, Verb
from transformer_lesson.translation.grammar.listing import entries, listed
from transformer_lesson.translation.grammar.verb_groups import (
    verb_group,
)

DEGREES = Menu(
    [("very", "très"), ("too", "trop"), ("so", "si"), ("really", "vraiment"), ("quite", "assez")],
    0.8,
)

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
    if adjective is None:
        fitting = [
            draft.lexicon.adjectives_of[t]
            for t in types_of(subject_)
            if t in draft.lexicon.adjectives_of
        ]
        menu = fitting[0] if fitting else draft.lexicon.adjectives_of["portable"]
        adjective = menu.draw(draft.rng)
        while adjective.name in draft.lexemes:
            adjective = menu.draw(draft.rng)
        draft.uses(adjective.name)
    group = verb_group(draft, BE, subject_.who, tense, negation=negation, question=question)
    return Clause(subject_, BE, group, *described(draft, adjective, subject_.who), None, tense)


def described(draft: Draft, adjective: Adjective, who: Person) -> tuple[Words, Words]:
    """An adjective after "to be", at times "very old" or "older than Paul"."""
    link = draft.link()
    draft.phenomena.add("predicate-adjective")
    forms = [(word, link) for word in adjective.french[who.gender, who.many]]
    words = [(word, link) for word in adjective.english.split()]
    degree = draft.link()
    gradable = bool(adjective.comparative) or adjective.name.split("=")[0] in GRADABLE
    if gradable and draft.chance(0.4):
        left, right = DEGREES.draw(draft.rng)
        return [(left, degree), *words], [(right, degree), *forms]
    return words, forms


def of_person(
    draft: Draft, subject_: Phrase, kind: str, frame: str, negation: str, question: bool
) -> Clause:
    """A profession (without an article in French), a language, an age."""
    from transformer_lesson.translation.grammar.others import LANGUAGES

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
        draft, verb, "past" if frame in ("past", "background", "simple past") else frame
    )
    group = verb_group(draft, verb, who, tense, negation=negation, question=question)
    if kind == "age":
        draft.phenomena.add("number")
        number, nombre = nps.NUMBER_MENU.draw(draft.rng)
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


def with_body(
    draft: Draft, subject_: Phrase, verb: Verb, frame: str, negation: str, question: bool
) -> Clause:
    """ "washes her hands", "se lave les mains": French has the article."""
    noun = nps.draw_noun(draft, draft.rng.choice(verb.objects))
    draft.combinations.append(("object", verb.name, noun.name))
    many = noun.english[0] in ("hand", "foot", "tooth", "eye") and verb.english.base not in (
        "break",
        "hurt",
    )
    phrase = nps.noun_phrase(draft, noun, determiner="the", plural=float(many), adjectives=0)
    english = nps.owner_words(subject_.who)[0]
    tense = choose_tense(draft, verb, frame)
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
