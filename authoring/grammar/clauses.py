"""Clauses: a subject, a verb and what the verb asks for, all of types that go together."""

from dataclasses import replace

from authoring.grammar import noun_phrases as nps
from authoring.grammar.being import copula, of_person, with_body
from authoring.grammar.clause import (
    Clause,
    choose_tense,
    lasting,
    note_distance,
    settle,
    some_adverb,
    some_kind,
    some_negation,
    types_of,
)
from authoring.grammar.complements import complements
from authoring.grammar.draft import Draft, Person, Phrase, Words
from authoring.grammar.lexicon import Menu, Noun, Verb
from authoring.grammar.listing import listed
from authoring.grammar.verb_groups import infinitive, verb_group

THINGS = Menu(
    [
        "device",
        "transit",
        "vehicle",
        "food",
        "sky",
        "building",
        "event",
        "shop",
        "group",
        "text",
        "portable",
        "plant",
        "clothes",
        "thought",
        "opening",
        "room",
        "nature",
        "art",
        "furniture",
        "village",
        "meal",
        "dishes",
        "instrument",
        "body",
    ],
    0.4,
)


UNWANTED = frozenset(
    listed("miss lose drop forget break steal betray doubt find receive hear burn win deserve")
)


POSSESSIVES = frozenset(listed("my your his her its our their"))


def subject(draft: Draft, *, depth: int = 0, things: float = 0.28, pronouns: float = 0.3) -> Phrase:
    """A subject: a person, an animal or a thing."""
    if draft.chance(things):
        type_ = "animal" if draft.chance(0.3) else THINGS.draw(draft.rng)
        noun = nps.draw_noun(draft, type_)
        return with_relative(draft, nps.noun_phrase(draft, noun, subject=True), depth)
    return person(draft, depth=depth, pronouns=pronouns)


def person(draft: Draft, *, depth: int = 0, pronouns: float = 0.3) -> Phrase:
    """A subject that is a person."""
    x = draft.rng.random()
    if x < pronouns:
        who = draft.rng.choice((nps.ME, nps.HE, nps.SHE, nps.WE, nps.THEY, nps.ME, nps.HE, nps.SHE))
        if draft.neutral and who in (nps.HE, nps.SHE):  # "A baker … she" would be the baker.
            who = draft.rng.choice((nps.ME, nps.WE, nps.THEY))
        return nps.pronoun(draft, who)
    if x < pronouns + 0.2:
        return nps.name(draft)
    noun = nps.draw_noun(draft, "person")
    phrase = nps.noun_phrase(draft, noun, plural=0.25, adjectives=0.25, subject=True)
    if draft.chance(0.06):
        return couple(draft, phrase)
    return with_relative(draft, phrase, depth)


def couple(draft: Draft, first: Phrase) -> Phrase:
    """Two persons joined by "and": a masculine plural as soon as one is masculine."""
    second = (
        nps.name(draft)
        if draft.chance(0.4)
        else nps.noun_phrase(draft, nps.draw_noun(draft, "person"), subject=True)
    )
    link = draft.link()
    draft.phenomena.add("coordination")
    gender = "f" if first.who.gender == second.who.gender == "f" else "m"
    return Phrase(
        [*first.english, ("and", link), *second.english],
        [*first.french, ("et", link), *second.french],
        Person(3, True, True, gender),
        second=second.french,
    )


def with_relative(draft: Draft, phrase: Phrase, depth: int, probability: float = 0.18) -> Phrase:
    """The phrase, sometimes with a relative clause; "my mother" and "lunch" need none."""
    if depth > 1 or phrase.noun is None or not draft.chance(probability):
        return phrase
    if phrase.distant or phrase.english[0][0] in POSSESSIVES or not phrase.french[0][1]:
        return phrase
    link = draft.link()
    alive = phrase.who.human or "animal" in phrase.noun.types
    if not alive or draft.chance(0.45):
        return _object_relative(draft, phrase, link) or phrase
    frame = draft.rng.choice(("present", "past") if draft.era == "present" else ("past",))
    clause = predicate(draft, phrase, frame, depth=depth + 1)
    english, french = clause.predicate()
    draft.phenomena.add("relative-qui")
    who = "who" if phrase.who.human else "that"
    return replace(
        phrase,
        english=[*phrase.english, (who, link), *english],
        french=[*phrase.french, ("qui", link), *french],
        distant=True,
        after_de=phrase.after_de and [*phrase.after_de, ("qui", link), *french],
    )


def _object_relative(draft: Draft, phrase: Phrase, link: tuple[int, ...]) -> Phrase | None:
    """ "the letter that she wrote": the participle agrees; with "de" it is "dont"."""
    noun = phrase.noun
    assert noun is not None
    menu = draft.lexicon.verbs_for("person", noun)
    if not menu.items:
        return None
    verb = menu.draw(draft.rng)
    if (
        verb.french_preposition not in ("", "de")
        or "game" in noun.types
        or verb.french.infinitive == "jouer"
    ):
        return None
    who = person(draft, depth=2, pronouns=0.5)
    direct = not verb.french_preposition
    draft.combinations.append(("object", verb.name, noun.name))
    frames = ("past", "past", "present") if draft.era == "present" else ("past",)
    tense = choose_tense(draft, verb, draft.rng.choice(frames))
    group = verb_group(draft, verb, who.who, tense, agrees=phrase.who if direct else None)
    draft.phenomena.add("relative-que" if direct else "relative-dont")
    english = [*who.english, *group.english, *group.english_tail]
    if verb.english_preposition:
        english.append((verb.english_preposition, group.english[-1][1]))
    that = "whom" if phrase.who.human else "that"
    french: Words = [("que" if direct else "dont", link), *who.french, *group.french]
    return replace(
        phrase,
        english=[*phrase.english, (that, link), *english],
        french=[*phrase.french, *french],
        distant=True,
        after_de=phrase.after_de and [*phrase.after_de, *french],
    )


def predicate(
    draft: Draft,
    subject_: Phrase,
    frame: str,
    *,
    kind: str = "",
    negation: str | None = None,
    question: bool = False,
    depth: int = 0,
    noun: Noun | None = None,
    acts: bool = False,
) -> Clause:
    """A clause: a verb that suits the subject, with all that it asks for.

    Args:
        draft: the sentence.
        subject_: the subject.
        frame: one of `FRAMES`.
        kind: the kind of verb; empty: by chance.
        negation: "not", "never", "no longer" or empty; None: by chance.
        question: whether the clause becomes a question.
        depth: the number of clauses around this one.
        noun: the object of a transitive verb; None: by chance.
        acts: whether the verb must describe an act, not a state.
    """
    types = types_of(subject_)
    if negation is None:
        negation = some_negation(draft, question, depth)
    if subject_.english and subject_.english[0][0] == "all":  # "All … not" would have two senses.
        negation = ""
    chosen = kind or some_kind(draft, types)
    verb = None
    if chosen in (
        "transitive",
        "intransitive",
        "ditransitive",
        "motion",
        "taste",
        "infinitive",
        "body",
    ):
        menu = draft.lexicon.verbs_of(chosen, *types)
        verb = menu.draw(draft.rng) if menu.items else None
        while (
            verb is not None
            and acts
            and (
                verb.stative
                or verb.english.base == "stay"
                or (frame == "background" and not verb.progressive)
            )
        ):
            verb = menu.draw(draft.rng)
        for _ in range(4):
            if verb is None or verb.name not in draft.lexemes or acts:
                break
            verb = menu.draw(draft.rng)
        while verb is not None and chosen == "infinitive" and not _in_time(verb, frame):
            verb = menu.draw(draft.rng)
    if chosen == "infinitive" and verb is not None:
        return _with_infinitive(draft, subject_, verb, frame, negation, question, depth)
    if chosen == "body" and verb is not None:
        return with_body(draft, subject_, verb, frame, negation, question)
    if chosen in ("profession", "speak", "age") and subject_.who.person == 3 and "person" in types:
        return of_person(draft, subject_, chosen, frame, negation, question)
    if verb is None:
        return copula(draft, subject_, frame, negation, question)
    if subject_.noun:
        draft.combinations.append(("subject", subject_.noun.name, verb.name))
    note_distance(draft, subject_)
    tense = choose_tense(draft, verb, lasting(frame) if verb.kind == "taste" else frame)
    if tense == "used":
        negation = ""
    negation, tense = settle(negation, tense, verb)
    made = complements(draft, verb, subject_, bool(negation), depth, noun)
    adverb = some_adverb(draft, tense, negation, verb)
    group = verb_group(
        draft,
        verb,
        subject_.who,
        tense,
        negation=negation,
        clitics=made.clitics,
        question=question,
        adverb=adverb,
    )
    return Clause(
        subject_, verb, group, made.english(group, verb), made.french(group), made.object, tense
    )


def _in_time(verb: Verb, frame: str) -> bool:
    """Whether a verb before an infinitive has a form for the frame: "must" has one tense."""
    return verb.english.base not in ("must", "would") or frame in (
        "present",
        "simple present",
        *(("conditional",) if verb.english.base == "would" else ()),
    )


def _with_infinitive(
    draft: Draft,
    subject_: Phrase,
    verb: Verb,
    frame: str,
    negation: str,
    question: bool,
    depth: int,
) -> Clause:
    """ "decided to buy a car": décider *de*, essayer *de*, commencer *à*, pouvoir."""
    if verb.english.base in ("have", "prefer", "offer", "continue"):
        negation = ""
    if negation:
        negation = "not"
    if verb.english.base == "can" and frame in ("background", "reported"):
        frame = "past"
    tense = choose_tense(draft, verb, frame)
    note_distance(draft, subject_)
    group = verb_group(draft, verb, subject_.who, tense, negation=negation, question=question)
    draft.definite = bool(negation)
    english, french = infinitive_phrase(draft, subject_, depth)
    draft.definite = False
    if verb.french_preposition:
        link = draft.link()
        french = [(verb.french_preposition, link), *french]
        if group.english and group.english[-1][0] == "to":
            word, links = group.english[-1]
            target = group.english_rest if group.english_rest else group.english_finite
            target[-1] = (word, links + link)
    draft.phenomena.add("infinitive")
    return Clause(subject_, verb, group, english, french, None, tense)


def infinitive_phrase(
    draft: Draft, subject_: Phrase, depth: int, *, objects: bool = False, negated: bool = False
) -> tuple[Words, Words]:
    """ "buy a car", "acheter une voiture", done by the subject; ``negated`` after "without"."""
    kinds = (
        ("transitive", "transitive", "ditransitive")
        if objects
        else ("transitive", "transitive", "transitive", "intransitive", "motion", "ditransitive")
    )
    kind = draft.rng.choice(kinds)
    verb = draft.lexicon.verbs_of(kind, "person").draw(draft.rng)
    for _ in range(6):
        if not (verb.stative or verb.english.base in UNWANTED):
            break
        verb = draft.lexicon.verbs_of(kind, "person").draw(draft.rng)
    made = complements(draft, verb, subject_, negated, depth + 1)
    english, french, link = infinitive(draft, verb, subject_.who, made.clitics)
    left, right = made.preposition
    tail = (
        [(left, link), *made.english_words]
        if left and made.english_words
        else list(made.english_words)
    )
    end = (
        [(right, link), *made.french_words]
        if right and made.french_words
        else list(made.french_words)
    )
    return english + tail, french + end
