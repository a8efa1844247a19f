"""Places: at the station, in the kitchen, under a table, in France, to Paris, from Japan."""

from authoring.grammar import noun_phrases as nps
from authoring.grammar.draft import Draft, Words
from authoring.grammar.lexicon import Menu, Verb
from authoring.grammar.listing import entries
from authoring.grammar.others import CITIES, COUNTRIES
from authoring.grammar.surface import CONTRACTED

# Type of noun, English preposition, French preposition; the frequent ones first.
PLACES = Menu(
    [
        ("room", "in", "dans"),
        ("place", "at", "à"),
        ("shop", "in", "dans"),
        ("village", "in", "dans"),
        ("building", "near", "près de"),
        ("building", "behind", "derrière"),
        ("nature", "near", "près de"),
        ("shop", "opposite", "en face de"),
        ("building", "in front of", "devant"),
        ("tree", "under", "sous"),
        ("place", "near", "près de"),
        ("room", "at the back of", "au fond de"),
        ("bench", "on", "sur"),
    ],
    0.6,
)
CITY_MENU = Menu([(c.partition(" = ")[0], c.rpartition(" = ")[2]) for c in entries(CITIES)])
COUNTRY_MENU = Menu([(c.partition(" = ")[0], c.rpartition(" = ")[2]) for c in entries(COUNTRIES)])
FOR_ANIMALS = (
    "garden",
    "house",
    "kitchen",
    "courtyard",
    "barn",
    "forest",
    "bedroom",
    "garage",
    "cave",
)
# These nouns take another preposition.
SHUNNED = frozenset((("in", "square"), ("in", "terrace"), ("near", "countryside")))
FROM = {"en": "de", "au": "du", "aux": "des"}


def prepositional(draft: Draft, type_: str, english: str, french: str) -> tuple[Words, Words]:
    """A preposition and a noun of the type."""
    noun = nps.draw_noun(draft, type_)
    while (english, noun.english[0]) in SHUNNED:
        noun = nps.draw_noun(draft, type_)
    determiner = (
        "the" if draft.chance(0.75) or french == "à" else "a" if draft.chance(0.5) else "this"
    )
    if noun.english_number != "both":
        determiner = "the"
    phrase = nps.noun_phrase(draft, noun, determiner=determiner, adjectives=0.2, plural=0.0)
    link = draft.link()
    draft.phenomena.add("place")
    return (
        [*((word, link) for word in english.split()), *phrase.english],
        [*((word, link) for word in french.split()), *phrase.french],
    )


def town_or_country(draft: Draft, preposition: str) -> tuple[Words, Words]:
    """ "in", "to" or "from" a town or a country: à Paris, en France, au Japon, du Japon."""
    link, place_link = draft.link(), draft.link()
    draft.phenomena.add("place")
    if draft.chance(0.5):
        english, french = CITY_MENU.draw(draft.rng)
        draft.uses(english)
        before = "de" if preposition == "from" else "à"
        return [(preposition, link), (english, place_link)], [(before, link), (french, place_link)]
    english, french = COUNTRY_MENU.draw(draft.rng)
    draft.uses(english)
    before, *name = french.split()
    if preposition == "from":
        before = FROM[before]
    if before in CONTRACTED.values():
        draft.phenomena.add("contraction")
    return (
        [(preposition, link), *((word, place_link) for word in english.split())],
        [(before, link), *((word, place_link) for word in name)],
    )


def place(draft: Draft) -> tuple[Words, Words]:
    """Where something happens."""
    if draft.chance(0.25):
        return town_or_country(draft, "in")
    return prepositional(draft, *PLACES.draw(draft.rng))


ANIMAL_PLACES = (
    ("in", "dans", "garden"),
    ("under", "sous", "table"),
    ("in", "dans", "barn"),
    ("in front of", "devant", "house"),
    ("on", "sur", "bed"),
    ("near", "près de", "river"),
    ("behind", "derrière", "door"),
    ("in", "dans", "field"),
    ("under", "sous", "tree"),
)


def animal_place(draft: Draft) -> tuple[Words, Words]:
    """Where an animal may be."""
    english, french, noun = draft.rng.choice(ANIMAL_PLACES)
    return prepositional(draft, noun, english, french)


def motion_place(draft: Draft, verb: Verb) -> tuple[Words, Words]:
    """Where a verb of motion leads, by what it asks for.

    The prepositions of "go into" belong to the verb and are left out here.
    """
    asked = verb.objects[0]
    if "transit" in verb.subjects:
        return town_or_country(draft, "in" if asked == "at" else asked)
    if asked == "into":
        french = verb.french_preposition
        animal = "animal" in verb.subjects
        type_ = draft.rng.choice(
            FOR_ANIMALS if animal else ("room", "shop", "shop", "castle", "church", "house")
        )
        english, right = prepositional(draft, type_, "in", french)
        return english[1:], right[len(french.split()) :]
    if asked == "at":
        live = verb.french.infinitive == "habiter"
        if draft.chance(0.5) or live:
            return town_or_country(draft, "in")
        return prepositional(draft, "place", "at", "à")
    origin = verb.english.base == "come" and not verb.english_rest
    if origin or (draft.chance(0.3) and verb.english.base != "walk"):
        return town_or_country(draft, asked)
    if asked == "to" and draft.chance(0.2):
        return someones(draft)
    type_ = "place" if draft.chance(0.6) else "shop"
    return prepositional(draft, type_, asked, "de" if asked == "from" else "à")


def someones(draft: Draft) -> tuple[Words, Words]:
    """ "to my aunt's": chez ma tante."""
    phrase = nps.noun_phrase(
        draft, nps.draw_noun(draft, "kin"), determiner="owner", plural=0.0, adjectives=0
    )
    link = draft.link()
    return [("to", link), *phrase.english, ("'s", link)], [("chez", link), *phrase.french]
