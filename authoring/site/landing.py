"""The landing page: what its template shows, taken from the lessons, the checks and the claims."""

import re
from dataclasses import asdict
from typing import Any

import nbformat

from authoring.execute import ROOT
from authoring.site.pages import inline
from authoring.times import READ_ME, START, hours, parts_of, prose_of
from notebook_judge.checks.calls import call_all
from notebook_judge.checks.earlier_answers import stand_in
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.judge import judge
from notebook_judge.checks.panel import verdict_panel
from transformer_checks.catalogue import find
from transformer_lesson.widgets.machine import name_of, state_of
from transformer_lesson.widgets.machine_parts import KINDS, scene

VIEW = "sentence-explorer-page"
ROW = re.compile(r"^\| (\d\d) \| (.+?) \| (.+?) \| ([\d +]+) min \|$", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
COMMANDS = re.compile(r"```\n(git clone .*?)```", re.DOTALL)
# Said by many, and most readers would bet on them; the first is in most textbooks.
TEASERS = ("encoder.gradients", "greedy.best_text", "training.bigger")


def shown() -> dict[str, Any]:
    """Return what the template shows besides the claims."""
    return {
        "live": live(),
        "cards": cards(),
        "hours": hours(),
        "scene": asdict(scene()),
        "teasers": TEASERS,
        "wrong": wrong(),
        "install": install(),
    }


def live() -> str:
    """Return the view at the top of the page: the translator, as lesson 00 has stored it."""
    for cell in nbformat.read(START, 4).cells:
        for output in cell.get("outputs", []):
            if VIEW in (page := str(output.get("data", {}).get("text/html", ""))):
                return page.replace('"folder": "model"', '"folder": "notebooks/model"')
    raise ValueError(f"{START.name} holds no {VIEW} to show on the landing page.")


def cards() -> list[dict[str, Any]]:
    """Return the lessons as the map of lesson 00 has them: their parts, question and minutes.

    Each has the states of the machine's parts, by kind, and the names of those that are lit.
    """
    return [
        {
            "number": number,
            "title": names[0].upper() + names.partition(",")[0][1:],
            "states": (states := {kind: state_of(kind, number) for kind in KINDS}),
            "lit": {
                kind: name_of(kind).removeprefix("N ")
                for kind, state in states.items()
                if state == "lit"
            },
            "question": inline(question),
            "parts": [
                {
                    "name": name,
                    "page": path.relative_to(ROOT).with_suffix(".html").as_posix(),
                    "minutes": int(minutes),
                }
                for name, path, minutes in zip(
                    names.split(", "), parts_of(number), times.split(" + "), strict=True
                )
            ],
        }
        for number, links, question, times in ROW.findall(prose_of(START))
        for names in [LINK.sub(r"\1", links)]
    ]


def mistake() -> tuple[Check, Slip]:
    """Return the exercise and the mistake with which a check shows what it says."""
    check = find("attention.softmax")
    (slip,) = (one for one in check.slips if one.name == "no maximum subtracted")
    return check, slip


def wrong() -> str:
    """Return what the check says to somebody who made that mistake."""
    check, slip = mistake()
    cases = check.cases(0)
    answer = stand_in(check.answer, check.text.edited(slip.edits).whole)
    outcomes = call_all(check, answer, cases)
    return repr(verdict_panel(check, judge(check, cases, outcomes)))


def install() -> str:
    """Return the commands of the README, with which everybody begins."""
    found = COMMANDS.search(READ_ME.read_text(encoding="utf-8"))
    if not found:
        raise ValueError("README.md has no block of code that begins with git clone.")
    return found[1]
