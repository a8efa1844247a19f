"""What follows a verb: objects as nouns or pronouns, gifts, places."""

from dataclasses import dataclass, field, replace

from authoring.grammar import noun_phrases as nps
from authoring.grammar.clause import types_of
from authoring.grammar.draft import Draft, Phrase, Words
from authoring.grammar.lexicon import Noun, Verb
from authoring.grammar.listing import listed
from authoring.grammar.places import animal_place, motion_place, place
from authoring.grammar.verb_groups import Clitic, VerbGroup, object_clitic

INDEFINITE = frozenset(("avoir", "vouloir", "posséder", "mériter"))


OWNED = frozenset(listed("portable clothes text device drivable house flat garden pet thought"))


@dataclass
class Complements:
    """What follows a verb; prepositions are added once the words of their verb are there."""

    clitics: tuple[Clitic, ...] = ()
    object: Phrase | None = None
    english_words: Words = field(default_factory=list)
    french_words: Words = field(default_factory=list)
    preposition: tuple[str, str] = ("", "")

    def english(self, group: VerbGroup, verb: Verb) -> Words:
        """The English words; a preposition has the links of the verb."""
        return self._tail(list(self.english_words), self.preposition[0], group.english[-1][1])

    def french(self, group: VerbGroup) -> Words:
        """The French words."""
        links = (group.french_finite + group.french_after)[-1][1]
        return self._tail(list(self.french_words), self.preposition[1], links)

    def _tail(self, words: Words, preposition: str, links: tuple[int, ...]) -> Words:
        return [(preposition, links), *words] if preposition and words else words


def complements(
    draft: Draft, verb: Verb, subject_: Phrase, negated: bool, depth: int, noun: Noun | None = None
) -> Complements:
    """The objects and places that a verb asks for."""
    if verb.kind == "transitive":
        return _object(draft, verb, subject_, negated, depth, noun)
    if verb.kind == "taste":
        phrase = nps.noun_phrase(
            draft, _taste(draft, verb), determiner="bare", plural=1.0, adjectives=0
        )
        draft.phenomena.add("generic")
        return Complements((), phrase, phrase.english, phrase.french)
    if verb.kind == "ditransitive":
        return _gift(draft, verb, subject_, negated)
    if verb.kind == "motion":
        english, french = motion_place(draft, verb)
        return Complements((), None, english, french, ("", verb.french_preposition))
    if "where" in verb.objects and draft.chance(0.4):
        if "animal" in types_of(subject_):
            english, french = animal_place(draft)
        else:
            english, french = place(draft)
        return Complements((), None, english, french)
    return Complements()


def _taste(draft: Draft, verb: Verb) -> Noun:
    noun = nps.draw_noun(draft, draft.rng.choice(verb.objects))
    draft.combinations.append(("object", verb.name, noun.name))
    return noun


def _object(
    draft: Draft, verb: Verb, subject_: Phrase, negated: bool, depth: int, noun: Noun | None
) -> Complements:
    """A direct object, or one after a preposition; a person may be a pronoun."""
    if "person" in verb.objects and noun is None and draft.chance(0.45):
        others = [
            w
            for w in (nps.ME, nps.HE, nps.SHE, nps.WE, nps.THEY)
            if w.person != subject_.who.person
            or (w.person == 3 and subject_.noun is None and not subject_.pronoun)
        ]
        others += [draft.you] * 4 if draft.you and subject_.who.person != 2 else []
        who = draft.rng.choice(others or [nps.THEY])
        clitic = object_clitic(verb, who, draft.link())
        if clitic:
            return Complements((clitic,))
    noun = noun or nps.draw_noun(draft, draft.rng.choice(verb.objects))
    if verb.objects == ("clothes",) and subject_.who.gender == "m" and subject_.who.person == 3:
        while noun.english[0] in ("dress", "skirt"):
            noun = nps.draw_noun(draft, "clothes")
    draft.combinations.append(("object", verb.name, noun.name))
    negated = negated and not verb.french_preposition
    owner = subject_.who
    known = verb.stative and verb.french.infinitive not in INDEFINITE
    determiner = (
        draft.rng.choice(("the", "this", "owner") if one_of_many(noun) else ("the", "the", "this"))
        if known
        else ""
    )
    if verb.french.infinitive == "savoir":
        determiner = "the"
    plural = 0.3
    if verb.french.infinitive == "jouer" and "instrument" in noun.types:
        determiner = draft.rng.choice(("the", "the", "owner"))
        plural = 0.0
    phrase = nps.noun_phrase(
        draft,
        noun,
        determiner=determiner,
        negated=negated,
        owner=owner,
        adjectives=0.35,
        plural=plural,
    )
    if (
        draft.chance(0.25)
        and phrase.english
        and phrase.english[0][0] == "the"
        and OWNED & set(noun.types)
    ):
        phrase = nps.owned(draft, phrase, nps.name(draft) if draft.chance(0.6) else _keeper(draft))
    # Imported late: a relative clause holds complements in turn.
    from authoring.grammar.clauses import with_relative

    phrase = with_relative(draft, phrase, depth, 0.14)
    if depth == 0 and draft.chance(0.05) and not verb.french_preposition and "stuff" in noun.types:
        phrase = _list(draft, verb, phrase)
    french = phrase.french
    if verb.french_preposition == "de" and phrase.after_de is not None:
        french = phrase.after_de
    return Complements(
        (), phrase, phrase.english, french, (verb.english_preposition, verb.french_preposition)
    )


def one_of_many(noun: Noun) -> bool:
    """Whether "my" and "this" suit the noun."""
    return nps.ownable(noun) and noun.english_number == noun.french_number == "both"


def _keeper(draft: Draft) -> Phrase:
    determiner = draft.rng.choice(("the", "the", "this"))
    return nps.noun_phrase(
        draft,
        nps.draw_noun(draft, "man", "woman"),
        determiner=determiner,
        plural=0.2,
        adjectives=0.1,
    )


def _list(draft: Draft, verb: Verb, first: Phrase) -> Phrase:
    """ "bread, milk and three apples": each with its own article in French."""
    more = []
    for _ in range(draft.rng.choice((1, 2, 2))):
        noun = nps.draw_noun(draft, "food" if "food" in verb.objects else verb.objects[0])
        draft.combinations.append(("object", verb.name, noun.name))
        more.append(nps.noun_phrase(draft, noun, adjectives=0.15))
    draft.phenomena.add("coordination")
    english, french = list(first.english), list(first.french)
    for i, phrase in enumerate(more):
        link = draft.link()
        last = i == len(more) - 1
        english += [("and" if last else ",", link), *phrase.english]
        french += [("et" if last else ",", link), *phrase.french]
    return replace(first, english=english, french=french, after_de=None, noun=None)


def _gift(draft: Draft, verb: Verb, subject_: Phrase, negated: bool) -> Complements:
    """ "give the book to Paul", "give him the book"."""
    noun = nps.draw_noun(draft, draft.rng.choice(verb.objects))
    draft.combinations.append(("object", verb.name, noun.name))
    thing = nps.noun_phrase(draft, noun, negated=negated, owner=subject_.who, adjectives=0.3)
    if draft.chance(0.5):
        pool = [
            w
            for w in (nps.ME, nps.HE, nps.SHE, nps.WE, nps.THEY)
            if w.person != subject_.who.person
        ]
        pool += [draft.you] * 3 if draft.you and subject_.who.person != 2 else []
        who = draft.rng.choice(pool)
        link = draft.link()
        clitic = object_clitic(replace(verb, french_preposition="à"), who, link)
        assert clitic is not None
        shown = clitic.english
        clitic.english = ""
        draft.phenomena.add("clitic")
        if verb.english.base in ("explain", "confess", "entrust", "return"):
            english = [*thing.english, ("to", link), (shown, link)]
        else:
            english = [(shown, link), *thing.english]
        return Complements((clitic,), thing, english, thing.french)
    receiver = (
        nps.name(draft)
        if draft.chance(0.3)
        else nps.noun_phrase(
            draft, nps.draw_noun(draft, "person"), owner=subject_.who, adjectives=0.2
        )
    )
    link = draft.link()
    english = [*thing.english, ("to", link), *receiver.english]
    return Complements((), thing, english, [*thing.french, ("à", link), *receiver.french])
