"""Sentences of several clauses: who did what, then what, why, when and if."""

from dataclasses import replace

from authoring.grammar import noun_phrases as nps
from authoring.grammar.being import copula
from authoring.grammar.clause import Clause, choose_tense
from authoring.grammar.clauses import person, predicate, subject
from authoring.grammar.complements import complements
from authoring.grammar.draft import Both, Draft, Phrase, fixed
from authoring.grammar.lexicon import Menu
from authoring.grammar.listing import listed
from authoring.grammar.timing import joined, time_of, with_time
from authoring.grammar.verb_groups import object_clitic, verb_group


def and_did(draft: Draft) -> Both:
    """ "bought a car and sold it": the pronoun agrees, and the participle with it."""
    frame = draft.frame("simple past", "simple past", "simple future", "simple present")
    who = person(draft, pronouns=0.3)
    first = predicate(draft, who, frame, kind="transitive", negation="", depth=2, acts=True)
    thing = first.object
    second = (
        _with_pronoun(draft, who, first.verb.english.base, thing, frame, shown=draft.chance(0.3))
        if thing
        else None
    )
    if second is None:
        kind = draft.rng.choice(("transitive", "motion"))
        second = predicate(
            draft, silent(who), frame, depth=1, kind=kind, negation="", acts=True
        ).statement()
    draft.phenomena.add("coordination")
    return joined(draft, first.statement(), "and", "et", second)


def silent(who: Phrase) -> Phrase:
    """The subject where English leaves it out; French does too, except for "je"."""
    return Phrase([], who.french if who.pronoun and who.who.row == 0 else [], who.who)


def again(draft: Draft, who: Phrase) -> Phrase:
    """The pronoun for a phrase: he, she, it, they."""
    if who.who.person < 3:
        return nps.pronoun(draft, who.who)
    draft.phenomena.add("antecedent")
    return nps.pronoun(draft, who.who, things=not who.who.human)


USED_UP = frozenset(("eat", "drink", "burn", "sell", "break", "forget", "leave", "drop", "finish"))

GAINED = frozenset(
    (
        "buy",
        "find",
        "make",
        "repair",
        "paint",
        "build",
        "steal",
        "grow",
        "pick",
        "sew",
        "knit",
        "receive",
    )
)

SEQUELS = frozenset(
    listed(
        "sell lose eat drink read wear put keep hide break clean wash use cook cut repair "
        "photograph draw forget admire leave thank greet help close finish burn copy translate "
        "paint sing feed invite obey listen hang peel iron fill water save play follow"
    )
)


def _with_pronoun(
    draft: Draft, who: Phrase, first: str, thing: Phrase, frame: str, *, shown: bool
) -> Both | None:
    """What is then done to an object already named: "and sold it"."""
    noun = thing.noun
    if noun is None or (thing.who.human and who.who.person == 3 and not who.who.plural):
        return None
    menu = draft.lexicon.verbs_for("person", noun)
    for _ in range(12):
        verb = menu.draw(draft.rng)
        clitic = object_clitic(verb, thing.who, draft.link())
        base = verb.english.base
        fits = base in ("find", "look") if first == "lose" else base in SEQUELS
        if first in USED_UP or (base == "sell" and first not in GAINED):
            fits = False
        if (
            clitic is not None
            and verb.name not in draft.lexemes
            and fits
            and "game" not in noun.types
        ):
            break
    else:
        return None
    draft.phenomena.add("antecedent")
    tense = choose_tense(draft, verb, frame)
    group = verb_group(draft, verb, who.who, tense, clitics=(clitic,))
    adverb: Both = ([], [])
    if tense == "past" and draft.chance(0.3):
        adverb = time_of(draft, "past") or adverb
    subject_ = again(draft, who) if shown else silent(who)
    clause = Clause(subject_, verb, group, list(adverb[0]), list(adverb[1]))
    return clause.statement()


def but_it_is(draft: Draft) -> Both:
    """ "The house is old, but it is solid": the pronoun has a distant antecedent."""
    frame = draft.frame("present", "past")
    if draft.chance(0.4):
        target = subject(draft, things=0.8, pronouns=0.0, depth=1)
        first = copula(draft, target, frame)
        words = (", but", ", mais"), ("and", "et")
    else:
        who = person(draft, pronouns=0.5)
        verbs = "simple past" if frame == "past" else "present"
        first = predicate(draft, who, verbs, kind="transitive", negation="", depth=1)
        target = first.object or who
        if target.noun is None or not set(target.noun.types) & set(draft.lexicon.adjectives_of):
            target = who
        words = (", but", ", mais"), ("because", "parce que")
    shown = again(draft, target)
    noun = target.noun if target.noun and not target.noun.human else None
    negation = "not" if draft.chance(0.15) else ""
    second = copula(draft, replace(shown, noun=noun), frame, negation)
    return joined(draft, first.statement(), *draft.rng.choice(words), second.statement())


EVENTS = Menu(["transitive", "intransitive", "motion", "ditransitive", "infinitive", "body"], 0.7)

REASONS = ("infinitive", "intransitive", "copula", "transitive", "infinitive")


def event(draft: Draft) -> str:
    """A kind of verb for something that happens."""
    return EVENTS.draw(draft.rng)


def two_clauses(draft: Draft) -> Both:
    """Two clauses; the second has the subject of the first, or another person."""
    frame = draft.frame("simple present", "simple past", "simple past", "simple future")
    who = person(draft)
    english, french = draft.rng.choice(
        (
            ("and", "et"),
            (", but", ", mais"),
            ("because", "parce que"),
            (", so", ", donc"),
            ("and then", "et puis"),
        )
    )
    acts = english == "and then"
    first = predicate(draft, who, frame, kind=event(draft), acts=acts)
    other = again(draft, who) if draft.chance(0.6) and known(who) else person(draft, pronouns=0.4)
    kind = draft.rng.choice(REASONS) if english == "because" else event(draft)
    second = predicate(draft, other, frame, depth=1, kind=kind, acts=acts)
    draft.phenomena.add("subordinate" if english == "because" else "coordination")
    return joined(draft, with_time(draft, first, 0.12), english, french, second.statement())


def known(who: Phrase) -> bool:
    """Whether English, too, tells a man from a woman here."""
    return who.noun is None or who.noun.other is None or who.who.plural


def when_if_while(draft: Draft) -> Both:
    """A main clause, with a subordinate clause before or after it."""
    kind = draft.rng.choice(("when-past", "while", "if", "would", "when-future", "as-soon"))
    draft.phenomena.add("subordinate")
    word, frames = {
        "when-past": (("when", "quand"), ("background", "simple past")),
        "while": (("while", "pendant que"), ("background", "simple past")),
        "if": (("if", "si"), ("present", "simple future")),
        "would": (("if", "si"), ("background", "conditional")),
        "when-future": (("when", "quand"), ("future", "simple future")),
        "as-soon": (("as soon as", "dès que"), ("future", "simple future")),
    }[kind]
    draft.era = "past" if frames[0] == "background" else "present"
    who = person(draft, depth=1, pronouns=0.35)
    main_who = again(draft, who) if draft.chance(0.5) and known(who) else person(draft, depth=1)
    if kind == "when-past":
        main = predicate(
            draft, main_who, frames[0], depth=1, kind="intransitive", negation="", acts=True
        )
        sub = predicate(
            draft,
            who,
            frames[1],
            depth=1,
            kind=draft.rng.choice(("motion", "intransitive", "transitive")),
            negation="",
            acts=True,
        )
    elif kind == "while":
        sub = predicate(
            draft,
            who,
            frames[0],
            depth=1,
            kind=draft.rng.choice(("intransitive", "transitive")),
            negation="",
            acts=True,
        )
        main = predicate(
            draft, main_who, frames[1], depth=1, negation="", kind=event(draft), acts=True
        )
    else:
        sub = _condition(draft, who, kind)
        main = predicate(draft, main_who, frames[1], depth=1, kind=event(draft))
    inside, outside = sub.statement(), main.statement()
    left, right = fixed(draft, *word)
    if draft.chance(0.5):
        comma = draft.link()
        return (
            [*left, *inside[0], (",", comma), *outside[0]],
            [*right, *inside[1], (",", comma), *outside[1]],
        )
    return [*outside[0], *left, *inside[0]], [*outside[1], *right, *inside[1]]


def _condition(draft: Draft, who: Phrase, kind: str) -> Clause:
    """The clause after "if" or "when": after "when" English has the present, French the future."""
    menu = draft.lexicon.verbs_of(
        draft.rng.choice(("transitive", "transitive", "motion", "intransitive")), "person"
    )
    verb = menu.draw(draft.rng)
    begins = kind in ("when-future", "as-soon")
    while verb.english.base in ("stay", "live") or (begins and verb.stative):
        verb = menu.draw(draft.rng)
    made = complements(draft, verb, who, False, 1)
    pair = {"if": ("present", "present"), "would": ("past", "imperfect")}.get(
        kind, ("present", "future")
    )
    negation = "not" if kind in ("if", "would") and draft.chance(0.12) and not made.object else ""
    tense = {"imperfect": "state"}.get(pair[1], "present")
    if pair[1] == "future":
        group = verb_group(draft, verb, who.who, "present", clitics=made.clitics)
        future = verb_group(draft, verb, who.who, "future")
        draft.lexemes.pop()
        links = group.french_finite[0][1]
        group.french_finite = [(future.french_finite[0][0], links)]
    else:
        group = verb_group(draft, verb, who.who, tense, clitics=made.clitics, negation=negation)
    if who.noun:
        draft.combinations.append(("subject", who.noun.name, verb.name))
    return Clause(
        who, verb, group, made.english(group, verb), made.french(group), made.object, tense
    )


def he_says_that(draft: Draft) -> Both:
    """ "thinks that the train will arrive": a clause in a clause."""
    frame = draft.frame("present", "simple past")
    who = person(draft, pronouns=0.45)
    verb = draft.lexicon.verbs_of("clause", "person").draw(draft.rng)
    tense = choose_tense(draft, verb, frame)
    if tense == "progressive":
        tense = "present"
    if frame == "present":
        inner_frame = draft.rng.choice(("present", "past", "future"))
    else:
        inner_frame = draft.rng.choice(("reported", "conditional"))
    negation = "not" if draft.chance(0.08) and verb.english.base in ("know", "say") else ""
    if who.noun:
        draft.combinations.append(("subject", who.noun.name, verb.name))
    group = verb_group(draft, verb, who.who, tense, negation=negation)
    if verb.name.startswith("be sure"):
        links = group.french_after[-1][1]
        form = {
            ("m", False): "sûr",
            ("f", False): "sûre",
            ("m", True): "sûrs",
            ("f", True): "sûres",
        }
        group.french_after[-1] = (form[who.who.gender, who.who.french_plural], links)
    inner_who = again(draft, who) if draft.chance(0.4) and known(who) else subject(draft, depth=0)
    inner = predicate(draft, inner_who, inner_frame, depth=1)
    that = draft.link()
    draft.phenomena.add("subordinate")
    english, french = (
        with_time(draft, inner, 0.15) if inner_frame != "reported" else inner.statement()
    )
    left = [*who.english, *group.english]
    shown = verb.english.base not in ("think", "hope", "know", "say") or draft.chance(0.6)
    return [*left, *([("that", that)] if shown else []), *english], [
        *who.french,
        *group.french,
        ("que", that),
        *french,
    ]


def long_one(draft: Draft) -> Both:
    """What one person did, one thing after another, and why, or what someone else did."""
    frame = draft.frame("simple past", "simple past", "simple future", "simple present")
    who = person(draft, pronouns=0.25)
    first = predicate(draft, who, frame, kind="transitive", negation="", depth=1, acts=True)
    english, french = with_time(draft, first, 0.3)
    steps = draft.rng.choice((1, 2, 2))
    for i in range(steps):
        kind = draft.rng.choice(("transitive", "motion", "ditransitive", "transitive"))
        clause = predicate(draft, silent(who), frame, kind=kind, negation="", depth=1, acts=True)
        left, right = clause.statement()
        word = (",", ",") if i < steps - 1 else ("and", "et") if i else ("and then", "et puis")
        english, french = joined(draft, (english, french), *word, (left, right))
    draft.phenomena.add("coordination")
    word = draft.rng.choice(
        (
            ("because", "parce que"),
            (", but", ", mais"),
            ("while", "pendant que"),
            (", so", ", donc"),
        )
    )
    other = again(draft, who) if draft.chance(0.5) and known(who) else person(draft, pronouns=0.3)
    ending = (
        {"because": "simple past", "while": "background"}.get(word[0], frame)
        if frame == "simple past"
        else frame
    )
    negation = "" if word[0] == "while" else None
    kind = draft.rng.choice(REASONS) if word[0] == "because" else event(draft)
    last = predicate(
        draft, other, ending, depth=1, negation=negation, kind=kind, acts=word[0] == "while"
    )
    return joined(draft, (english, french), *word, last.statement())
