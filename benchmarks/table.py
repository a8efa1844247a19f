"""The README's table of what was measured, made from ``results/``: chosen rows, and what is broken.

``python -m benchmarks.table`` prints it, and ``--write`` puts it into the README.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import Measured

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "promises.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- python -m benchmarks.table --write -->\n", "<!-- end -->\n"
# What a reader may want to know; what broke its promise stands in the table whatever it is.
ROWS = (
    "from clone to JupyterLab",
    "starting JupyterLab again",
    "notebooks/02_self_attention from top to bottom",
    "notebooks/07_training from top to bottom",
    "the slowest of all 96 checks",
    "grading a class of 100 notebooks, lesson 02",
    "memory of grading 1,000 notebooks of all lessons",
    "tokens a second of two processes, in times of one on one core",
    "a hover over a map of 128 by 128, 99th percentile",
    "a map of 6 layers, 8 heads and 64 tokens in a notebook",
    "forward and backward of an encoder-decoder, in times of nn.Transformer",
    "training of lesson 10's model, in tokens a second of nn.Transformer",
    "256 tokens with the key/value cache, 8 texts, in times of without",
    "beam 5 on 32 sentences at once, in sentences a second of one at a time",
    "a beam of 4 over 1,000 sentences",
    "captions, one minute: BLEU",
    "captions: BLEU",
    "news, from all text: BLEU",
)


def measured() -> list[dict[str, Any]]:
    """What ``python -m benchmarks`` kept, a dictionary for each figure."""
    found: list[dict[str, Any]] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
    return found


def of(figure: dict[str, Any]) -> Measured:
    """A figure with its bounds."""
    fields = ("what", "value", "unit", "most", "least", "detail")
    return Measured(**{name: figure[name] for name in fields})


def broken() -> list[dict[str, Any]]:
    """The figures that miss what was promised."""
    return [figure for figure in measured() if not of(figure).kept]


def table() -> str:
    """The table in Markdown.

    Raises:
        KeyError: if a chosen row has not been measured.
    """
    figures = {figure["what"]: figure for figure in measured()}
    missed = [figure["what"] for figure in broken()]
    lines = ["| | measured | promised | |", "|---|---|---|---|"]
    for what in (*ROWS, *(name for name in missed if name not in ROWS)):
        row = of(figures[what])
        words = what.replace("nn.Transformer", "`nn.Transformer`")
        mark = "**missed**" if what in missed else ""
        lines.append(f"| {words} | {row.shown} | {row.promised} | {mark} |")
    dates = sorted({figure["date"] for figure in figures.values()})
    return "\n".join(lines) + f"\n\nMeasured between {dates[0]} and {dates[-1]}.\n"


def with_table(text: str) -> str:
    """The README with the table in its place."""
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    return pattern.sub(lambda found: f"{BEGIN}{table()}{END}", text)


def main() -> None:
    """Print or write it."""
    parser = argparse.ArgumentParser("python -m benchmarks.table", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put it into the README")
    if parser.parse_args().write:
        README.write_text(with_table(README.read_text("utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(table())


if __name__ == "__main__":
    main()
