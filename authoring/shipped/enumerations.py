"""Enumerations, as the shipped translator learns them: words of one kind, in both languages.

A slot of a template names how the words are joined, a form and a kind of ``typed/lists.tsv``:
``{and goods}`` gives *bread, milk and eggs*, *du pain, du lait et des œufs*; ``{or the goods}``
*the bread, the milk or the eggs*, ``{or shared the goods}`` *the bread, milk or eggs*, in French
both *le pain, le lait ou les œufs*. In the table a ``*`` stands before an aspirated h.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

Texts = tuple[str, str]

_TABLE = Path(__file__).parent / "typed" / "lists.tsv"
_COUNTS = {"and": (2, 3, 3, 3, 4, 4, 5), "or": (2, 2, 3, 3, 4), "row": (3, 3, 4, 5), "one": (1,)}
_ARTICLE = re.compile(r"^(?:du|de la|des|une?) |^de l'")
_VOWEL = re.compile(r"[aeiouyhâàéèêîôœAEÉIOU]")


@cache
def _words(kind: str) -> list[Texts]:
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return [(english, french) for name, english, french in rows if name == kind]


def enumeration(slot: str, random: Random) -> Texts:
    """Return one to five words of a kind, joined in both languages.

    Args:
        slot: ``and``, ``or``, ``row`` (commas alone) or ``one``; ``shared`` where English says
            the determiner once; a form (``the``, ``this``, ``any``, ``of``, ``my`` or ``two``; none
            leaves the words as the table has them); a kind.
        random: decides which.
    """
    how, *forms, kind = slot.split()
    pairs = random.sample(_words(kind), random.choice(_COUNTS[how]))
    for form in forms:
        if form != "shared":
            pairs = [_FORMS[form](pair, random) for pair in pairs]
    english, french = [e for e, _ in pairs], [f.replace("*", "") for _, f in pairs]
    if "shared" in forms:
        english[1:] = [word.split(" ", 1)[1] for word in english[1:]]
    comma = "," if len(english) > 2 and random.random() < 0.4 else ""
    return _joined(english, how, comma), _joined(french, {"and": "et", "or": "ou"}.get(how, ""))


def word_of(kind: str, number: int) -> Texts:
    """Return the word of a kind that stands at this place of the table."""
    return _words(kind)[number]


def _joined(words: list[str], conjunction: str, comma: str = "") -> str:
    if conjunction in ("", "row", "one"):
        return ", ".join(words)
    return f"{', '.join(words[:-1])}{comma} {conjunction} {words[-1]}"


def _the(pair: Texts, _: Random) -> Texts:
    """*The apples*, *les pommes*; of a thing with "a", *the dog*, *le chien*."""
    return f"the {_bare(pair[0])}", _definite(pair[1])


def _this(pair: Texts, _: Random) -> Texts:
    """*This shirt*, *cette chemise*; of a thing with "a"."""
    noun = _ARTICLE.sub("", pair[1])
    masculine = "cet" if _VOWEL.match(noun) else "ce"
    return (
        f"this {_bare(pair[0])}",
        f"{'cette' if pair[1].startswith('une ') else masculine} {noun}",
    )


def _any(pair: Texts, _: Random) -> Texts:
    """*Apples* as a kind, *les pommes*."""
    return pair[0], _definite(pair[1])


def _of(pair: Texts, _: Random) -> Texts:
    """*Apples* after a French *de*: *de pommes*, *d'oranges*."""
    noun = _ARTICLE.sub("", pair[1])
    return pair[0], ("d'" if _VOWEL.match(noun) else "de ") + noun


def _my(pair: Texts, random: Random) -> Texts:
    """*My dog*, *mon chien*; or whose else."""
    english, letter = random.choice((("my", "m"), ("his", "s"), ("her", "s"), ("your", "t")))
    noun = _ARTICLE.sub("", pair[1])
    feminine = pair[1].startswith(("une ", "de la ")) and not _VOWEL.match(noun)
    ending = "es" if pair[1].startswith("des ") else "a" if feminine else "on"
    return f"{english} {_bare(pair[0])}", f"{letter}{ending} {noun}"


def _two(pair: Texts, random: Random) -> Texts:
    """*Two apples*, *deux pommes*; what cannot be counted stays as it is."""
    if not pair[1].startswith("des "):
        return pair
    number, nombre = random.choice(_words("numbers")[1:12])
    return f"{number} {pair[0]}", f"{nombre} {_ARTICLE.sub('', pair[1])}"


def _bare(english: str) -> str:
    return re.sub(r"^an? ", "", english)


def _definite(french: str) -> str:
    noun = _ARTICLE.sub("", french)
    if french.startswith("des "):
        return f"les {noun}"
    if _VOWEL.match(noun):
        return f"l'{noun}"
    return ("la " if french.startswith(("une ", "de la ")) else "le ") + noun


_FORMS: dict[str, Callable[[Texts, Random], Texts]] = {
    "the": _the,
    "this": _this,
    "any": _any,
    "of": _of,
    "my": _my,
    "two": _two,
}
