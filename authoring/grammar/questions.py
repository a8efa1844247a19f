"""Questions, and sentences that address somebody, whose name or title decides on tu or vous."""

from authoring.grammar import noun_phrases as nps
from authoring.grammar.clause import Clause, choose_tense
from authoring.grammar.clauses import person, predicate, subject
from authoring.grammar.complements import complements
from authoring.grammar.draft import NOTHING, Both, Draft, Person, Phrase, Words
from authoring.grammar.lexicon import Menu
from authoring.grammar.listing import listed
from authoring.grammar.verb_groups import pronouns_after, verb_group

CALLED = Menu(
    [
        ("Sir", "Monsieur", Person(2, False, True)),
        ("Madam", "Madame", Person(2, False, True, "f")),
        ("Mum", "Maman", Person(2, False, False, "f")),
        ("children", "les enfants", Person(2, True, True)),
        ("Dad", "Papa", Person(2, False, False)),
        ("doctor", "docteur", Person(2, False, True)),
        ("my friends", "mes amis", Person(2, True, True)),
        ("girls", "les filles", Person(2, True, True, "f")),
        ("my friend", "mon ami", Person(2, False, False)),
        ("ladies", "mesdames", Person(2, True, True, "f")),
        ("gentlemen", "messieurs", Person(2, True, True)),
        ("darling", "ma chérie", Person(2, False, False, "f")),
        ("officer", "monsieur l' agent", Person(2, False, True)),
        ("Your Majesty", "Votre Majesté", Person(2, False, True)),
    ],
    0.5,
)
AUXILIARIES = ("present", "past", "past", "future")


def called(draft: Draft) -> Both:
    """The name or title of the person addressed; `draft.you` then holds the person."""
    if draft.chance(0.4):
        phrase = nps.name(draft)
        draft.you = Person(2, False, False, phrase.who.gender)
        return phrase.english, phrase.french
    english, french, draft.you = CALLED.draw(draft.rng)
    link = draft.link()
    return [(w, link) for w in english.split()], [(w, link) for w in french.split()]


def inverted(clause: Clause) -> Words:
    """The French verb with its pronoun after it: "mange-t-elle", "l'a-t-il vue"."""
    pronoun, links = clause.subject.french[0]
    word, verb_links = clause.group.french_finite[0]
    joined = "-t-" if word[-1] in "aeé" and pronoun[0] in "ie" else "-"
    group = clause.group
    return [
        *group.french_before,
        (word, verb_links),
        (joined + pronoun, links),
        *group.french_after,
        *clause.french_tail,
    ]


def ask(draft: Draft, clause: Clause) -> Both:
    """The clause as a question: French inverts a pronoun, and puts "est-ce que" before the rest."""
    draft.phenomena.add("question")
    group = clause.group
    english = [
        *group.english_finite,
        *clause.subject.english,
        *group.english_rest,
        *group.english_tail,
        *clause.english_tail,
    ]
    if clause.subject.pronoun and clause.subject.french[0][0] != "je":
        draft.phenomena.add("inversion")
        return english, inverted(clause)
    link = group.english_finite[0][1] if len(group.english) > 1 else NOTHING
    opening: Words = [("est-ce", link), ("que", NOTHING)]
    _, french = clause.statement()
    return english, opening + french


def yes_no(draft: Draft, frame: str) -> Both:
    """A question to be answered with yes or no."""
    who = subject(draft, pronouns=0.45)
    return ask(draft, predicate(draft, who, frame, question=True, depth=1))


def where_when_why(draft: Draft) -> Both:
    """A question that opens with a question word."""
    word, french = draft.rng.choice(
        (("where", "où"), ("when", "quand"), ("why", "pourquoi"), ("why", "pourquoi"))
    )
    who = person(draft, pronouns=0.6, depth=1)
    frames = {"where": ("past",), "when": ("past", "future"), "why": AUXILIARIES}[word]
    kinds = ("transitive",) if word == "where" else ("transitive", "intransitive")
    frame = draft.rng.choice(frames)
    clause = _plain(draft, who, frame, draft.rng.choice(kinds))
    link = draft.link()
    english, right = ask(draft, clause)
    return [(word, link), *english], [(french, link), *right]


def _plain(draft: Draft, who: Phrase, frame: str, kind: str) -> Clause:
    """A clause for a question: an act, without negation."""
    frame = {"past": "simple past"}.get(frame, frame)
    menu = draft.lexicon.verbs_of(kind, "person")
    for _ in range(8):
        verb = menu.draw(draft.rng)
        if not verb.stative:
            break
    made = complements(draft, verb, who, False, 2)
    tense = choose_tense(draft, verb, frame)
    if who.noun:
        draft.combinations.append(("subject", who.noun.name, verb.name))
    group = verb_group(draft, verb, who.who, tense, clitics=made.clitics, question=True)
    return Clause(
        who, verb, group, made.english(group, verb), made.french(group), made.object, tense
    )


def what_which_how_many(draft: Draft) -> Both:
    """The object comes first, and the participle agrees with it."""
    menu = draft.lexicon.verbs_of("transitive", "person")
    while True:
        verb = menu.draw(draft.rng)
        if not (
            verb.french_preposition or verb.english_preposition or verb.stative or verb.french_rest
        ):
            break
    who = person(draft, pronouns=0.6, depth=2)
    frame = "simple past" if draft.chance(0.7) else "future"
    noun = nps.draw_noun(draft, draft.rng.choice(verb.objects))
    kind = draft.rng.choice(("which", "how many", "how many"))
    if noun.english_number != "both":
        kind = "how much" if noun.english_number == noun.french_number == "singular" else "which"
        if not {"stuff", "money"} & set(noun.types):
            kind = "which"
    draft.combinations.append(("object", verb.name, noun.name))
    thing = nps.noun_phrase(
        draft, noun, determiner="the", adjectives=0.15, plural=float(kind == "how many")
    )
    link = draft.link()
    tense = choose_tense(draft, verb, frame)
    group = verb_group(draft, verb, who.who, tense, agrees=thing.who, question=True)
    clause = Clause(who, verb, group, [], [], thing, tense)
    english, right = ask(draft, clause)
    if kind == "which":
        form = {
            ("m", False): "quel",
            ("f", False): "quelle",
            ("m", True): "quels",
            ("f", True): "quelles",
        }
        left = [(form[thing.who.gender, thing.who.french_plural], link)]
    else:
        left = [("combien", link), ("de", link)]
    words = [(word, link) for word in kind.split()]
    return [*words, *thing.english[1:], *english], [*left, *thing.french[1:], *right]


def who_did(draft: Draft) -> Both:
    """ "Who ate the cake?": a question about the subject, without inversion."""
    link = draft.link()
    draft.phenomena.add("question")
    who = Phrase([("who", link)], [("qui", link)], Person(), pronoun=True)
    frame = draft.rng.choice(("present", "past", "past", "future"))
    kind = draft.rng.choice(("transitive", "transitive", "ditransitive", "motion"))
    return predicate(draft, who, frame, kind=kind, negation="", depth=1).statement()


def to_you(draft: Draft, frame: str) -> tuple[Words, Words, str]:
    """A sentence that addresses somebody, and the mark at its end."""
    english, french = called(draft)
    you = draft.you
    assert you is not None
    draft.phenomena.add("tu-vous")
    mark = "."
    x = draft.rng.random()
    if x < 0.18:
        left, right = order(draft, you)
    elif x < 0.62:
        mark = "?"
        clause = predicate(draft, nps.pronoun(draft, you), frame, question=True, depth=1)
        left, right = ask(draft, clause)
    elif x < 0.85:
        left, right = predicate(draft, nps.pronoun(draft, you), frame, depth=1).statement()
    else:
        kind = draft.rng.choice(("transitive", "ditransitive"))
        left, right = predicate(
            draft, nps.pronoun(draft, nps.ME), frame, kind=kind, depth=1
        ).statement()
        if not any(word in ("you", "your") for word, _ in left):
            left, right = _telling(draft, left, right, you)
    comma = draft.link()
    if draft.chance(0.65):
        return [*english, (",", comma), *left], [*french, (",", comma), *right], mark
    return [*left, (",", comma), *english], [*right, (",", comma), *french], mark


def _telling(draft: Draft, left: Words, right: Words, you: Person) -> Both:
    """The statement after "I can tell you that"."""
    me, can, tell, whom, that = (draft.link() for _ in range(5))
    draft.phenomena.add("clitic")
    pronoun = "vous" if you.french_plural else "te"
    opening: Words = [("I", me), ("can", can), ("tell", tell), ("you", whom), ("that", that)]
    ouverture: Words = [("je", me), ("peux", can), (pronoun, whom), ("dire", tell), ("que", that)]
    return opening + left, ouverture + right


NOT_ASKED = frozenset(listed("lose break steal forget miss see hear meet drop save receive"))


def order(draft: Draft, you: Person) -> Both:
    """An order or a request: "Open the window", "ouvre la fenêtre"."""
    draft.phenomena.add("imperative")
    draft.ordering = True
    menu = draft.lexicon.verbs_of(
        draft.rng.choice(("transitive", "transitive", "ditransitive")), "person"
    )
    while True:
        verb = menu.draw(draft.rng)
        if not (
            verb.stative
            or verb.reflexive
            or verb.english.base in NOT_ASKED
            or verb.french_rest
            or verb.french.infinitive in ("savoir", "vouloir", "recevoir")
        ):
            break
    link, nothing = draft.link(), draft.link()
    who = nps.pronoun(draft, you)
    negated = draft.chance(0.3)
    phenomena, lexemes, pairs = set(draft.phenomena), len(draft.lexemes), len(draft.combinations)
    for _ in range(6):
        draft.phenomena = set(phenomena)
        del draft.lexemes[lexemes:], draft.combinations[pairs:]
        made = complements(draft, verb, who, negated, 1)
        if not made.clitics or draft.chance(0.5):
            break
    if made.clitics:
        draft.phenomena.add("clitic")
    draft.uses(verb.name)
    base: Words = [(verb.english.base, link), *((w, link) for w in verb.english_rest)]
    left, right = made.preposition
    english = base + pronouns_after(verb, made.clitics, link)
    english += ([(left, link)] if left and made.english_words else []) + list(made.english_words)
    form = verb.french.present[you.row]
    if you.row == 1 and form.endswith(("es", "as")):
        form = form[:-1]
    french: Words = [(form, link)]
    before = [(clitic.french, clitic.links) for clitic in made.clitics]
    if made.clitics and not negated:
        clitic = made.clitics[0]
        hyphen = {"me": "-moi", "te": "-toi"}.get(clitic.french, "-" + clitic.french)
        french, before = [(form, link), (hyphen, clitic.links)], []
    if negated:
        draft.phenomena.add("negation")
        english = (
            [("do", nothing), ("not", nothing), *english]
            if draft.chance(0.6)
            else [("don't", nothing), *english]
        )
        french = [("ne", nothing), *before, *french, ("pas", nothing)]
    to = [(right, link)] if right and made.french_words else []
    return english, french + to + list(made.french_words)
