"""Sentences that the two languages build in different ways."""

from authoring.grammar import noun_phrases as nps
from authoring.grammar import others
from authoring.grammar.clause import BE, Clause, choose_tense
from authoring.grammar.clauses import infinitive_phrase, person, predicate, with_relative
from authoring.grammar.compound import again, event
from authoring.grammar.draft import Both, Draft, Person, Phrase, Words, fixed
from authoring.grammar.english import ing_form
from authoring.grammar.lexicon import Noun, Verb
from authoring.grammar.listing import entries
from authoring.grammar.places import CITY_MENU, place, prepositional
from authoring.grammar.quantities import NUMBER_MENU, NUMBERS, SMALL
from authoring.grammar.timing import joined, with_time
from authoring.grammar.verb_groups import object_clitic, verb_group

THERE = (
    ("person", "place", "at", "à"),
    ("person", "village", "in", "dans"),
    ("person", "room", "in", "dans"),
    ("animal", "nature", "near", "près de"),
    ("animal", "garden", "in", "dans"),
    ("animal", "barn", "in", "dans"),
    ("portable", "table", "on", "sur"),
    ("portable", "drawer", "in", "dans"),
    ("portable", "bed", "under", "sous"),
    ("food", "kitchen", "in", "dans"),
    ("food", "table", "on", "sur"),
    ("dishes", "cupboard", "in", "dans"),
    ("clothes", "wardrobe", "in", "dans"),
    ("clothes", "armchair", "on", "sur"),
    ("furniture", "room", "in", "dans"),
    ("shop", "village", "in", "dans"),
    ("building", "nature", "near", "près de"),
    ("text", "desk", "on", "sur"),
    ("tree", "house", "behind", "derrière"),
    ("device", "living room", "in", "dans"),
    ("plant", "garden", "in", "dans"),
)


def there_is(draft: Draft) -> Both:
    """ "There are two cats in the garden": il y a."""
    type_, *spot = draft.rng.choice(THERE)
    where, there = prepositional(draft, *spot)
    noun = nps.draw_noun(draft, type_)
    while "kin" in noun.types:
        noun = nps.draw_noun(draft, type_)
    mass = noun.english_number != "both" or noun.french_number != "both"
    negated = draft.chance(0.15)
    kind = "some" if mass else draft.rng.choice(("a", "a", "number", "quantity"))
    if negated:
        kind = "some" if mass else "a"
    thing = nps.noun_phrase(
        draft, noun, determiner=kind, negated=negated, plural=0.5, adjectives=0.4
    )
    past = draft.chance(0.3)
    draft.era = "past" if past else "present"
    link, nothing = draft.link(), draft.link()
    many = thing.who.plural and ("pair", thing.english[0][1]) not in thing.english
    verb = ("were" if past else "are") if many else ("was" if past else "is")
    left = [("there", link), (verb, link)]
    have: Words = [("y", link), ("avait" if past else "a", link)]
    if negated:
        draft.phenomena.add("negation")
        if thing.english[0][0] in ("a", "an"):
            thing.english[0] = ("no", nothing)
        else:
            left.append(("not", nothing))
        have = [("ne", nothing), *have, ("pas", nothing)]
    if draft.chance(0.3):
        seen = with_relative(draft, thing, 1, 0.4)
        if seen is not thing:  # With a place, "a comb that she lost" would say where.
            draft.phenomena.discard("place")
            thing, where, there = seen, [], []
    draft.phenomena.add("il-y-a")
    return [*left, *thing.english, *where], [("il", link), *have, *thing.french, *there]


def weather(draft: Draft) -> Both:
    """ "It was raining when …", "It is cold, but …"."""
    weathers = [entry.split(" = ") for entry in entries(others.WEATHER)]
    entry = weathers[min(int(draft.rng.expovariate(0.35)), len(weathers) - 1)]
    past = draft.chance(0.5)
    draft.era = "past" if past else "present"
    sky = fixed(draft, entry[2] if past else entry[0], entry[3] if past else entry[1])
    style = draft.rng.choice(("because", "so", "when", "but"))
    who = person(draft, depth=1)
    main = predicate(
        draft,
        who,
        "simple past" if past else "present",
        depth=1,
        kind=event(draft),
        negation="" if style == "when" and past else None,
    )
    draft.uses(entry[0])
    draft.phenomena.add("subordinate" if style in ("because", "when") else "coordination")
    if style == "because":
        return joined(draft, main.statement(), "because", "parce que", sky)
    if style == "when" and past:
        if main.verb.stative:
            return joined(draft, sky, ", and", ", et", main.statement())
        return joined(draft, sky, "when", "quand", main.statement())
    word = (", but", ", mais") if style == "but" else (", so", ", donc")
    return joined(draft, sky, *word, main.statement())


DURATIONS = dict(entry.split(" = ") for entry in entries(others.DURATIONS))
SHORT, LASTING = ("hours", "minutes"), ("years", "months", "weeks", "days")

LAST = {
    "sleep": SHORT,
    "wait": SHORT,
    "cry": SHORT,
    "snore": SHORT,
    "dance": SHORT,
    "read": SHORT,
    "sing": SHORT,
    "rest": SHORT,
    "work": LASTING,
    "study": LASTING,
    "travel": LASTING,
}


def since_or_for(draft: Draft) -> Both:
    """ "has been working for two years": travaille depuis deux ans."""
    who = person(draft, pronouns=0.4, depth=1)
    menu = draft.lexicon.verbs_of("intransitive", "person")
    verb = menu.draw(draft.rng)
    while verb.english.base not in LAST or verb.english_rest:
        verb = menu.draw(draft.rng)
    group = verb_group(draft, verb, who.who, "present")
    links = group.french_finite[0][1]
    has = "has" if who.who.person == 3 and not who.who.plural else "have"
    english: Words = [(has, links), ("been", links), (verb.english.ing, links)]
    where, there = place(draft) if "where" in verb.objects and draft.chance(0.5) else ([], [])
    number, count, unit = draft.link(), draft.link(), draft.link()
    words, right = NUMBER_MENU.draw(draft.rng)
    if draft.chance(0.7):
        words = SMALL.draw(draft.rng)
        right = NUMBERS[words]
    units = draft.rng.choice(LAST[verb.english.base])
    plural, gender = DURATIONS[units].split()
    if gender == "f" and right.endswith("un"):
        right += "e"
    draft.uses(words)
    draft.phenomena |= {"number", "depuis"}
    if who.noun:
        draft.combinations.append(("subject", who.noun.name, verb.name))
    return (
        [
            *who.english,
            *english,
            *where,
            ("for", number),
            *((w, count) for w in words.split()),
            (units, unit),
        ],
        [
            *who.french,
            *group.french,
            *there,
            ("depuis", number),
            *((w, count) for w in right.split()),
            (plural, unit),
        ],
    )


def in_order_to(draft: Draft) -> Both:
    """ "to buy bread": pour acheter du pain; before going: avant de; without: sans."""
    frame = draft.frame("simple past", "future", "present")
    who = person(draft)
    style = draft.rng.choice(("to", "to", "to", "before", "without"))
    kind = "motion" if style == "to" else "transitive"
    first = predicate(draft, who, frame, kind=kind, negation="", depth=1, acts=True)
    statement = with_time(draft, first, 0.1)
    english, french = infinitive_phrase(draft, who, 1, objects=True, negated=style == "without")
    draft.phenomena.add("infinitive")
    link = draft.link()
    if style == "to":
        return [*statement[0], ("to", link), *english], [*statement[1], ("pour", link), *french]
    word, links = english[0]
    left: Words = [(style, link), (ing_form(word), links), *english[1:]]
    right: Words = [("avant", link), ("de", link)] if style == "before" else [("sans", link)]
    return statement[0] + left, [*statement[1], *right, *french]


def who_is_it(draft: Draft) -> Both:
    """ "My neighbour sold her car": only "her" tells that it is a voisine."""
    noun = nps.draw_noun(draft, "epicene")
    if noun.other is not None and draft.chance(0.6):
        noun = noun.other
    phrase = nps.noun_phrase(
        draft,
        noun,
        plural=0.0,
        determiner=draft.rng.choice(
            ("the", "owner") if "kin" in noun.types else ("the", "this", "a")
        ),
        adjectives=0.3,
    )
    frame = draft.frame("past", "simple past", "present", "simple future")
    draft.phenomena.add("gender-from-context")
    if draft.chance(0.5):
        verb = draft.lexicon.verbs_of("transitive", "person").draw(draft.rng)
        for _ in range(12):
            thing = draft.lexicon.nouns_of(*verb.objects).draw(draft.rng)
            if (
                not verb.stative
                and thing.english_number == "both"
                and not (nps.UNOWNED | {"game", "person"}) & set(thing.types)
            ):
                break
            verb = draft.lexicon.verbs_of("transitive", "person").draw(draft.rng)
        return _with_own(draft, phrase, verb, thing, frame)
    first = predicate(draft, phrase, frame, depth=1)
    second = predicate(draft, again(draft, phrase), frame, depth=1)
    english, french = draft.rng.choice(
        (("because", "parce que"), ("and", "et"), (", but", ", mais"))
    )
    return joined(draft, first.statement(), english, french, second.statement())


def _with_own(draft: Draft, phrase: Phrase, verb: Verb, thing: Noun, frame: str) -> Both:
    """A verb with a thing that belongs to its subject."""
    assert phrase.noun is not None
    draft.combinations.append(("object", verb.name, thing.name))
    draft.combinations.append(("subject", phrase.noun.name, verb.name))
    draft.phenomena.add("possessive")
    object_ = nps.noun_phrase(draft, thing, determiner="the", adjectives=0.3)
    english, *forms = nps.owner_words(phrase.who)
    links = draft.link()
    form = forms[2] if object_.who.french_plural else forms[object_.who.gender == "f"]
    tense = choose_tense(draft, verb, frame)
    group = verb_group(draft, verb, phrase.who, tense)
    verb_links = group.english[-1][1]
    left: Words = [(verb.english_preposition, verb_links)] if verb.english_preposition else []
    right: Words = [(verb.french_preposition, verb_links)] if verb.french_preposition else []
    clause = Clause(
        phrase,
        verb,
        group,
        [*left, (english, links), *object_.english[1:]],
        [*right, (form, links), *object_.french[1:]],
        object_,
        tense,
    )
    return with_time(draft, clause, 0.2)


def compared(draft: Draft) -> Both:
    """ "is older than the church": plus vieux que."""
    type_ = draft.rng.choice(
        ("person", "person", "animal", "building", "vehicle", "clothes", "text", "shop", "portable")
    )
    if type_ == "person":
        who = person(draft, pronouns=0.2)
        other = (
            nps.name(draft)
            if draft.chance(0.4)
            else nps.noun_phrase(
                draft, nps.draw_noun(draft, type_), determiner="the", adjectives=0.1, plural=0.2
            )
        )
        noun = None
    else:
        noun = nps.draw_noun(draft, type_)
        who = nps.noun_phrase(
            draft, noun, determiner=draft.rng.choice(("the", "this")), adjectives=0.1
        )
        other_noun = nps.draw_noun(draft, type_)
        other = nps.noun_phrase(draft, other_noun, determiner="the", adjectives=0.1)
    menu = draft.lexicon.adjectives_of[type_]
    while True:
        adjective = menu.draw(draft.rng)
        if adjective.comparative:
            break
    draft.uses(adjective.name)
    if noun is not None:
        draft.combinations.append(("adjective", adjective.name, noun.name))
    tense = draft.rng.choice(("present", "present", "state"))
    group = verb_group(draft, BE, who.who, tense)
    more, word, than = draft.link(), draft.link(), draft.link()
    form = [(w, word) for w in adjective.french[who.who.gender, who.who.french_plural]]
    draft.phenomena |= {"comparison", "predicate-adjective"}
    if draft.chance(0.3):
        left: Words = [("as", more), (adjective.english, word), ("as", than)]
        right: Words = [("aussi", more), *form, ("que", than)]
    else:
        left = [(adjective.comparative, more + word), ("than", than)]
        right = [("plus", more), *form, ("que", than)]
    return (
        [*who.english, *group.english, *left, *other.english],
        [*who.french, *group.french, *right, *other.french],
    )


def missed(draft: Draft) -> Both:
    """ "I miss my sister": ma sœur me manque, the other way round."""
    verb = draft.lexicon.verbs_of("missing", "person").items[0]
    who = person(draft, depth=2, pronouns=0.6)
    place_link = draft.link()
    if who.noun is None and not who.pronoun and draft.chance(0.5):
        target = nps.name(draft)
    elif draft.chance(0.15):
        city, ville = CITY_MENU.draw(draft.rng)
        draft.uses(city)
        target = Phrase([(city, place_link)], [(ville, place_link)], Person())
    else:
        noun = nps.draw_noun(draft, draft.rng.choice(("kin", "kin", "pet")))
        target = nps.noun_phrase(draft, noun, owner=who.who, determiner="owner", adjectives=0.15)
    past = draft.chance(0.3)
    draft.uses(verb.name)
    draft.phenomena.add("other-way-round")
    link = draft.link()
    alone = who.who.person == 3 and not who.who.plural
    english = [("missed" if past else "misses" if alone else "miss", link)]
    row = target.who.row
    form = (verb.french.imperfect if past else verb.french.present)[row]
    if who.pronoun:
        clitic = object_clitic(verb, who.who, who.english[0][1])
        assert clitic is not None
        draft.phenomena.add("clitic")
        french = [*target.french, (clitic.french, clitic.links), (form, link)]
    else:
        to = [("à", link)]
        receiver = who.french
        if who.second is not None:  # "au juge et à un jardinier"
            cut = len(receiver) - len(who.second)
            receiver = [*receiver[:cut], *to, *who.second]
        french = [*target.french, (form, link), *to, *receiver]
    return [*who.english, *english, *target.english], french
