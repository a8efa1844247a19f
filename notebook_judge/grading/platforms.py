"""What learning platforms call the files that a teacher downloads, and wants back.

- Moodle, ``mod/assign/feedback/file/importziplib.php`` in its source: each learner has a folder
  "name_number_assignsubmission_file_" (from 4.1 on without the last sign), whose number tells whose
  a file of feedback is.
- Canvas, ``infer_comment_context_from_filename`` in its source: "name_user_file_title", after the
  name LATE where it was; the first two parts that are numbers tell whose comment a file is.
- nbgrader: folders of learners, and in them of assignments, below ``submitted`` and ``feedback``.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from notebook_judge.grading.names import stem

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_")
_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d{3,})_\d{3,}_.+")


@dataclass(frozen=True)
class Place:
    """Where a file lies in a platform's download.

    Attributes:
        platform: moodle or canvas.
        download: the folder that the archive was unpacked into.
        inside: the way from there, as the platform wrote it.
    """

    platform: str
    download: Path
    inside: Path


def place_of(path: Path) -> Place | None:
    """Where it lies in a download of Moodle's or Canvas's; None if in neither."""
    for depth, part in enumerate(path.parts):
        if _MOODLE.match(part):
            return Place("moodle", Path(*path.parts[:depth]), Path(*path.parts[depth:]))
    if _CANVAS.fullmatch(path.name):
        return Place("canvas", path.parent, Path(path.name))
    return None


def marked_late(path: Path) -> bool | None:
    """What Canvas says; None where it says nothing."""
    place = place_of(path)
    found = _CANVAS.fullmatch(path.name) if place and place.platform == "canvas" else None
    return bool(found["late"]) if found else None


def owner(part: str) -> tuple[str, list[str]]:
    """Whose a folder or a file of this name is: a platform's number, and all that may stand for it.

    The surest of them comes first. Numbers are distinct, while two people may share a name. Empty
    if no platform gives such names.
    """
    if found := _MOODLE.match(part):
        name, number = found["name"], found["number"]
        return number, [name, f"{name}_{number}", number]
    if found := _CANVAS.fullmatch(part):
        name, number = found["name"], found["number"]
        return number, [f"{name}_{number}", number, name]
    return "", []


def page_name(path: Path) -> Path:
    """The same place, for the page on a notebook."""
    return path.with_name(f"{stem(path.name)}.html")
