"""The verb with its helpers: tenses, negation, clitics and participles, in both languages."""

from dataclasses import dataclass, field

from authoring.grammar import conjugation
from authoring.grammar.draft import Draft, Person, Words
from authoring.grammar.lexicon import Verb
from authoring.grammar.listing import listed

LINKS = tuple[int, ...]

# Each tense in English (a helper and a form of the verb) and in French.
TENSES = {
    "present": ("", "finite", "present"),
    "progressive": ("be", "ing", "present"),
    "past": ("", "past", "compound"),
    "perfect": ("have", "participle", "compound"),
    "imperfect": ("were", "ing", "imperfect"),
    "state": ("", "past", "imperfect"),
    "used": ("used to", "base", "imperfect"),
    "future": ("will", "base", "future"),
    "near": ("be going to", "base", "near"),
    "conditional": ("would", "base", "conditional"),
    "pluperfect": ("had", "participle", "pluperfect"),
}
PHENOMENA = {
    "compound": "passe-compose-avoir",
    "imperfect": "imperfect",
    "future": "future",
    "near": "near-future",
    "conditional": "conditional",
    "pluperfect": "pluperfect",
}
NEGATIONS = {"not": "pas", "never": "jamais", "no longer": "plus"}
REFLEXIVES = ("me", "te", "se", "nous", "vous", "se")
MODALS = {
    "can": {
        "present": "can",
        "state": "could",
        "future": "will be able to",
        "conditional": "could",
    },
    "must": {"present": "must"},
    "would": {"present": "would"},
}
CONTRACTIONS = frozenset(listed("do does did is are was were has have had would could"))


@dataclass
class Clitic:
    """An object pronoun before the French verb, and its word after the English one.

    ``rank`` is its place among others: me te se nous vous, le la les, lui leur, y, en.
    """

    english: str
    french: str
    rank: int
    links: LINKS
    agrees: Person | None = None


@dataclass
class VerbGroup:
    """A verb with its helpers and pronouns, in parts that a question can rearrange."""

    english_finite: Words
    english_rest: Words
    french_before: Words
    french_finite: Words
    french_after: Words
    english_tail: Words = field(default_factory=list)

    @property
    def english(self) -> Words:
        """All of the English words."""
        return self.english_finite + self.english_rest

    @property
    def french(self) -> Words:
        """All of the French words."""
        return self.french_before + self.french_finite + self.french_after


def be(person: Person, past: bool) -> str:
    """am, is, are, was or were."""
    if person.plural or person.person == 2:
        return "were" if past else "are"
    if past:
        return "was"
    return "am" if person.person == 1 else "is"


def third(person: Person) -> bool:
    """Whether the English verb takes its -s."""
    return person.person == 3 and not person.plural


def english_verb(verb: Verb, tense: str, person: Person, split: bool) -> list[str]:
    """The English words of the verb: helpers first, the verb itself last.

    With ``split`` the first word can leave the rest (negation, question), if need be with "do".
    """
    helper, form, _ = TENSES[tense]
    forms = verb.english
    if forms.base in MODALS:
        return MODALS[forms.base][tense].split()
    if forms.base == "be" and not helper:
        return [be(person, form == "past")]
    main = {
        "ing": forms.ing,
        "participle": forms.participle,
        "past": forms.past,
        "base": forms.base,
        "finite": forms.third if third(person) else forms.base,
    }[form]
    if helper in ("be", "were", "be going to"):
        return [be(person, helper == "were"), *helper.split()[1:], main]
    if helper == "have":
        return ["has" if third(person) else "have", main]
    if helper == "used to" and split:
        return ["did", "use", "to", main]
    if helper:
        return [*helper.split(), main]
    if split:
        return ["did" if form == "past" else "does" if third(person) else "do", forms.base]
    return [main]


def french_verb(verb: Verb, tense: str, person: Person, agreeing: Person | None) -> list[str]:
    """The French words of the verb: the finite one, then a participle or an infinitive."""
    row = person.row
    name = TENSES[tense][2]
    if verb.english.base == "would":
        name = "conditional"
    forms = verb.french
    if name == "near":
        return [conjugation.conjugate("aller").present[row], forms.infinitive]
    if name in ("compound", "pluperfect"):
        helper = conjugation.conjugate("être" if verb.with_be else "avoir")
        finite = (helper.present if name == "compound" else helper.imperfect)[row]
        participle = forms.participle
        if agreeing is not None:
            participle = conjugation.agree(participle, agreeing.gender, agreeing.many)
        return [finite, participle]
    return [getattr(forms, name)[row]]


def verb_group(
    draft: Draft,
    verb: Verb,
    person: Person,
    tense: str,
    *,
    negation: str = "",
    clitics: tuple[Clitic, ...] = (),
    agrees: Person | None = None,
    question: bool = False,
    adverb: tuple[str, str] = ("", ""),
    body: bool = False,
) -> VerbGroup:
    """A verb in a tense.

    Args:
        draft: the sentence.
        verb: the verb.
        person: its subject.
        tense: one of `TENSES`.
        negation: "not", "never", "no longer" or empty.
        clitics: object pronouns before the French verb.
        agrees: the direct object that stands before the verb ("la lettre qu'il a écrite").
        question: whether English needs a word to put before the subject.
        adverb: an adverb in both languages that stands with the finite verb ("often").
        body: the object is a part of the body: the participle of a reflexive verb does not agree.
    """
    draft.uses(verb.name)
    first, last = draft.link(), draft.link()
    agreeing = _agreement(draft, verb, person, tense, clitics, agrees, body)
    left = english_verb(verb, tense, person, bool(question or negation == "not"))
    right = french_verb(verb, tense, person, agreeing)
    _note_tense(draft, verb, tense)
    one_french, one_english = len(right) == 1, len(left) == 1
    both = first + last
    fixed = draft.link() if verb.english_rest and verb.french_rest else last
    english_finite: Words = [(left[0], both if one_english else first)]
    rest: Words = [(w, first) for w in left[1:-1]] + ([] if one_english else [(left[-1], last)])
    mid = draft.link()
    if adverb[0]:
        place = 0 if left[0] in CONTRACTIONS | {"am", "will", "can"} and not one_english else None
        words = [(word, mid) for word in adverb[0].split()]
        if place is None and verb.english.base != "be":
            english_finite = words + english_finite
        else:
            rest = words + rest
    nothing = draft.link()
    if negation:
        english_finite, rest = _negate(draft, negation, english_finite, rest, nothing, verb)
    rest += [(word, fixed) for word in verb.english_rest]
    tail = pronouns_after(verb, clitics, last)
    before: Words = [("ne", nothing)] if negation else []
    pronouns = sorted([*_reflexive(draft, verb, person, last), *clitics], key=lambda c: c.rank)
    before += [(clitic.french, clitic.links) for clitic in pronouns]
    finite: Words = [(right[0], both if one_french else first)]
    after: Words = [(NEGATIONS[negation], nothing)] if negation else []
    after += [(word, mid) for word in adverb[1].split()] + [(word, last) for word in right[1:]]
    after += [(word, fixed) for word in verb.french_rest]
    if TENSES[tense][2] == "near":
        # The pronouns stand before the infinitive: "il va le manger".
        moved = before[1:] if negation else before
        before = before[: 1 if negation else 0]
        cut = len(NEGATIONS[negation].split()) if negation else 0
        cut += len(adverb[1].split())
        after = after[:cut] + moved + after[cut:]
    return VerbGroup(english_finite, rest, before, finite, after, tail)


def infinitive(
    draft: Draft, verb: Verb, person: Person, clitics: tuple[Clitic, ...] = ()
) -> tuple[Words, Words, LINKS]:
    """A verb in the infinitive with its pronouns: "eat it", "le manger"; and its link."""
    draft.uses(verb.name)
    last = draft.link()
    fixed = draft.link() if verb.english_rest and verb.french_rest else last
    english: Words = [(verb.english.base, last), *((word, fixed) for word in verb.english_rest)]
    pronouns = sorted([*_reflexive(draft, verb, person, last), *clitics], key=lambda c: c.rank)
    french: Words = [(clitic.french, clitic.links) for clitic in pronouns]
    french += [(verb.french.infinitive, last), *((word, fixed) for word in verb.french_rest)]
    if clitics:
        draft.phenomena.add("clitic")
    return english + pronouns_after(verb, clitics, last), french, last


def pronouns_after(verb: Verb, clitics: tuple[Clitic, ...], link: LINKS) -> Words:
    """What directly follows the English verb: its preposition before a pronoun, its particle."""
    spoken = [(clitic.english, clitic.links) for clitic in clitics if clitic.english]
    if spoken and verb.english_preposition and verb.kind == "transitive":
        spoken = [(verb.english_preposition, link), *spoken]
    return [*spoken, (verb.particle, link)] if verb.particle else spoken


def _reflexive(draft: Draft, verb: Verb, person: Person, link: LINKS) -> list[Clitic]:
    if not verb.reflexive:
        return []
    draft.phenomena.add("reflexive")
    return [Clitic("", REFLEXIVES[person.row], 0, link)]


def _negate(
    draft: Draft, negation: str, finite: Words, rest: Words, link: LINKS, verb: Verb
) -> tuple[Words, Words]:
    """The English side of a negation."""
    draft.phenomena.add("negation" if negation == "not" else "negation-other")
    word, links = finite[-1]
    if negation != "not":
        words = [(w, link) for w in negation.split()]
        if (rest and len(finite) == 1) or verb.english.base in ("be", "can", "must"):
            return finite, words + rest
        return words + finite, rest
    if word == "can":
        return [("cannot", links + link)], rest
    if word in CONTRACTIONS and draft.chance(0.4):
        return [*finite[:-1], (word + "n't", links + link)], rest
    return finite, [("not", link), *rest]


def _agreement(
    draft: Draft,
    verb: Verb,
    person: Person,
    tense: str,
    clitics: tuple[Clitic, ...],
    agrees: Person | None,
    body: bool,
) -> Person | None:
    """What the participle agrees with: the subject, an object before the verb, or nothing."""
    if clitics:
        draft.phenomena.add("clitic")
    if TENSES[tense][2] not in ("compound", "pluperfect"):
        return None
    if verb.with_be:
        return None if body else person
    if set(verb.french_rest) & {"tomber", "cuire"}:
        return None
    before = agrees or next((clitic.agrees for clitic in clitics if clitic.agrees), None)
    if before is not None:
        draft.phenomena.add("participle-agreement")
    return before


def _note_tense(draft: Draft, verb: Verb, tense: str) -> None:
    """Note the tense among the phenomena."""
    name = PHENOMENA.get(TENSES[tense][2])
    if name == "passe-compose-avoir" and verb.with_be:
        name = "passe-compose-etre"
    if name:
        draft.phenomena.add(name)


OBJECT_PRONOUNS = {
    (1, False): ("me", "me"),
    (2, False): ("you", "te"),
    (1, True): ("us", "nous"),
    (2, True): ("you", "vous"),
}


def object_clitic(verb: Verb, who: Person, links: tuple[int, ...]) -> Clitic | None:
    """The pronoun for an object; None if French has none before this verb."""
    human = who.human
    if who.person < 3:
        english, french = OBJECT_PRONOUNS[who.person, who.french_plural]
        if verb.french_preposition not in ("", "à") or verb.french.infinitive in (
            "penser",
            "faire",
        ):
            return None
        return Clitic(english, french, 1, links, None if verb.french_preposition else who)
    english = "them" if who.plural else ("her" if who.gender == "f" else "him") if human else "it"
    if not verb.french_preposition:
        french = "les" if who.french_plural else "la" if who.gender == "f" else "le"
        return Clitic(english, french, 2, links, who)
    if verb.french_preposition == "à" and verb.french.infinitive not in ("penser", "jouer"):
        french = ("leur" if who.french_plural else "lui") if human else "y"
        return Clitic(english, french, 3 if human else 4, links)
    if verb.french_preposition == "à" and not human and verb.french.infinitive == "penser":
        return Clitic(english, "y", 4, links)
    if verb.french_preposition == "de" and not human and verb.french.infinitive != "jouer":
        return Clitic(english, "en", 5, links)
    return None
