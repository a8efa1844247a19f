"""The landing page: what its template shows, taken from the README, the lessons and the claims."""

import base64
import io
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat

from authoring.site.pages import inline, section
from authoring.times import START, course

VIEW = "sentence-explorer-page"
ROW = re.compile(r"^\| (\d\d) \| (.+?) \| (.+?) \| ([\d +]+) min \|$", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\.ipynb\)")
PICTURE = re.compile(r'<img src="data:image/png;base64,([^"]+)"')
CODE = re.compile(r"```\n(.*?)```", re.DOTALL)
# Said by many, and most readers would bet on them.
TEASERS = ("attention.diagonal", "greedy.best_text", "training.bigger")


def shown() -> dict[str, Any]:
    """Return what the template shows besides the claims."""
    return {
        "live": live(),
        "cards": cards(),
        "teasers": TEASERS,
        "wrong": code("Learning with it"),
        "install": code("Two commands"),
    }


def live() -> str:
    """Return the view at the top of the page: the translator, as lesson 00 has stored it."""
    for page in stored(START):
        if VIEW in page:
            return page.replace('"folder": "model"', '"folder": "notebooks/model"')
    raise ValueError(f"{START.name} holds no {VIEW} to show on the landing page.")


def cards() -> list[dict[str, Any]]:
    """Return the lessons as the map of the README has them: links, question and minutes."""
    return [
        {
            "number": number,
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


def draw(folder: Path) -> None:
    """Write a picture of each lesson into a file of the lesson's number."""
    folder.mkdir(parents=True)
    for number in (card["number"] for card in cards()):
        lesson = next(path for path in course() if path.name.startswith(number))
        (folder / f"{number}.png").write_bytes(max(pictures(lesson), key=colour))


def pictures(lesson: Path) -> list[bytes]:
    """Return the pictures among the stored outputs of a notebook."""
    return [base64.b64decode(found) for page in stored(lesson) for found in PICTURE.findall(page)]


def stored(lesson: Path) -> list[str]:
    """Return the stored outputs of a notebook that are HTML: figures, views and tables.

    The drawing of the machine, which all lessons have at their heads, is not among them.
    """
    cells = [cell for cell in nbformat.read(lesson, 4).cells if "Machine(" not in cell.source]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [str(output.get("data", {}).get("text/html", "")) for output in outputs]


def colour(picture: bytes) -> float:
    """Return how colourful a picture is: the mean distance of its pixels from grey."""
    pixels = plt.imread(io.BytesIO(picture))[..., :3]
    return float((pixels.max(axis=-1) - pixels.min(axis=-1)).mean())
