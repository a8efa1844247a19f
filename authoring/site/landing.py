"""The landing page: what its template shows, taken from the README, the lessons and the claims."""

import re
from dataclasses import asdict
from typing import Any

import nbformat

from authoring.site.pages import inline, section
from authoring.times import START, hours
from transformer_lesson.widgets.machine import name_of, state_of
from transformer_lesson.widgets.machine_parts import KINDS, scene

VIEW = "sentence-explorer-page"
ROW = re.compile(r"^\| (\d\d) \| (.+?) \| (.+?) \| ([\d +]+) min \|$", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\.ipynb\)")
CODE = re.compile(r"```\n(.*?)```", re.DOTALL)
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
        "wrong": code("Learning with it"),
        "install": code("Two commands"),
    }


def live() -> str:
    """Return the view at the top of the page: the translator, as lesson 00 has stored it."""
    for cell in nbformat.read(START, 4).cells:
        for output in cell.get("outputs", []):
            if VIEW in (page := str(output.get("data", {}).get("text/html", ""))):
                return page.replace('"folder": "model"', '"folder": "notebooks/model"')
    raise ValueError(f"{START.name} holds no {VIEW} to show on the landing page.")


def cards() -> list[dict[str, Any]]:
    """Return the lessons as the map of the README has them: links, question and minutes.

    Each has the states of the machine's parts, by kind, and the names of those that are lit.
    """
    return [
        {
            "number": number,
            "title": (name := LINK.findall(links)[0][0])[0].upper() + name[1:],
            "states": (states := {kind: state_of(kind, number) for kind in KINDS}),
            "lit": {
                kind: name_of(kind).removeprefix("N ")
                for kind, state in states.items()
                if state == "lit"
            },
            "question": inline(question),
            "parts": [
                {"name": name, "page": f"{place}.html", "minutes": int(minutes)}
                for (name, place), minutes in zip(
                    LINK.findall(links), times.split(" + "), strict=True
                )
            ],
        }
        for number, links, question, times in ROW.findall(section("The map"))
    ]


def code(title: str) -> str:
    """Return the first block of code in a section of the README."""
    found = CODE.search(section(title))
    if not found:
        raise ValueError(f"README.md, {title!r}: no block of code, which the landing page shows.")
    return found[1]
