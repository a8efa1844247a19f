"""Whose notebook it is: by its folder, by its name, or by a table that the teacher gives."""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from pathlib import Path

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.names import MARKS, NUMBERED, composed, key, original, stem, tidy
from notebook_judge.grading.platforms import Place, owner, place_of
from notebook_judge.grading.tables import BadTable, read_table

PLACEHOLDER = "{learner}"  # in a pattern
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
        called = self.called(paths, labels)
        sure = {name for name, plain in called if name == plain} | self.table.keys()
        alike = defaultdict[str, set[str]](set)
        for name, plain in called:
            alike[plain].add(name)

        def resolved(name: str, plain: str) -> str:
            if name in sure or plain in sure or len(alike[plain]) == 1:
                return name if name in sure else plain
            # Windows numbers so what it renames together, and browsers what several have sent.
            numbered = re.compile(rf"{re.escape(plain)}[ _-]*\(\d+\)")
            return name if all(map(numbered.fullmatch, alike[plain])) else plain

        return [resolved(*one) for one in called]

    def called(self, paths: Sequence[Path], labels: Sequence[str]) -> list[tuple[str, str]]:
        """Whose each notebook's place says it is: as it stands, and without what marks copies.

        Args:
            paths, labels: see ``owners``.
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
        whole, unmarked, places = _lessons(), _lessons(MARKS), list(map(place_of, paths))
        shared = _shared(filter(None, places))
        # Else a learner may have made such a folder, with another's name, below their own.
        believed = all(places)

        def by_pattern(path: str) -> list[str]:
            for expression, learner in files:
                if expression.search(path):
                    return [learner]
            match = pattern and pattern.search(path)
            return [match["learner"]] if match else []

        def by_place(path: Path) -> tuple[list[str], list[str]]:
            place = place_of(path) if believed else None
            top = place.download if place else common
            inside = path.relative_to(top)
            own, last = [*inside.parts[:-1], stem(inside.name)], [top.name]
            marked = _named(own, whole) or _named(last, whole)
            rest = marked if _named(own, whole) else _named(last, unmarked, original)
            plain = _named(own, unmarked, original) or rest
            if len(marked) > 1:
                marked = [name for name in marked if key(name) not in shared]
                plain = marked
            return marked, plain

        def found(path: Path, label: str) -> tuple[str, str]:
            given = composed(path.as_posix())
            marked, plain = by_pattern(given), by_pattern(_without_marks(given))
            if not (marked or plain or pattern):
                marked, plain = by_place(path)
            name = self._known_as(marked) or label
            return name, self._known_as(plain) or name

        return [found(path.absolute(), label) for path, label in zip(paths, labels, strict=True)]

    def _known_as(self, names: Iterable[str]) -> str:
        """The learner whom one of these names means, or else the first name; empty without any."""
        names = list(filter(None, map(tidy, names)))
        # Without its brackets, "anna (1)" would be anna1.
        keys = ("" if re.search(f"{NUMBERED}$", name) else key(name) for name in names)
        known = (
            n if n in self.table else self._known.get(k) for n, k in zip(names, keys, strict=True)
        )
        return next(filter(None, known), names[0] if names else "")

    def learner(self, name: str) -> str:
        """Whom the name of a folder means."""
        return self._known_as([name])

    def full_name(self, learner: str) -> str:
        """What the table of the class calls a learner."""
        return self.table[learner].name if learner in self.table else ""

    @cached_property
    def _known(self) -> dict[str, str]:
        """Learners by all that may stand for them in the name of a folder or a file.

        What stands for two of them stands for nobody; a number or a login comes before a name.
        """
        named, given = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for one in self.table.values():
            words = one.name.replace(",", " ").split()
            for order in permutations(words) if len(words) <= 5 else _turned(words):
                named[key("".join(order))].add(one.learner)
            participant = one.participant.rpartition(" ")[2]
            for name in (one.learner, one.login, one.email, one.number, participant, one.id):
                given[key(name)].add(one.learner)
        return {
            name: next(iter(learners))
            for name, learners in (named | given).items()
            if name and len(learners) == 1
        }


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


def _expression(pattern: str, end: str) -> re.Pattern[str]:
    """A pattern for a part of a path; ``*`` stands for anything but a folder's end."""
    parts = {"\\{learner\\}": "(?P<learner>[^/]+?)", "\\*": "[^/]*", "\\?": "[^/]"}
    text = re.escape(composed(pattern))
    for written, meant in parts.items():
        text = text.replace(written, meant)
    return re.compile(f"(?:^|/){text}{end}")


def _without_marks(path: str) -> str:
    """A path without what is added to the names of copies in it."""
    *folders, name = path.split("/")
    last = f"{original(stem(name))}.ipynb" if stem(name) != name else name
    return "/".join([*map(original, folders), last])


def copies(called: Iterable[tuple[str, str]], table: Collection[str]) -> list[str]:
    """What a teacher should know of names that differ by a copy's mark alone.

    Args:
        called: for each notebook whose its place says it is, and whose it is taken to be.
        table: the learners of the class.
    """
    pairs = set(called)
    known = {name for name, learner in pairs if name == learner} | set(table)
    taken = [f"{name} is {to}" for name, to in sorted(pairs) if name != to and to in known]
    apart = sorted(name for name in known - set(table) if original(name) != name)
    said = []
    if taken:
        said.append(
            "names that differ by a mark of copies alone are taken for the same learner: "
            f"{_some(taken)}; --learners tells them apart"
        )
    if apart:
        said.append(
            "these are called like copies, and nobody is called so without the mark: "
            f"{_some(apart)}; --learners says whose they are"
        )
    return said


def _some(words: Sequence[str], most: int = 9) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _lessons(behind: str = "") -> re.Pattern[str]:
    """What names a lesson: its number and name, its name alone, or "lesson 2"; and then this."""
    names = ["(?:lesson|exercises?)[ _-]*\\d+"]
    for lesson in catalogue().lessons:
        number, _, words = lesson.partition("_")
        names.append(f"(?:{number}[ _-]*)?" + "[ _-]*".join(map(re.escape, words.split("_"))))
    return re.compile(rf"(?i)(?<![^\W_])(?:{'|'.join(names)}){behind}(?![^\W_])")


def _shared(places: Iterable[Place]) -> set[str]:
    """What stands for two people of one download, and so says of neither whose a notebook is."""
    numbers: dict[tuple[Path, str], set[str]] = {}
    for place in places:
        number, names = owner(composed(place.inside.parts[0]))
        for name in names:
            numbers.setdefault((place.download, key(name)), set()).add(number)
    return {name for (_, name), held in numbers.items() if len(held) > 1}


def _named(
    parts: Iterable[str], lessons: re.Pattern[str], spelled: Callable[[str], str] = str
) -> list[str]:
    """What the first of these folders and files says that names more than a lesson.

    Empty if none names anybody, and more than one where a platform writes a name and numbers.
    """
    return next(filter(None, (_person(spelled(part), lessons) for part in parts)), [])


def _person(part: str, lessons: re.Pattern[str]) -> list[str]:
    """A folder's or a file's name without what names a lesson; empty if that is all."""
    whole = composed(part)
    if names := owner(whole)[1]:
        return names
    rest = " ".join(piece.strip(_AROUND) for piece in lessons.split(whole)).strip()
    rest = re.sub(r"(?i)(?:^|[ _-]+)v\d+$", "", rest).strip(_AROUND)
    # What a browser makes of a second file of the same name, "(1)", is nobody's name.
    name = rest if not rest or re.search(r"[^\W\d_]", rest) else whole
    return [name] if name else []
