"""What is copied and not translated: figures of every form, addresses, codes, and names.

``forms.toml`` says how each form is recognized, what stands in for it, and how French writes it.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from transformer_lesson.translation.known_words import BEFORE, STARTS, KnownWords

TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))
NARROW = "\u202f"  # the space of French between three figures, and before a unit
_FRAGMENT = re.compile("<([A-Z]+)>")


class Form(NamedTuple):
    """A form of the table; see there."""

    pattern: re.Pattern[str]
    pool: str
    french: str
    exact: bool
    later: bool


class Found(NamedTuple):
    """Something to copy: where it stands in a text, what may stand in for it, and its French."""

    begin: int
    end: int
    pool: str
    french: str


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the table, its fragments filled in."""
    while _FRAGMENT.search(pattern):
        pattern = _FRAGMENT.sub(lambda match: TABLE["fragments"][match[1]], pattern)
    return re.compile(pattern)


_WORDS = {
    english: french
    for form in TABLE["form"]
    if "words" in form
    for english, french in TABLE[form["words"]].items()
}


def _pattern(form: dict[str, Any]) -> re.Pattern[str]:
    words = "|".join(TABLE[form["words"]]) if "words" in form else ""
    return compiled(form.get("pattern") or f"<BEGIN>(?<!-)(?:{words})<END>(?!-)")


FORMS = [
    Form(_pattern(f), f["pool"], f.get("french", ""), "exact" in f, "later" in f)
    for f in TABLE["form"]
]
_NAMES = TABLE["names"]
_NATION, _JOINED, NAME, _WITHIN, _BEFORE = map(
    compiled, map(_NAMES.get, ("nation", "joined", "one", "within", "before"))
)
_PLACE, _WOMAN, _SHE, _HE = map(compiled, map(_NAMES.get, ("place", "woman", "she", "he")))
_SHOP, _MAKER, _MODEL = map(compiled, map(_NAMES.get, ("shop", "maker", "model")))
_DAYS = frozenset(_NAMES["days"].split())
_COMPOUND = frozenset(_NAMES["compound"].split())
_BESIDE = "(?P<number>[0-9]+(?:[.,][0-9]+)?)[ \u202f-]?(?P<unit>{})(?![<LETTER>])"
_ALONE = "(?<![<LETTER>])(?:{})(?![<LETTER>])"
# Of a unit beside a figure, the English of it, and that of one beside a whole number.
_UNITS = [
    (
        compiled(_BESIDE.format(french)),
        compiled(_ALONE.format(f"{french}|{english}")),
        compiled(_ALONE.format(whole[0])) if whole else None,
    )
    for french, (english, *whole) in TABLE["licenses"].items()
]

_COUNTS = [
    (
        compiled(f"(?<![<LETTER>-])(?:{french})(?:-[<LETTER>]+)*(?![<LETTER>-]| heures)"),
        re.compile(english),
    )
    for french, english in TABLE["counts"].items()
]


def in_forms(text: str, later: bool = False) -> Iterator[tuple[Form, re.Match[str]]]:
    """Yield each form and its match, of those that overlap the first in the table.

    ``later`` forms are those of a further attempt.
    """
    taken = [False] * len(text)
    for form in FORMS:
        for match in form.pattern.finditer(text) if later or not form.later else ():
            if not any(taken[slice(*match.span())]):
                taken[slice(*match.span())] = [True] * len(match[0])
                yield form, match


def copied(text: str, words: KnownWords, later: bool = False) -> list[Found]:
    """Return what is to be copied, in the order of the text; ``later`` as in `in_forms`."""
    found = [
        Found(*match.span(), form.pool, _WRITTEN[form.french](match))
        for form, match in in_forms(text, later)
    ]
    bare = text
    for one in found:
        bare = bare[: one.begin] + "_" * (one.end - one.begin) + bare[one.end :]
    return sorted([*found, *_names(bare, words)])


def in_french(text: str, words: KnownWords) -> str:
    """Return an English text with all that is copied as French writes it."""
    for begin, end, _, french in reversed(copied(text, words)):
        text = text[:begin] + (french or text[begin:end]) + text[end:]
    return text


def figures(text: str) -> Counter[str]:
    """Return the numbers of a text that writes them as French does."""
    return Counter(re.findall(r"[0-9]+(?:,[0-9]+)?", re.sub(r"(?<=[0-9])\s(?=[0-9]{3})", "", text)))


def differing(english: str, french: str) -> tuple[set[str], set[str]]:
    """Return the numbers that only the one has, and numbers and units that only the other has.

    ``english`` is as `in_french` returns it. A number that the other language has as a word is
    in both.
    """
    ours, theirs = figures(english), figures(french)
    more = set(theirs - ours) - _in_words("english", english)
    more |= _strange_units(english, french) | _strange_words(english, french)
    return set(ours - theirs) - _in_words("french", french), more


def _strange_units(english: str, french: str) -> set[str]:
    """Return the units, hours, scales and currencies beside a figure that only the French has."""
    low = english.lower()
    return {
        match["unit"]
        for unit, known, whole in _UNITS
        for match in unit.finditer(french)
        if not known.search(low)
        and (not whole or not whole.search(low) or re.search("[.,]", match["number"]))
    }


def _strange_words(english: str, french: str) -> set[str]:
    """Return the numbers in words, above twelve, of French that come from none of the English."""
    low = english.lower()
    return {
        word
        for number, known in _COUNTS
        for word in (() if known.search(low) else number.findall(french))
        if word not in english
    }


def _in_words(language: str, text: str) -> set[str]:
    """Return the numbers that words of a text may stand for."""
    said = set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text.lower()))
    known = (pair.split("=") for pair in TABLE["figures"][language].split())
    return {number for word, number in known if word in said}


# -- How French writes them


def _number(amount: str) -> str:
    amount = re.sub("^[Mm]inus ", "moins ", re.sub(r"(?<![0-9])\.", "0.", amount))
    return amount.replace(",", NARROW).replace(".", ",")


def _price(match: re.Match[str]) -> str:
    amount, sign = _number(match["amount"]), match["sign"].strip()
    scale = (match.groupdict().get("scale") or "")[:1].lower()
    if scale in ("", "k"):
        thousand = (f"{NARROW}k" if "," in amount else f"{NARROW}000{NARROW}") if scale else NARROW
        return f"{amount}{thousand}{sign}"
    named = {"m": "million", "b": "billion"}[scale]
    return f"{_measured(amount, named)} {TABLE['currencies'].get(sign, f'de {sign}')}"


def _unit(match: re.Match[str]) -> str:
    unit = TABLE["units"].get(match["unit"], match["unit"])
    return f"{_number(match['amount'])}{NARROW}{unit}"


def _measured(amount: str, unit: str) -> str:
    """Return an amount as French writes it with its unit, which is in the plural from two on."""
    one, _, many = TABLE["measures"][unit].partition("|")
    single = re.match("(?:-|moins )?[01](?![0-9\u202f])", amount)
    return f"{amount} {one if single else many or f'{one}s'}"


def _measure(match: re.Match[str]) -> str:
    return _measured(_number(match["amount"]), match["unit"])


def _measures(match: re.Match[str]) -> str:
    """Return measures of which one goes on where the other ends: "5 feet 11 inches"."""
    both = re.sub(
        "([0-9]+)[ -]([a-z]+?)(?:(?<=ch)es|s)?(?![a-z])", lambda m: _measured(m[1], m[2]), match[0]
    )
    return both.replace(" and ", " et ")


def _day(day: str, month: str | None = None, year: str | None = None) -> str:
    names, short = (TABLE["figures"][kind].split() for kind in ("months", "short"))
    named = names[short.index(month[:3].lower())] if month else ""
    number = "1er" if int(day) == 1 else str(int(day))
    return " ".join(filter(None, (number, named, year)))


def _date(match: re.Match[str]) -> str:
    found = {"month": None, "year": None} | match.groupdict()
    named = _day(match["day"], found["month"], found["year"])
    return named if found["month"] else f"le {named}"


def _weekday(match: re.Match[str]) -> str:
    at = _NAMES["days"].split().index(match["weekday"].lower())
    return f"{TABLE['days']['week'].split()[at]} {_day(match['day'])}"


def _spelled(match: re.Match[str]) -> str:
    number = TABLE["days"]["names"].split().index(match["spelled"].lower()) + 1
    return _day(str(number), match["month"], match["year"])


def _range(match: re.Match[str]) -> str:
    first = _day(match["first"], match["since"] if match["month"] else None)
    last = _day(match["day"], match["month"] or match["since"], match["year"])
    return f"du {first} au {last}" if match[0][0] in "fF" else f"entre le {first} et le {last}"


def _time(match: re.Match[str]) -> str:
    hour, found = int(match["hour"]), {"half": None, "next": None} | match.groupdict()
    if found["half"]:
        # From 11 to 1 p.m. is from the morning on.
        other = found["next"] is not None and hour % 12 > int(found["next"]) % 12
        hour = hour % 12 + 12 * ((found["half"] in "pP") != other)
    return f"{hour}h{match['minute'] or ''}"


def _hours(match: re.Match[str]) -> str:
    first, last = re.split(" ?- ?", match[0])
    return "de " + " à ".join(_time(hour) for _, hour in in_forms(f"{first} to {last}"))


def _said(words: str) -> int:
    """Return the number that English words such as "two hundred and twenty-five" name."""
    known = dict(pair.split("=") for pair in TABLE["figures"]["english"].split())
    total = 0
    for word in re.split("[ -]", words.lower()):
        number = int(known.get(word, 0))
        total = total * number if number >= 100 else total + number
    return total


def _spoken(match: re.Match[str]) -> str:
    minutes, hour = _said(match["minutes"]), _said(match["named"])
    if match["side"] == "to":
        minutes, hour = 60 - minutes, (hour - 2) % 12 + 1
    return f"{hour}h{minutes:02}"


def _height(match: re.Match[str]) -> str:
    feet, inches = (n if n.isdigit() else str(_said(n)) for n in match.group("feet", "inches"))
    return f"{_measured(feet, 'foot')} {_measured(inches, 'inch')}"


def _numbered(match: re.Match[str]) -> str:
    number = match["number"]
    bare = re.fullmatch(r"[0-9]+\.[0-9]+", number)
    return f"{TABLE['numbered'][match['noun'].lower()]} {_number(number) if bare else number}"


def _crowned(title: str, name: str) -> str:
    if title not in _NAMES["crowned"].split():
        return name
    return " ".join(TABLE["crowned"].get(word, word) for word in name.split(" "))


def _regnal(match: re.Match[str]) -> str:
    title, number, numbers = match["title"], match["number"], TABLE["regnal"]
    named = f"{_crowned(title, match['name'])} {numbers.get(f'{title} {number}', numbers[number])}"
    return f"{TABLE['titles'][title]} {named}" if title else named


_ERAS = {"A": "après", "B": "avant"}
_WRITTEN = {
    "": lambda match: match[0],
    "kept": lambda match: "",  # the model's own word
    "number": lambda match: _number(match["amount"]),
    "percent": lambda match: f"{_number(match['amount'])}{NARROW}%",
    "ordinal": lambda match: f"{_number(match['day'])}e",
    "price": _price,
    "unit": _unit,
    "measure": _measure,
    "measures": _measures,
    "spoken": _spoken,
    "shares": lambda match: f"{_said(match['words'])}{NARROW}%",
    "said": lambda match: f"{_said(match['words']):,}".replace(",", NARROW),
    "spelled": _spelled,
    "weekday": _weekday,
    "slashed": lambda match: f"{match['day']}/{match['number']}{match['year'] or ''}",
    "era": lambda match: f"{match['amount']} {_ERAS[match['era'][0]]} Jésus-Christ",
    "height": _height,
    "hours": _hours,
    "halves": lambda match: _measured(f"{_said(match['words'])},5", match["unit"]),
    "counted": lambda match: _measured(str(_said(match["words"])), match["unit"]),
    "numbered": _numbered,
    "phrase": lambda match: TABLE["phrases"][match[0].lower()],
    "word": lambda match: _WORDS[match[0]],
    "regnal": _regnal,
    "place": lambda match: TABLE["places"].get(match[0], match[0]),
    "land": lambda match: TABLE["places"].get(
        match[0], f"{TABLE['lands'][match['land']]} {match['own']}"
    ),
    "decade": lambda match: f"années {match['decade']}",
    "date": _date,
    "range": _range,
    "time": _time,
}


# -- Names


class _Word(NamedTuple):
    """A capitalised word: where it stands, and what it is to a name."""

    begin: int
    end: int
    kind: str


def _names(text: str, words: KnownWords) -> Iterator[Found]:
    """Yield the names that hold an unknown word or initials, or follow a title or "St."."""
    for group in _groups(text, words):
        first = text[group[0].begin : group[0].end]
        title = first[0].upper() + first[1:] if group[0].kind == "title" else ""
        name = group[1:] if title else group
        kinds = {word.kind for word in name}
        whole = len(name) > 1 and kinds & {"initial", "saint"}
        if not name or not (title or whole or "unknown" in kinds):
            continue
        (begin, *_), end = name[0], name[-1].end
        if particle := _BEFORE.search(text[:begin]):
            begin = particle.start()
        own = text[begin:end]
        here = TABLE["places"].get(own, own)
        french = f"{TABLE['titles'][title]} {_crowned(title, own)}" if title else here
        pool = "places" if "saint" in kinds else _pool(text, begin, title)
        number = _MODEL.match(text[end:])
        if number and not title and _MAKER.search(text[:begin]):
            end, pool, french = end + number.end(), "codes", own + number[0]
        yield Found(group[0].begin if title else begin, end, pool, french)


def _groups(text: str, words: KnownWords) -> Iterator[list[_Word]]:
    """Yield the capitalised words that may be a name together, in their order."""
    group: list[_Word] = []
    for match in NAME.finditer(text):
        begin, word = match.start(), match[0]
        if not _SHOP.match(text[match.end() :]):
            word = _JOINED.sub("", word)
        if group and not _linked(group[-1], text[group[-1].end : begin]):
            yield group
            group = []
        may_start = not group and word not in _NAMES["given"].split()
        starts = may_start and bool(STARTS.search(text[max(0, begin - BEFORE) : begin]))
        kind = _kind(word, words, starts)
        if kind:
            group.append(_Word(begin, begin + len(word), kind))
        elif group:
            yield group
            group = []
    if group:
        yield group


def _linked(last: _Word, between: str) -> bool:
    """Whether two capitalised words with this text between them belong together."""
    if last.kind in ("title", "saint"):
        return between in (" ", ". ") or bool(_WITHIN.search(between.removeprefix(".")))
    return (
        between == " " or (last.kind, between) == ("initial", "") or bool(_WITHIN.search(between))
    )


def _kind(word: str, words: KnownWords, starts: bool) -> str | None:
    """Return what a capitalised word is to a name; None if it is no part of one."""
    if word[0].upper() + word[1:] in TABLE["titles"]:
        return "title"
    if word in _NAMES["saints"].split():
        return "saint"
    if word[1:] == ".":
        return "initial"
    parts = word.split("-")
    if len(parts) > 1:
        large = [part for part in parts if part[:1].isupper()]
        strange = [part for part in large if not _is_common(part, words)]
        plain = [p for p in large if len(p) > 1 and words.forms.get(p.lower(), p).islower()]
        named = len(plain) == len(parts) and not set(word.lower().split("-")) & _COMPOUND
        return (
            "unknown"
            if (len(large) > 1 and (strange or named or len(large) < len(parts)))
            or (len(parts[0]) > 1 and not all(map(words.knows, parts[:1] if starts else parts)))
            else None
        )
    if not words.knows(word):
        return None if word.lower() in _DAYS else "unknown"
    if _is_common(word, words):
        return "common" if words.forms.get(word.lower(), "i").islower() and not starts else None
    return "known"


def _is_common(part: str, words: KnownWords) -> bool:
    """Whether a word is known, and as no name."""
    low = part.lower()
    if not words.knows(part):
        return False
    form = words.forms.get(low, low)
    pronoun = form[0] == "I" and form[1:2] in ("", "'")
    return form.islower() or pronoun or low in _DAYS or bool(_NATION.search(form))


def _pool(text: str, begin: int, title: str) -> str:
    before = text[:begin]
    if title in _NAMES["women"].split() or (not title and _WOMAN.search(before)):
        return "women"
    if title:
        return "people"
    if _PLACE.search(before):
        return "places"
    return "women" if _SHE.search(text) and not _HE.search(text) else "people"
