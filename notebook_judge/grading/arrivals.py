"""When a notebook came, and who says so."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from notebook_judge.grading.platforms import marked_late, place_of

OWN_TIME = "the file's own time"
_NBGRADER = "nbgrader's timestamp.txt"
_BLACKBOARD = "Blackboard's name for the file"
_CANVAS = "the file's own time, and whether that was late by Canvas's name for the file"
# Blackboard's name for a file, which nbgrader's collector of archives takes over.
_ATTEMPT = re.compile(r"_attempt_(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)_")


@dataclass(frozen=True)
class Arrival:
    """When a notebook came.

    Attributes:
        moment: None where the file is gone.
        source: who says so.
        late: what Canvas says; None where it says nothing.
        doubt: for the teacher, what else names a time and is not believed; may be empty.
    """

    moment: datetime | None
    source: str = OWN_TIME
    late: bool | None = None
    doubt: str = ""


def arrivals(paths: Sequence[Path], learners: Sequence[str]) -> list[Arrival]:
    """When each notebook came: as its platform wrote it down, or else the file's own time.

    A learner chooses names of files and can hand in a ``timestamp.txt``. Such a mark is believed as
    a platform's where it has set one for most of those beside whom the notebook lies; a folder
    of one learner's alone tells nothing, unless nobody else is graded.

    Args:
        paths: of all notebooks of a run.
        learners: whose they are.
    """
    claims = [_claim(path.absolute()) for path in paths]
    beside, marked = defaultdict[Path, set[str]](set), defaultdict[tuple, set[str]](set)
    for path, (source, download, _), learner in zip(paths, claims, learners, strict=True):
        for folder in path.absolute().parents[:3:2]:  # of a flat download, and of nbgrader's
            beside[folder].add(learner)
        marked[source, download].add(learner)
    alone = len(set(learners)) == 1

    def arrival(path: Path, source: str, download: Path, moment: datetime | None) -> Arrival:
        others = beside[download]
        most = 2 * len(marked[source, download]) > len(others) and (alone or len(others) > 1)
        if source == _CANVAS and most:
            return Arrival(_own_time(path), source, marked_late(path))
        if source != OWN_TIME and most and moment:
            return Arrival(moment, source)
        claimed = f"{moment:%Y-%m-%d %H:%M}" if moment else "no time"
        doubt = (
            f"what looks like {source} says that it came at {claimed}; its learner may have "
            "written that, so the file's own time counts"
        )
        return Arrival(_own_time(path), doubt=doubt if source in (_NBGRADER, _BLACKBOARD) else "")

    return [arrival(path, *claim) for path, claim in zip(paths, claims, strict=True)]


def _claim(path: Path) -> tuple[str, Path, datetime | None]:
    """What names a time for a notebook, the download that this would be of, and the time."""
    place = place_of(path)
    if place and place.platform == "canvas":
        return _CANVAS, path.parent, None
    if place:  # in Moodle's folder all that lies there is the learner's
        return OWN_TIME, path.parent, None
    stamp = path.parent / "timestamp.txt"
    if len(path.parents) > 2 and stamp.is_file() and not stamp.is_symlink():
        return _NBGRADER, path.parents[2], read_moment(_text(stamp))
    if found := _ATTEMPT.search(path.name):
        moment = read_moment(f"{found[1]}T{':'.join(found.groups()[1:])}")
        return _BLACKBOARD, path.parent, moment
    return OWN_TIME, path.parent, None


def _text(stamp: Path) -> str:
    try:
        with stamp.open(encoding="utf-8") as file:
            return file.read(100)
    except (OSError, ValueError):
        return ""


def _own_time(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    except (OSError, ValueError):
        return None


def read_moment(text: str) -> datetime | None:
    """A date or a time in ISO 8601; behind it may stand a zone's name, as nbgrader writes it.

    Without a zone it is this machine's time; a zone that has a name is kept. A day is its last
    minute. None where it is no time, or no such zone is known.
    """
    when, _, zone = text.strip().rpartition(" ")
    if not zone[:1].isalpha():
        when, zone = text.strip(), ""
    try:
        moment = datetime.fromisoformat(when)
        if len(when) <= 10:
            moment = moment.replace(hour=23, minute=59)
        if not zone:
            return moment.astimezone()
        named = ZoneInfo(zone)
        return moment.astimezone(named) if moment.tzinfo else moment.replace(tzinfo=named)
    except (OSError, ValueError, KeyError, OverflowError):
        return None
