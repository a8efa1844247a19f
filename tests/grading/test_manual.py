"""What docs/grading.md lists is what the grader has."""

import re
from dataclasses import asdict

from authoring.environment import ROOT
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.reports.formats import CLASS_COLUMNS, EXERCISE_COLUMNS

MANUAL = (ROOT / "docs/grading.md").read_text("utf-8")
UNITS = {"MiB": 2**20, "GiB": 2**30}


def rows(title: str) -> list[list[str]]:
    """The cells of the tables under a heading."""
    section = MANUAL.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [row.strip("|").split("|") for row in re.findall(r"^\| `.*\|$", section, re.MULTILINE)]


def number(text: str) -> float:
    value, _, unit = text.strip().partition(" ")
    return float(value) * UNITS.get(unit, 1)


def test_it_lists_every_limit_with_its_default() -> None:
    said: dict[str, float] = {}
    for names, _, defaults in rows("Limits"):
        found = re.findall(r"`(\w+)`", names)
        said |= zip(found, map(number, defaults.split(",")), strict=True)
    assert said == asdict(Limits())


def test_it_says_what_each_column_of_the_tables_holds() -> None:
    said = [name for row in rows("The tables") for name in re.findall(r"`(\w+)`", row[0])]
    whole, beside = len(CLASS_COLUMNS), ["notebook", "path", "lesson", "learner"]
    assert sorted(said[:whole]) == sorted(CLASS_COLUMNS)
    assert sorted(said[whole:] + beside) == sorted(EXERCISE_COLUMNS)
