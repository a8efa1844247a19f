"""Noun phrases: determiners, adjectives on either side, numbers, owners, names and pronouns."""

from authoring.grammar.adjective_order import clashes, first_said
from authoring.grammar.draft import NOTHING, Draft, Person, Phrase, Words
from authoring.grammar.english import article
from authoring.grammar.lexicon import Adjective, Menu, Noun
from authoring.grammar.listing import listed
from authoring.grammar.others import MEN, WOMEN
from authoring.grammar.quantities import LITTLE, NUMBER_MENU, NUMBERS, QUANTITIES, SMALL

OWNERS = {
    (1, False, "m"): ("my", "mon", "ma", "mes"),
    (2, False, "m"): ("your", "ton", "ta", "tes"),
    (3, False, "m"): ("his", "son", "sa", "ses"),
    (3, False, "f"): ("her", "son", "sa", "ses"),
    (1, True, "m"): ("our", "notre", "notre", "nos"),
    (2, True, "m"): ("your", "votre", "votre", "vos"),
    (3, True, "m"): ("their", "leur", "leur", "leurs"),
}
ME, WE = Person(1), Person(1, True, True)
HE, SHE, THEY = Person(), Person(gender="f"), Person(3, True, True)

SUBJECTS = {
    (1, False): ("I", "je", "je"),
    (2, False): ("you", "tu", "tu"),
    (1, True): ("we", "nous", "nous"),
    (2, True): ("you", "vous", "vous"),
    (3, False): ("he", "il", "elle"),
    (3, True): ("they", "ils", "elles"),
}
MEN_MENU, WOMEN_MENU = Menu(MEN, 0.8), Menu(WOMEN, 0.8)
SPECIAL = {"beau", "nouveau", "vieux"}
SERVING = frozenset(
    listed(
        "doctor gardener butcher baker hairdresser driver lawyer dentist patient client pupil cook"
    )
)
OPEN = frozenset(
    listed(
        "doctor baker farmer soldier thief hero painter writer judge mayor butcher carpenter "
        "driver gardener plumber sailor tailor hairdresser blacksmith shepherd watchmaker clown "
        "nurse dressmaker"
    )
)
FARM = frozenset(listed("horse cow sheep pig goat donkey mule hen duck goose"))
UNOWNED = frozenset(listed("nature village sky transit shop place plant bird art event song"))
ONLY_ONE = frozenset(listed("father mother husband wife"))
BARE = frozenset(listed("truth equality police"))
UNIQUE = frozenset(
    listed("sun moon sky sea rain snow wind fog lightning ivy equality truth police")
)


def owner_words(owner: Person) -> tuple[str, str, str, str]:
    """The possessives of an owner: English, then French masculine, feminine and plural."""
    # For "you" the French number counts (one person may be "vous"), else the English one.
    plural = owner.french_plural if owner.person == 2 else owner.plural
    gender = owner.gender if owner.person == 3 and not plural else "m"
    if owner.person == 3 and not owner.human and not plural:
        return ("its", "son", "sa", "ses")
    return OWNERS[owner.person, plural, gender]


def some_owner(draft: Draft, subject: Person | None) -> Person:
    """The owner of a thing: mostly the subject."""
    if subject is not None and subject.human and draft.chance(0.7):
        return subject
    owners = [ME, HE, SHE, WE, THEY] + ([draft.you] if draft.you else [])
    return draft.rng.choice(owners)


def name(draft: Draft) -> Phrase:
    """A first name."""
    gender = draft.rng.choice("mf")
    text = (MEN_MENU if gender == "m" else WOMEN_MENU).draw(draft.rng)
    if text in draft.lexemes:
        text = "Paul" if gender == "m" else "Marie"
    draft.uses(text)
    link = draft.link()
    return Phrase([(text, link)], [(text, link)], Person(gender=gender))


def pronoun(draft: Draft, who: Person, *, things: bool = False) -> Phrase:
    """A subject pronoun; ``things`` for "it"."""
    key = (who.person, who.french_plural if who.person == 2 else who.plural)
    english = "it" if things and not who.plural else SUBJECTS[key][0]
    if english == "he" and who.gender == "f":
        english = "she"
    french = SUBJECTS[who.person, who.french_plural][1 + (who.gender == "f")]
    link = draft.link()
    return Phrase([(english, link)], [(french, link)], who, pronoun=True)


def draw_noun(draft: Draft, *types: str) -> Noun:
    """A noun of one of the types, preferably one that the sentence does not hold yet."""
    menu = draft.lexicon.nouns_of(*types)
    noun = menu.draw(draft.rng)
    for _ in range(4):
        if noun.name not in draft.lexemes:
            break
        noun = menu.draw(draft.rng)
    return noun


def numbers(draft: Draft, noun: Noun, plural: bool) -> tuple[bool, bool]:
    """Whether the noun stands in the plural, in English and in French."""
    forced = {"singular": False, "plural": True}
    english = forced.get(noun.english_number, forced.get(noun.french_number, plural))
    french = forced.get(noun.french_number, plural and noun.english_number == "both")
    if english != french:
        draft.phenomena.add("number-differs")
    return english, french


def noun_phrase(
    draft: Draft,
    noun: Noun,
    *,
    determiner: str = "",
    owner: Person | None = None,
    negated: bool = False,
    adjectives: float = 0.3,
    plural: float = 0.3,
    subject: bool = False,
) -> Phrase:
    """A noun with its determiner and adjectives.

    Args:
        draft, noun: the sentence and the noun.
        determiner: one of those in `_determiner`; empty: by chance.
        owner: the likeliest owner.
        negated: whether it is the object of a negated verb ("pas *de* pain").
        adjectives: probability of an adjective.
        plural: probability of the plural, where there is a choice.
        subject: whether it is a subject: "some men" is then "certains hommes", not "des hommes".
    """
    mass = noun.english_number != "both" or noun.french_number != "both"
    kind = determiner or _kind(draft, noun, mass)
    if negated and kind in ("number", "quantity", "little", "all"):
        kind = "some" if mass else "a"
    if draft.ordering and noun.human and kind in ("a", "number", "quantity", "all"):
        kind = "the"
    if noun.english[0] in ONLY_ONE:
        plural = 0.0
        kind = kind if kind in ("the", "owner") else "the"
    wants_plural = kind in ("number", "quantity", "all") or draft.chance(plural)
    english_plural, french_plural = numbers(draft, noun, wants_plural and not mass)
    if kind in ("a", "some") and (subject or draft.definite):
        if mass or (draft.definite and french_plural):
            kind = "the"
        elif french_plural:
            kind = "certain"
    draft.uses(noun.name)
    link = draft.link()
    english = [(word, link) for word in (noun.english_plural if english_plural else noun.english)]
    french = [(word, link) for word in (noun.french_plural if french_plural else noun.french)]
    if draft.chance(adjectives) and kind != "bare" and noun.english[0] not in BARE:
        english, french, before = _adjectives(draft, noun, english, french, french_plural)
    else:
        before = False
    who = Person(3, english_plural, french_plural, noun.gender, noun.human)
    draft.neutral |= not english_plural and (
        noun.other is not None or noun.english[0] in OPEN or "epicene" in noun.types
    )
    if french[0][0] in draft.lexicon.aspirated:
        draft.phenomena.add("h-aspire")
    left, right = _determiner(draft, kind, who, english[0][0], owner, negated, before, noun)
    counted = not (mass or french_plural)
    no_article = french if kind in ("a", "some") and (negated or not counted) else None
    return Phrase(left + english, right + french, who, noun, after_de=no_article)


def _kind(draft: Draft, noun: Noun, mass: bool) -> str:
    """Draw a kind of determiner that suits the noun."""
    x = draft.rng.random()
    types = noun.types
    if noun.english[0] in UNIQUE or ("sky" in types and noun.english_number == "singular"):
        return "the"
    if "game" in types:
        return "bare"
    if "meal" in types and mass:
        return "bare" if x < 0.4 else "owner"
    if mass:
        some = (
            "stuff" in types
            or "money" in types
            or (
                noun.french_number == "plural"
                and (
                    noun.english[0] in ("clothes", "people")
                    or (noun.english_number == "singular" and noun.english[0] != "homework")
                )
            )
        )
        if some and x < 0.4:
            return "some"
        if "stuff" in types and x < 0.52:
            return "little"
        return "the" if x < 0.75 or "stuff" in types else "owner" if x < 0.93 else "this"
    if "kin" in types or "body" in types:
        return "owner" if x < 0.85 else "the"
    for limit, kind in (
        (0.4, "the"),
        (0.62, "a"),
        (0.77, "owner"),
        (0.84, "this"),
        (0.91, "number"),
        (0.97, "quantity"),
    ):
        if x < limit:
            return "the" if kind == "owner" and not ownable(noun) else kind
    return "all"


def ownable(noun: Noun) -> bool:
    """Whether "my" suits the noun."""
    if noun.human:
        return noun.english[0] in SERVING
    if "animal" in noun.types:
        return "pet" in noun.types or noun.english[0] in FARM
    return not UNOWNED & set(noun.types)


def _determiner(
    draft: Draft,
    kind: str,
    who: Person,
    following: str,
    owner: Person | None,
    negated: bool,
    before: bool,
    noun: Noun,
) -> tuple[Words, Words]:
    """A determiner of a kind, in both languages."""
    link = draft.link()
    feminine, plural = who.gender == "f", who.french_plural
    the = ["LES"] if plural else ["LA"] if feminine else ["LE"]
    if kind == "bare":
        return [], [(word, NOTHING) for word in the]
    if kind == "the":
        return [("the", link)], [(the[0], link)]
    if kind in ("a", "some"):
        return _indefinite(draft, who, following, negated, before, noun)
    if kind == "owner":
        chosen = _fitting(draft, noun, some_owner(draft, owner))
        draft.phenomena.add("possessive")
        english, *forms = owner_words(chosen)
        return [(english, link)], [(forms[2] if plural else forms[feminine], link)]
    if kind == "this":
        far = draft.chance(0.3)
        english = ("those" if far else "these") if who.plural else "that" if far else "this"
        return [(english, link)], [("ces" if plural else "cette" if feminine else "ce", link)]
    if kind == "certain":
        return [("some", link)], [("certaines" if feminine else "certains", link)]
    if kind == "all":
        all_ = draft.link()
        if not who.plural:
            return [("the", link)], [(the[0], link)]
        words = [("toutes" if feminine else "tous", all_), ("les", link)]
        return [("all", all_), ("the", link)], words
    if kind == "number":
        draft.phenomena.add("number")
        left, right = NUMBER_MENU.draw(draft.rng)
        if noun.human or "animal" in noun.types or draft.chance(0.5):
            left = SMALL.draw(draft.rng)
            right = NUMBERS[left]
        draft.uses(left)
        if feminine and right.endswith("un"):
            right += "e"
    else:
        left, right = (LITTLE if kind == "little" else QUANTITIES).draw(draft.rng)
        if (
            kind == "quantity"
            and left in ("too many", "enough")
            and not {"food", "portable"} & set(noun.types)
        ):
            left, right = "several", "plusieurs"
    return [(word, link) for word in left.split()], [(word, link) for word in right.split()]


def _indefinite(
    draft: Draft, who: Person, following: str, negated: bool, before: bool, noun: Noun
) -> tuple[Words, Words]:
    """a, some, any or nothing; un, une, du, de la, des or de."""
    link = draft.link()
    feminine = who.gender == "f"
    # "trousers": a plural in English, but counted in French.
    pair = noun.english_number == "plural" and noun.french_number == "both"
    counted = pair or not (noun.english_number == "singular" or who.plural or who.french_plural)
    if pair:
        english = [("a", link), ("pair", link), ("of", link)]
    elif counted:
        english = [(article(following), link)]
    elif negated:
        english = [("any", link)]
    else:
        english = [("some", link)] if draft.chance(0.7) else []
    if negated:
        draft.phenomena.add("pas-de")
        return english, [("de", link)]
    if counted:
        return english, [("une" if feminine else "un", link)]
    draft.phenomena.add("partitive" if not who.french_plural else "indefinite-plural")
    if who.french_plural and before:
        return english, [("de", link)]
    return english, [
        ("de", link),
        ("LES" if who.french_plural else "LA" if feminine else "LE", link),
    ]


def adjective_for(draft: Draft, noun: Noun, *, predicate: bool = False) -> Adjective | None:
    """An adjective that goes with the noun; None if there is none."""
    menus = draft.lexicon.adjectives_of if predicate else draft.lexicon.attributes_of
    fitting = [menus[type_] for type_ in noun.types if type_ in menus]
    if not fitting:
        return None
    adjective = draft.rng.choice(fitting).draw(draft.rng)
    if adjective.name in draft.lexemes or clashes(draft, adjective, noun):
        return None
    draft.uses(adjective.name)
    draft.combinations.append(("adjective", adjective.name, noun.name))
    return adjective


def _adjectives(
    draft: Draft, noun: Noun, english: Words, french: Words, plural: bool
) -> tuple[Words, Words, bool]:
    """The noun with one or two adjectives, and whether one stands before it in French."""
    before = False
    said: list[tuple[Adjective, Words]] = []
    for _ in range(2 if draft.chance(0.2) else 1):
        adjective = adjective_for(draft, noun)
        if adjective is None or (said and adjective.before == said[0][0].before):
            if adjective is not None:
                draft.lexemes.pop()
                draft.combinations.pop()
            break
        link = draft.link()
        forms = [(word, link) for word in adjective.french[noun.gender, plural]]
        if adjective.before:
            before = True
            draft.phenomena.add("adjective-before")
            if forms[0][0] in SPECIAL and not plural and noun.gender == "m":
                forms = [(forms[0][0] + "+", link)]
            french = forms + french
        else:
            draft.phenomena.add("adjective-after")
            french = french + forms
        said.append((adjective, [(word, link) for word in adjective.english.split()]))
    if len(said) == 2 and said[1][0] is first_said(said[0][0], said[1][0]):
        said.reverse()
    return [word for _, words in said for word in words] + english, french, before


def _fitting(draft: Draft, noun: Noun, owner: Person) -> Person:
    """The owner, or another who may have such a thing: no "our wife", no "their finger"."""
    spouse = {"husband": SHE, "wife": HE}.get(noun.english[0])
    if spouse and (owner.plural or (owner.person == 3 and owner.gender == noun.gender)):
        return draft.rng.choice((ME, spouse))
    if "body" in noun.types and owner.plural:
        return draft.rng.choice((ME, HE, SHE))
    return owner


def owned(draft: Draft, thing: Phrase, owner: Phrase) -> Phrase:
    """ "Paul's car" or "the roof of the house": an owner after "de" in French.

    The determiner of ``thing`` is "the", which gives way to an English owner with 's.
    """
    of = draft.link()
    draft.phenomena.add("of")
    if owner.who.human and not owner.who.plural:
        english = [*owner.english, ("'s", of), *thing.english[1:]]
        french = [(thing.french[0][0], NOTHING), *thing.french[1:]]
    else:
        english = [*thing.english, ("of", of), *owner.english]
        french = thing.french
    return Phrase(
        english, [*french, ("de", of), *owner.french], thing.who, thing.noun, distant=True
    )
