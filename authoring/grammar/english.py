"""The forms of English words: plurals, third persons, pasts, -ing forms, a or an."""

from dataclasses import dataclass

from authoring.grammar.listing import listed

DOUBLED = frozenset(
    listed(
        "stop plan drop knit cut run get put sit win dig swim hit shut rub begin forget cancel "
        "travel prefer admit"
    )
)


@dataclass(frozen=True)
class EnglishVerb:
    """The forms of an English verb: eat, eats, ate, eaten, eating."""

    base: str
    third: str
    past: str
    participle: str
    ing: str


def plural(noun: str) -> str:
    """The plural of a noun that follows the rules; of several words the last one takes it."""
    if noun.endswith(("s", "sh", "ch", "x")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def verb(forms: str) -> EnglishVerb:
    """The forms of a verb from ``"play"`` or ``"eat/ate/eaten"``."""
    base, *rest = forms.split("/")
    if base == "be":
        return EnglishVerb("be", "is", "was", "been", "being")
    past = rest[0] if rest else _past(base)
    third = {"have": "has", "go": "goes", "do": "does"}.get(base) or plural(base)
    return EnglishVerb(base, third, past, rest[1] if rest else past, ing_form(base))


def _past(base: str) -> str:
    if base in DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + "ed"


def ing_form(base: str) -> str:
    """The -ing form of a verb that follows the rules."""
    if base in DOUBLED:
        return base + base[-1] + "ing"
    if base in ("lie", "die", "tie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return base + "ing"


def article(word: str) -> str:
    """ "a" or "an" before a word: "an hour", "a university"."""
    if word.startswith(("hour", "honest", "heir")):
        return "an"
    if word.lower().startswith(("uni", "use", "euro", "one")) and not word.startswith("unin"):
        return "an" if word.startswith(("unim", "unf")) else "a"
    return "an" if word[0].lower() in "aeiou" else "a"
