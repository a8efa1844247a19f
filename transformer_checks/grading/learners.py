"""Whose notebook it is: by its folder, by its name, or by a table that the teacher gives."""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

from transformer_checks import catalogue
from transformer_checks.grading.platforms import Place, owner, place_of
from transformer_checks.grading.submissions import stem
from transformer_checks.grading.tables import BadTable, read_table
from transformer_checks.sanitize import sanitize_line

PLACEHOLDER = "{learner}"  # in a pattern
_LONGEST = 100  # letters of a name
_AROUND = " _-\\"  # a name; where an archive from Windows was unpacked, a folder's end too


@dataclass(frozen=True)
class Learner:
    """Somebody of the class, and what gradebooks know this person by.

    Attributes:
        learner: what reports and overrides call this person; distinct.
        files: the folder or the files that belong to this person, as a pattern; may be empty.
        name: first and last name.
        email: address.
        login: the name to log in with.
        number: of the institution: Canvas's SIS User ID, Moodle's ID number.
        participant: Moodle's number in the names of its folders, "Participant 4711" in its tables.
        id: Canvas's own number.
        section: of the course, in Canvas.
    """

    learner: str
    files: str = ""
    name: str = ""
    email: str = ""
    login: str = ""
    number: str = ""
    participant: str = ""
    id: str = ""
    section: str = ""


@dataclass(frozen=True)
class Roster:
    """Tells whose a notebook is.

    Attributes:
        pattern: ``anna_02.ipynb`` belongs to anna by ``{learner}_*.ipynb``; empty if there is none.
        table: the class by the names of the learners; empty if there is none.
    """

    pattern: str = ""
    table: Mapping[str, Learner] = field(default_factory=dict)

    def owners(self, paths: Sequence[Path], labels: Sequence[str]) -> list[str]:
        """The learner that each notebook belongs to.

        Args:
            paths: of the notebooks.
            labels: distinct names, for those that belong to nobody else.
        """
        if not paths:
            return []
        common = Path(os.path.commonpath([path.absolute().parent for path in paths]))
        files = [
            (_expression(one.files, "(?:/|$)"), one.learner)
            for one in self.table.values()
            if one.files
        ]
        pattern = _expression(self.pattern, "$") if self.pattern else None
        lessons, known, places = _lessons(), self._known(), list(map(place_of, paths))
        shared = _shared(filter(None, places))
        # Else a learner may have made such a folder, with another's name, below their own.
        believed = all(places)

        def found(path: Path, label: str) -> str:
            whole = path.as_posix()
            for expression, learner in files:
                if expression.search(whole):
                    return learner
            if pattern:
                match = pattern.search(whole)
                names = [match["learner"]] if match else []
            else:
                place = place_of(path) if believed else None
                names = _by_place(path, place.download if place else common, lessons)
                if len(names) > 1:
                    names = [name for name in names if _key(name) not in shared]
            names = [name for name in map(tidy, names) if name] or [label]
            return next((known[key] for key in map(_key, names) if key in known), names[0])

        return [found(path.absolute(), label) for path, label in zip(paths, labels, strict=True)]

    def learner(self, name: str) -> str:
        """Whom the name of a folder means."""
        return self._known().get(_key(name), tidy(name))

    def full_name(self, learner: str) -> str:
        """What the table of the class calls a learner."""
        return self.table[learner].name if learner in self.table else ""

    def _known(self) -> dict[str, str]:
        """Learners by all that may stand for them in the name of a folder or a file.

        What stands for two of them stands for nobody; a number or a login comes before a name.
        """
        named: dict[str, set[str]] = {}
        for one in self.table.values():
            words = one.name.replace(",", " ").split()
            for order in permutations(words) if len(words) <= 5 else _turned(words):
                named.setdefault(_key("".join(order)), set()).add(one.learner)
        found = {key: learners.pop() for key, learners in named.items() if len(learners) == 1}
        given: dict[str, str] = {}
        for one in self.table.values():
            participant = one.participant.rpartition(" ")[2]
            for name in (one.learner, one.login, one.email, one.number, participant, one.id):
                if name:
                    given.setdefault(_key(name), one.learner)
        return found | given


def read_roster(given: str) -> Roster:
    """The roster that ``--learners`` gives: a pattern that holds ``{learner}``, or a table.

    Raises:
        BadTable: see ``read_table``; or a learner stands in it twice, or a pattern is none.
    """
    if PLACEHOLDER in given:
        if given.count(PLACEHOLDER) > 1:
            raise BadTable(f"the pattern {given!r} holds {{learner}} more than once")
        return Roster(pattern=given)
    learners: dict[str, Learner] = {}
    for line, row in read_table(Path(given), ["learner"]):
        cells = {key: row.get(key, "") for key in Learner.__dataclass_fields__}
        one = Learner(**cells | {"learner": tidy(cells["learner"])})
        if not one.learner:
            raise BadTable(f"{given!r}, line {line}: there is no learner")
        if one.learner in learners:
            raise BadTable(f"{given!r}, line {line}: {one.learner!r} stands in it twice")
        learners[one.learner] = one
    if not learners:
        raise BadTable(f"{given!r} holds no learner")
    return Roster(table=learners)


def _turned(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The same words begun at each of them: where last names come first, they come so."""
    for first in range(len(words)):
        yield [*words[first:], *words[:first]]


def _key(name: str) -> str:
    """A name or a number without what folders and gradebooks write differently."""
    kept = (c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c)[0] in "LMN")
    return "".join(kept).casefold()


def _expression(pattern: str, end: str) -> re.Pattern[str]:
    """A pattern for a part of a path; ``*`` stands for anything but a folder's end."""
    parts = {"\\{learner\\}": "(?P<learner>[^/]+?)", "\\*": "[^/]*", "\\?": "[^/]"}
    text = re.escape(pattern)
    for written, meant in parts.items():
        text = text.replace(written, meant)
    return re.compile(f"(?:^|/){text}{end}")


def _lessons() -> re.Pattern[str]:
    """What names a lesson: its number and name, its name alone, or "lesson 2"."""
    names = ["(?:lesson|exercises?)[ _-]*\\d+"]
    for lesson in catalogue.LESSONS:
        number, _, words = lesson.partition("_")
        names.append(f"(?:{number}[ _-]*)?" + "[ _-]*".join(map(re.escape, words.split("_"))))
    return re.compile(rf"(?i)(?<![^\W_])(?:{'|'.join(names)})(?![^\W_])")


def _shared(places: Iterable[Place]) -> set[str]:
    """What stands for two people of one download, and so says of neither whose a notebook is."""
    numbers: dict[tuple[Path, str], set[str]] = {}
    for place in places:
        number, names = owner(unicodedata.normalize("NFC", place.inside.parts[0]))
        for name in names:
            numbers.setdefault((place.download, _key(name)), set()).add(number)
    return {name for (_, name), held in numbers.items() if len(held) > 1}


def _by_place(path: Path, common: Path, lessons: re.Pattern[str]) -> list[str]:
    """What a folder says: the first that they do not all lie in and that names more than a lesson.

    If there is none, the file's name without the lesson; if nothing is left of that either, the
    folder in which they all lie. Empty if that names nobody, and more than one where a platform
    writes a name and numbers.
    """
    inside = path.relative_to(common)
    for part in (*inside.parts[:-1], stem(inside.name), common.name):
        if names := _person(part, lessons):
            return names
    return []


def _person(part: str, lessons: re.Pattern[str]) -> list[str]:
    """A folder's or a file's name without what names a lesson; empty if that is all."""
    whole = unicodedata.normalize("NFC", part)
    if names := owner(whole)[1]:
        return names
    rest = lessons.sub("", whole).strip(_AROUND)
    rest = re.sub(r"(?i)(?:^|[ _-]+)v\d+$", "", rest).strip(_AROUND)
    # What a browser makes of a second file of the same name, "(1)", is nobody's name.
    name = rest if not rest or re.search(r"[^\W\d_]", rest) else whole
    return [name] if name else []


def tidy(name: str) -> str:
    """A learner's name as it is compared and shown."""
    return sanitize_line(unicodedata.normalize("NFC", name.strip()), _LONGEST)
