"""Due dates, and what the teacher's rule takes for lateness."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.arrivals import Arrival, read_moment
from notebook_judge.grading.results import Lateness, NotebookResult, tidy_number
from notebook_judge.grading.tables import BadTable, one_of, read_table

_UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
_RULE = re.compile(r"(\d{1,3})\s*%?(?:\s*/\s*(hour|day|week))?(?:\s*,\s*at most\s+(\d{1,3})\s*%?)?")
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

    def share(self, late: timedelta, days: timedelta) -> float:
        """The share of the points that is taken; where the time is not known, one unit's.

        Args:
            late: how much time has passed.
            days: the same by the calendar, in which every day has 24 hours.
        """
        measured = late if self.unit == "hour" else days
        units = -(-measured // _UNITS[self.unit]) if self.unit else 1
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

    def applied(self, result: NotebookResult, came: Arrival) -> NotebookResult:
        """A notebook's result with when it came, and what is taken if that was late."""
        places = [(who, what) for who in (result.learner, "") for what in (result.lesson, "")]
        due = next((self.due[place] for place in places if place in self.due), None)
        if result.status != "graded" or (due is None and not came.late):
            return result
        if came.doubt:
            result = replace(result, notes=(*result.notes, came.doubt))
        late = days = timedelta()
        if due and came.moment and came.late is not False:
            # What has no seconds lasts to the end of its minute.
            second = came.moment.second if due.second or due.microsecond else 0
            moment = came.moment.replace(second=second, microsecond=0)
            # In one zone, Python would take the times on the wall for those that have passed.
            late = max(moment.astimezone(UTC) - due.astimezone(UTC), timedelta())
            days = _on_the_wall(moment, due) - _on_the_wall(due, due)
        known = Lateness(_shown(due), _shown(came.moment), source=came.source)
        if not late and not came.late:
            return replace(result, late=known)
        penalty = tidy_number(self.rule.share(late, days) * result.points)
        by = _words(days if days >= _UNITS["day"] else late) if late else "late, as Canvas says"
        says = f"Handed in {by}{f' after it was due ({known.due})' if late else ''}: "
        says += f"{penalty} of {result.points} points are taken"
        says += f" ({self.rule})." if self.rule.percent else "."
        hours = tidy_number(late / timedelta(hours=1)) if late else None
        return replace(result, late=replace(known, hours=hours, penalty=penalty, says=says))


def read_deadlines(given: str, rule: Rule, learners: Collection[str]) -> Deadlines:
    """Read ``--due``: one date for all, or a CSV with the columns lesson, due and perhaps learner.

    Args:
        given: see ``read_moment``; a day lasts to its end, and so does a minute.
            Empty: nothing is due.
        rule: what lateness costs.
        learners: of the class.

    Raises:
        BadTable: see ``read_table``; or a row names an unknown lesson or learner, or no date.
    """
    if not given:
        return Deadlines(rule=rule)
    if (due := read_moment(given)) is not None:
        return Deadlines({("", ""): due}, rule)
    if not Path(given).exists():
        raise BadTable(f"{given!r} is no date such as 2030-03-01T23:59, and there is no such table")
    dates: dict[tuple[str, str], datetime] = {}
    for line, row in read_table(Path(given), ("lesson", "due")):
        where = f"{given!r}, line {line}"
        who, what = row.get("learner", ""), row["lesson"]
        who = who and one_of(who, learners, f"{where}: no learner")
        what = what and one_of(what, catalogue().lessons, f"{where}: no lesson")
        due = read_moment(row["due"])
        if due is None:
            raise BadTable(f"{where}: {row['due']!r} is no date such as 2030-03-01T23:59")
        if (who, what) in dates:
            raise BadTable(f"{where}: a second date for {what or 'all lessons'}")
        dates[who, what] = due
    return Deadlines(dates, rule)


def _on_the_wall(moment: datetime, due: datetime) -> datetime:
    """By the calendar that a due date is read on: its zone's, if it has a name, or this machine's.

    There every day is a day, also one of 23 or 25 hours.
    """
    zone = due.tzinfo if isinstance(due.tzinfo, ZoneInfo) else None
    return moment.astimezone(zone).replace(tzinfo=None)


def _shown(moment: datetime | None) -> str:
    return f"{moment.astimezone():{_SHOWN}}" if moment else ""


def _words(late: timedelta) -> str:
    """``2 days 3 h``, ``5 h 20 min``."""
    hours, minutes = divmod(-(-late // timedelta(minutes=1)), 60)
    days, hours = divmod(hours, 24)
    parts = [(days, f"day{'s' * (days != 1)}"), (hours, "h"), (minutes, "min")]
    first = next(at for at, (number, _) in enumerate(parts) if number)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number)
