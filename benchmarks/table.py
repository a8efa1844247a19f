"""What was measured, as tables: a few rows for the README, all for ``docs/measured.md``.

The README's begin with how good the shipped translator is, which its own scores say.

``python -m benchmarks.table`` prints the few, ``--write`` puts both where they belong. All is read
from ``results/``; what breaks its promise stands in both.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import Measured

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "results"
RESULTS = FOLDER / "promises.json"
SCORES = ROOT / "transformer_lesson/translation/data/model/scores.json"
README, ALL = ROOT / "README.md", ROOT / "docs" / "measured.md"
BEGIN, END = "<!-- python -m benchmarks.table --write -->\n", "<!-- end -->\n"
# What a reader may want to know first, as far as the broken promises and a GPU leave room.
ROWS = (
    "from clone to JupyterLab",
    "grading a class of 100 notebooks, lesson 02",
    "forward and backward of an encoder-decoder, in times of nn.Transformer",
    "captions: BLEU",
)
SHOWN = 6
# What `first_gpu` timed, and the rivals that stand in the tables.
SPEED = re.compile(r"width \d+ (?:causal|full) \d+ (forward|backward), TFLOP/s")
RIVALS = {"flash": "PyTorch's flash", "cudnn": "cuDNN"}
# What is asked of our kernels in half precision, in times of a rival's speed.
ASKED = {("forward", "flash"): 1.0, ("forward", "cudnn"): 0.75, ("backward", "flash"): 0.9}
HEAD = "| | measured | promised | |\n|---|---|---|---|\n"
HEAD_OF_ALL = "| | | measured | promised | |\n|---|---|---|---|---|\n"


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


def line(figure: dict[str, Any]) -> str:
    """A row of a table."""
    return row_of(of(figure))


def row_of(row: Measured) -> str:
    """The same of a figure that is at hand."""
    words = row.what.replace("nn.Transformer", "`nn.Transformer`")
    return f"| {words} | {row.shown} | {row.promised} | {'' if row.kept else '**missed**'} |\n"


def table() -> str:
    """The few rows, in Markdown.

    Raises:
        KeyError: if a chosen row has not been measured.
    """
    figures = {figure["what"]: figure for figure in measured()}
    missed, of_gpus = broken(), on_gpus()
    room = SHOWN - 1 - len(missed) - len(of_gpus)
    chosen = [figures[what] for what in ROWS[: max(room, 0)] if figures[what] not in missed]
    rows = [shipped(), *map(line, chosen), *of_gpus, *map(line, missed)]
    return HEAD + "".join(rows)


def shipped() -> str:
    """A row for the translator that comes with the course."""
    scores = json.loads(SCORES.read_text("utf-8"))["scores"]
    (one,) = (s for s in scores if (s["set"], s["weights"], s["beam"]) == ("everyday", "int8", 4))
    words = f"BLEU of the shipped translator, {one['pairs']:,} everyday sentences, a beam of 4"
    return f"| {words} | {one['bleu']} | | |\n"


def timed() -> dict[str, list[dict[str, Any]]]:
    """What `first_gpu` kept of the speed of our kernels, by the name of the GPU."""
    found = {}
    for path in sorted(FOLDER.glob("first-gpu-*.json")):
        device, *rows = json.loads(path.read_text("utf-8"))
        found[f"{device['what']}, {device['date']}"] = [
            row for row in rows if row["step"] == "speed" and SPEED.fullmatch(row["what"])
        ]
    return found


def slowest(device: str, direction: str, rival: str) -> Measured:
    """Our kernels in times of a rival, at the shape where they are slowest."""
    shares = [row[f"ours/{rival}"] for row in timed()[device] if direction in row["what"]]
    words = f"attention {direction} on an {device}, in times of {RIVALS[rival]}, slowest shape"
    return Measured(words, min(shares), least=ASKED[direction, rival], detail=f"{max(shares):.3g}")


def on_gpus() -> list[str]:
    """A row for each GPU: our forward pass beside its rivals', from the slowest shape on."""
    rows = []
    for device in timed():
        found = [slowest(device, "forward", rival) for rival in RIVALS]
        shares = [
            f"{one.shown} to {one.detail} of {name}"
            for one, name in zip(found, RIVALS.values(), strict=True)
        ]
        asked = " and ".join(f"{one.least:g}" for one in found)
        mark = "" if all(one.kept for one in found) else "**missed**"
        words = f"speed of attention forward on an {device.partition(',')[0]}, eight shapes"
        rows.append(f"| {words} | {', '.join(shares)} | at least {asked} | {mark} |\n")
    return rows


def all_rows() -> str:
    """Every figure: those of two cores, then TFLOP/s on each GPU."""
    parts = [HEAD_OF_ALL, f"| its card {shipped()}"]
    parts += [f"| {figure['script']} {line(figure)}" for figure in measured()]
    for device in timed():
        parts += [f"| first_gpu {row_of(slowest(device, *pair))}" for pair in ASKED]
    for device, speeds in timed().items():
        names = ["ours", *RIVALS]
        parts.append(
            f"\n{device}, bfloat16, TFLOP/s:\n\n| | ours | {' | '.join(RIVALS.values())} |\n"
        )
        parts.append("|---|---|---|---|\n")
        for row in speeds:
            cells = " | ".join(f"{row[name]:.0f}" for name in names)
            parts.append(f"| {row['what'].removesuffix(', TFLOP/s')} | {cells} |\n")
    return "".join(parts)


def with_table(text: str, rows: str) -> str:
    """A page with a table in its place."""
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    return pattern.sub(lambda found: f"{BEGIN}{rows}{END}", text)


PAGES = {README: table, ALL: all_rows}


def main() -> None:
    """Print or write it."""
    parser = argparse.ArgumentParser("python -m benchmarks.table", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put both into their pages")
    if parser.parse_args().write:
        for page, rows in PAGES.items():
            page.write_text(with_table(page.read_text("utf-8"), rows()), encoding="utf-8")
    else:
        sys.stdout.write(table())


if __name__ == "__main__":
    main()
