"""Due dates, when a notebook was handed in, and what the teacher's rule takes for lateness."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from transformer_checks import catalogue
from transformer_checks.grading.platforms import marked_late, place_of
from transformer_checks.grading.results import Lateness, NotebookResult, tidy_number
from transformer_checks.grading.tables import BadTable, one_of, read_table

_UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
_RULE = re.compile(r"(\d{1,3})\s*%?(?:\s*/\s*(hour|day|week))?(?:\s*,\s*at most\s+(\d{1,3})\s*%?)?")
# Blackboard's name for a file, which nbgrader's collector of archives takes over.
_ATTEMPT = re.compile(r"_attempt_(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)_")
_SHOWN = "%Y-%m-%d %H:%M"


@dataclass(frozen=True)
class Rule:
    """What lateness costs: so many percent of the points for each unit begun, or once.

    Attributes:
        percent: of the points that the notebook would have.
        unit: hour, day or week; empty: however late it is.
        most: percent that are taken at most.
    """

    percent: int = 0
    unit: str = ""
    most: int = 100

    def share(self, late: timedelta) -> float:
        """The share of the points that is taken; where the time is not known, one unit's."""
        units = -(-late // _UNITS[self.unit]) if self.unit else 1
        return min(self.percent * max(units, 1), self.most) / 100

    def __str__(self) -> str:
        each = f" for each {self.unit} begun" if self.unit else ""
        most = f", at most {self.most} %" if self.most < 100 else ""
        return f"{self.percent} %{each}{most}"


def read_rule(text: str) -> Rule:
    """Read ``10%/day`` or ``5/hour, at most 50``; nothing is no rule.

    Raises:
        BadTable: it is none.
    """
    if not text:
        return Rule()
    found = _RULE.fullmatch(text.strip())
    percent, most = (int(found[1]), int(found[3] or 100)) if found else (101, 0)
    if not found or percent > 100 or most > 100:
        raise BadTable(f"{text!r} is no rule such as '10%/day' or '10%/day, at most 50%'")
    return Rule(percent, found[2] or "", most)


@dataclass(frozen=True)
class Deadlines:
    """When everything is due.

    Attributes:
        due: by learner and lesson; an empty name stands for all that are not named.
        rule: what lateness costs.
    """

    due: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    rule: Rule = Rule()

    def applied(self, result: NotebookResult, path: Path) -> NotebookResult:
        """A notebook's result with when it came, and what is taken if that was late."""
        places = [(who, what) for who in (result.learner, "") for what in (result.lesson, "")]
        due = next((self.due[place] for place in places if place in self.due), None)
        marked = marked_late(path)
        if result.status != "graded" or (due is None and not marked):
            return result
        came = submitted(path)
        late = came - due if due and came and marked is not False else timedelta()
        known = Lateness(_shown(due), _shown(came))
        if late <= timedelta() and not marked:
            return replace(result, late=known)
        late = max(late, timedelta())
        penalty = tidy_number(self.rule.share(late) * result.points)
        by = _words(late) if late else "late, as Canvas says"
        says = f"Handed in {by}{f' after it was due ({known.due})' if late else ''}: "
        says += f"{penalty} of {result.points} points are taken"
        says += f" ({self.rule})." if self.rule.percent else "."
        hours = tidy_number(late / timedelta(hours=1)) if late else None
        return replace(result, late=replace(known, hours=hours, penalty=penalty, says=says))


def read_deadlines(given: str, rule: Rule, learners: Collection[str]) -> Deadlines:
    """Read ``--due``: one date for all, or a CSV with the columns lesson, due and perhaps learner.

    Args:
        given: ISO 8601, also with a zone's name behind it; where there is no zone, in this
            machine's; a day lasts to its end.
            Empty: nothing is due.
        rule: what lateness costs.
        learners: of the class.

    Raises:
        BadTable: see ``read_table``; or a row names an unknown lesson or learner, or no date.
    """
    if not given:
        return Deadlines(rule=rule)
    if (due := _moment(given)) is not None:
        return Deadlines({("", ""): due}, rule)
    dates: dict[tuple[str, str], datetime] = {}
    for line, row in read_table(Path(given), ("lesson", "due")):
        where = f"{given!r}, line {line}"
        who, what = row.get("learner", ""), row["lesson"]
        who = who and one_of(who, learners, f"{where}: no learner")
        what = what and one_of(what, catalogue.LESSONS, f"{where}: no lesson")
        due = _moment(row["due"])
        if due is None:
            raise BadTable(f"{where}: {row['due']!r} is no date such as 2030-03-01T23:59")
        if (who, what) in dates:
            raise BadTable(f"{where}: a second date for {what or 'all lessons'}")
        dates[who, what] = due
    return Deadlines(dates, rule)


def _moment(text: str) -> datetime | None:
    """A date or a time in ISO 8601; behind it may stand a zone's name, as nbgrader writes it."""
    when, _, zone = text.strip().rpartition(" ")
    if not zone[:1].isalpha():
        when, zone = text.strip(), ""
    try:
        moment = datetime.fromisoformat(when)
        if len(when) <= 10:
            moment = datetime.combine(moment, time(23, 59, 59))
        return (moment.replace(tzinfo=ZoneInfo(zone)) if zone else moment).astimezone()
    except (OSError, ValueError, KeyError, OverflowError):  # also where no such zone is known
        return None


def submitted(path: Path) -> datetime | None:
    """When a file was handed in: as its platform wrote it down, or else the file's own time.

    A learner chooses what else lies in a folder of Moodle's or Canvas's: nothing there is believed.
    """
    try:
        if place_of(path) is None:
            if found := _ATTEMPT.search(path.name):
                return _moment(f"{found[1]}T{':'.join(found.groups()[1:])}")
            stamp = path.parent / "timestamp.txt"  # nbgrader's
            if stamp.is_file() and not stamp.is_symlink():
                return _moment(stamp.read_text(encoding="utf-8"))
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    except (OSError, ValueError):
        return None


def _shown(moment: datetime | None) -> str:
    return f"{moment:{_SHOWN}}" if moment else ""


def _words(late: timedelta) -> str:
    """``2 days 3 h``, ``5 h 20 min``."""
    hours, minutes = divmod(-(-late // timedelta(minutes=1)), 60)
    days, hours = divmod(hours, 24)
    parts = [(days, f"day{'s' * (days != 1)}"), (hours, "h"), (minutes, "min")]
    first = next(at for at, (number, _) in enumerate(parts) if number)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number)
