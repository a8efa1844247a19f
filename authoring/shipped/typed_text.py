"""Sentence pairs as people type them: what the shipped translator learns from, drawn anew.

Everything is drawn from the ``random.Random`` that is given: names and numbers are swapped on both
sides, case and final points are lost, letters slip, sentences are joined, and templates
(``authoring/shipped/typed/``) give names, dates, times, prices, lists and quotations, and what
people say in restaurants, offices and shops.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from authoring.shipped.enumerations import Texts, enumeration, word_of

_FOLDER = Path(__file__).parent / "typed"
HELD_OUT_TALK = _FOLDER / "talk_held_out.tsv"
# Names that the text itself has much of, alike in both languages.
_KNOWN = re.compile(r"\b(?:Tom|Ken|Bob|Jim|Bill|Jack|Mike|Nancy|Jane|Alice|Emily|Fred|Lucy|John)\b")
_NUMBER = re.compile(r"(?<![\d.,:])\d{1,4}(?![\d.,:]?\d)")
_ELISION = re.compile(r"(?<![\w-])([dDjlmnst]e|que|Que) (?=[AEIOUÉaeiou])")

_CHOICES = re.compile(r"\[([^]]*)\]")
_ASKS = re.compile(
    r"(?:(?:What|Where|Who|How)(?:'s)?|When|Which|Can|Could|May|Do|Does|Did|Is|Are|Have you|Has"
    r"|Will|Would|Should)\b(?!'| a\b| not\b)"
)
_CONTRACTION = re.compile(r"\b(?:à|de)\+(?:les? )?")
_CONTRACTED = {"à+le ": "au ", "à+les ": "aux ", "de+le ": "du ", "de+les ": "des "}


@cache
def _rows(name: str) -> list[list[str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


@cache
def _words(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").split()


def typed(pair: Texts, others: Sequence[Texts], random: Random) -> Texts:
    """Return the pair as someone may type it, or a sentence of a template.

    Args:
        pair: an English sentence and its French translation.
        others: short pairs, to join to it.
        random: decides everything.
    """
    if random.random() < 0.22:
        pair = from_template(random.choice(others), random)
    elif random.random() < 0.5:
        pair = swap_names(swap_numbers(pair, random), random)
    if len(pair[0]) < 60 and random.random() < 0.12:
        more = random.sample(others, random.choice((1, 1, 2)))
        pair = join([pair, *more])
    return spoil(pair, random)


def from_template(other: Texts, random: Random) -> Texts:
    """Return a template's pair with its slots filled; ``other`` is what someone says in it."""
    english, french = random.choice(_rows("templates.tsv"))
    return _filled(english, french, other, random)


def talk(random: Random) -> Texts:
    """Return a sentence that people say in a restaurant, an office, a shop, at home.

    A row of ``typed/talk.tsv`` has as many brackets in French as in English, and what stands at the
    same place in both is taken, unless the French has one text for all. A row with more
    alternatives is drawn more often. An end that the row lacks is put there.
    """
    rows = _talk_rows()
    english, french = random.choices(list(rows), list(rows.values()))[0]
    while match := _CHOICES.search(english):
        texts, textes = match[1].split("|"), _CHOICES.search(french)[1].split("|")  # type: ignore[index]
        at = random.randrange(len(texts))
        english = english.replace(match[0], texts[at], 1)
        french = _CHOICES.sub(textes[at % len(textes)], french, count=1)
    if english[-1] == "!" and random.random() < 0.5:
        english, french = english[:-1], french[:-2]
    elif english[-1] not in ".,!?":
        end, fin = ("?", " ?") if _ASKS.match(english) else (".", ".")
        english, french = english + end, french + fin
    return _filled(english, french, ("", ""), random)


@cache
def _talk_rows() -> dict[Texts, int]:
    """Return the rows of the talk, and how many alternatives each has."""
    pairs = ((row[0], row[1]) for row in _rows("talk.tsv") if len(row) == 2)
    return {pair: 1 + pair[0].count("|") for pair in pairs}


def _filled(english: str, french: str, other: Texts, random: Random) -> Texts:
    for slot in re.findall(r"{([\w -]+)}", english):
        if slot == "inner":
            found = other
        else:
            found = _SLOTS[slot](random) if slot in _SLOTS else enumeration(slot, random)
        english = english.replace(f"{{{slot}}}", found[0], 1)
        french = french.replace(f"{{{slot}}}", found[1], 1)
    french = _CONTRACTION.sub(lambda m: _CONTRACTED.get(m[0], m[0].replace("+", " ")), french)
    return _large(english), _large(_ELISION.sub(lambda m: m[1][:-1] + "'", french))


def _large(text: str) -> str:
    return text[0].upper() + text[1:]


def swap_names(pair: Texts, random: Random) -> Texts:
    """Return the pair with each well-known name that both sides have as another."""
    english, french = pair
    for name in sorted(set(_KNOWN.findall(english)) & set(_KNOWN.findall(french))):
        new, _ = _name(random)
        english = re.sub(rf"\b{name}\b", new, english)
        french = re.sub(rf"\b{name}\b", new, french)
        french = _ELISION.sub(lambda m: m[1][:-1] + "'", french) if new in french else french
    return english, french


def swap_numbers(pair: Texts, random: Random) -> Texts:
    """Return the pair with each number above one that both sides have in figures as another."""
    english, french = pair
    shared = set(_NUMBER.findall(english)) & set(_NUMBER.findall(french))
    new = {number: _like(number, random) for number in sorted(shared) if int(number) > 1}
    one, other = (_NUMBER.sub(lambda m: new.get(m[0], m[0]), text) for text in pair)
    return one, other


def join(pairs: Sequence[Texts]) -> Texts:
    """Return several pairs as one text; a sentence without an end gets one."""
    ended = [[t if t[-1] in '.!?»"' else t + "." for t in pair] for pair in pairs]
    return " ".join(e for e, _ in ended), " ".join(f for _, f in ended)


def spoil(pair: Texts, random: Random) -> Texts:
    """Return the pair with what gets lost in typing: final points, capitals, letters."""
    english, french = pair
    if random.random() < 0.1 and english[-1] == "." == french[-1] != english[-2:-1]:
        english, french = english[:-1], french[:-1]
    draw = random.random()
    if draw < 0.15:
        english = english.lower()
    elif draw < 0.2:
        english = english[0].lower() + english[1:]
    if random.random() < 0.06:
        english = _slip(english, random)
    return english, french


def _slip(text: str, random: Random) -> str:
    """Return the text with a slip of the fingers, or without its apostrophes."""
    if "'" in text and random.random() < 0.5:
        return text.replace("'", "")
    places = [m.start() for m in re.finditer(r"(?<=[a-z])[a-z](?=[a-z])", text)]
    if not places:
        return text
    at = random.choice(places)
    a, b = text[at], text[at + 1]
    return text[:at] + random.choice((b + a, b, a + a + b)) + text[at + 2 :]


def _name(random: Random) -> Texts:
    """Return a name, one in three made up of syllables, so that spelling is learned, not names."""
    if random.random() < 0.35:
        made = "".join(
            random.sample(_words("syllables.txt"), random.choice((2, 2, 3)))
        ).capitalize()
        return made, made
    name = random.choice(_words("names.txt"))
    return name, name


def _like(number: str, random: Random) -> str:
    low = 10 ** (len(number) - 1)
    return str(random.randrange(max(2, low), 10 * low))


def _number(random: Random) -> Texts:
    number = random.randrange(2, 10 ** random.randrange(1, 5) + 2)
    return (
        (f"{number:,}", f"{number:,}".replace(",", " "))
        if random.random() < 0.3
        else (str(number), str(number))
    )


def _year(random: Random) -> Texts:
    year = str(random.randrange(1400, 2060))
    return year, year


def _pick(table: str, random: Random) -> Texts:
    english, french = random.choice(_words(table)).split("/")
    return english, french


def _date(random: Random) -> Texts:
    month, mois = _pick("months.txt", random)
    day = random.choice((1, *range(1, 31)))
    year = random.choice(("", str(random.randrange(1900, 2040))))
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")
    comma = "," if year else ""
    english = random.choice(
        (f"{day} {month}", f"{month} {day}{comma}", f"{month} {day}{suffix}{comma}")
    )
    return f"{english} {year}".strip(), f"{'1er' if day == 1 else day} {mois} {year}".strip()


def _time(random: Random) -> Texts:
    hour, minute = random.randrange(1, 13), random.randrange(60)
    if random.random() < 0.5:
        hour = random.randrange(24)
        return f"{hour}:{minute:02}", f"{hour} h {minute:02}"
    after = random.choice(("am", "a.m.", "pm", "p.m."))
    hours = hour % 12 + 12 * after.startswith("p")
    if random.random() < 0.5:
        return f"{hour} {after}".rstrip("."), f"{hours} h"
    return f"{hour}:{minute:02} {after}".rstrip("."), f"{hours} h {minute:02}"


def _price(random: Random) -> Texts:
    english, french = _number(random)
    sign, word = random.choice((("$", "dollars"), ("€", "euros")))
    cents = random.choice(("", "", f"{random.randrange(1, 100):02}"))
    amount, montant = (english + "." + cents, french + "," + cents) if cents else (english, french)
    return random.choice((f"{sign}{amount}", f"{amount} {word}")), f"{montant} {word}"


def _clock(random: Random) -> Texts:
    """Return a time in words."""
    if random.random() < 0.15:
        return random.choice((("noon", "midi"), ("midnight", "minuit")))
    english, french = word_of("numbers", random.randrange(12))
    before, after = random.choice(_PARTS)
    hours = "une heure" if french == "un" else f"{french} heures"
    return f"{before}{english}" if before else f"{english} o'clock", f"{hours}{after}"


_PARTS = (
    ("", ""),
    ("half past ", " et demie"),
    ("a quarter past ", " et quart"),
    ("a quarter to ", " moins le quart"),
    ("ten past ", " dix"),
    ("twenty to ", " moins vingt"),
)
_SLOTS = {
    "name": _name,
    "n": _number,
    "year": _year,
    "date": _date,
    "day": lambda random: _pick("days.txt", random),
    "time": _time,
    "price": _price,
    "clock": _clock,
}
