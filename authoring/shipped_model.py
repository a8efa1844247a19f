"""The translator that the course ships: trained, rounded to 8 bits, scored, described.

``python -m authoring.shipped_model train FOLDER`` trains it in rounds, each from the weights of the
one before (over three hours on two idle cores; the same command goes on after a stop).
``… score FOLDER CAPTIONS`` rounds it to 8 bits into the package, scores what was trained and what
is shipped, and writes the scores and the table of the model card. ``CAPTIONS`` holds the test of
Multi30k, ``test.en.gz`` and ``test.fr.gz``.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from transformer_lesson.translation.__main__ import METRICS
from transformer_lesson.translation.corpora import Pair, load_corpus, load_natural
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.translator import SHIPPED, Translator

_ALL = {
    "corpus": "everyday",
    "processes": 2,
    "batches-per-step": 2,
    "batch-tokens": 1024,
    "dropout": 0.2,
    "precision": "bfloat16",
}
_SIZES = {"vocab-size": 6000, "d-model": 256, "d-ff": 1024, "num-layers": 3}
_ROUNDS: tuple[dict[str, float], ...] = (
    {"learning-rate": 0.0015, "steps": 6500, "warmup-steps": 500, "evaluate-every": 500},
    {"learning-rate": 0.0012, "steps": 8500, "warmup-steps": 300, "evaluate-every": 500},
    {"learning-rate": 0.001, "steps": 9000, "warmup-steps": 300, "evaluate-every": 1500},
    {"learning-rate": 0.001, "steps": 6000, "warmup-steps": 300, "evaluate-every": 1500},
)
CARD, SCORES = SHIPPED / "README.md", SHIPPED / "scores.json"
BEGIN, END = "<!-- scores -->\n", "<!-- end of scores -->\n"


def rounds(folder: str) -> list[str]:
    """Return the folder of each round; the last is the given one."""
    return [*(f"{folder}-{number}" for number in range(1, len(_ROUNDS))), folder]


def commands(folder: str) -> list[list[str]]:
    """Return the command of each round, as typed after ``python``."""
    folders = rounds(folder)
    begun: list[dict[str, Any]] = [_SIZES, *({"start-from": one} for one in folders[:-1])]
    return [
        ["-m", "transformer_lesson.translation", "train"]
        + [
            word
            for name, value in {"out": out, **begin, **_ALL, **options}.items()
            for word in (f"--{name}", str(value))
        ]
        for out, begin, options in zip(folders, begun, _ROUNDS, strict=True)
    ]


def test_sets(captions: Path) -> dict[str, Sequence[Pair]]:
    """Return what is scored. No setting was chosen on any of it; validation has other sentences."""
    everyday = load_corpus("everyday").test
    return {
        "everyday, short": [pair for pair in everyday if "short" in pair.phenomena],
        "everyday": everyday,
        "natural": load_natural(),
        "captions": read_pairs((captions / "test.en.gz", captions / "test.fr.gz")),
    }


def scored(translators: dict[str, Translator], captions: Path) -> Iterator[dict[str, Any]]:
    """Score each translator on each set, greedily and with a beam of 4."""
    for name, pairs in test_sets(captions).items():
        for weights, translator in translators.items():
            for beam_width in (1, 4):
                began = time.process_time()
                texts = translator.translate(
                    [pair.english for pair in pairs], beam_width=beam_width, progress=True
                )
                seconds = time.process_time() - began
                found = score(texts, [pair.french for pair in pairs])
                row = {"set": name, "pairs": len(pairs), "weights": weights, "beam": beam_width}
                print(row, found, flush=True)
                yield row | {
                    "bleu": round(found.bleu, 1),
                    "interval": round(found.interval, 1),
                    "chrf": round(found.chrf, 1),
                    "processor seconds": round(seconds, 1),
                    "signature": found.signature,
                }


def describe(folder: Path, captions: Path) -> dict[str, Any]:
    """Return everything that the card says in numbers."""
    metrics = [
        json.loads((Path(name) / METRICS).read_text(encoding="utf-8"))
        for name in rounds(str(folder))
    ]
    shipped = Translator.shipped()
    return {
        "commands": [" ".join(["python", *words]) for words in commands("runs/everyday")],
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), torch {torch.__version__}",
        "date": datetime.date.today().isoformat(),
        "parameters": sum(weight.numel() for weight in shipped.model.parameters()),
        "bytes": sum(path.stat().st_size for path in SHIPPED.iterdir()),
        "training": metrics,
        "scores": list(scored({"float32": Translator.load(folder), "int8": shipped}, captions)),
    }


def table(found: dict[str, Any]) -> str:
    """Return the scores as a table: a row for each set, BLEU (and chrF) in the cells."""
    columns = [(weights, beam) for weights in ("float32", "int8") for beam in (1, 4)]
    heads = [f"{w}, {'greedy' if b == 1 else f'beam {b}'}" for w, b in columns]
    lines = ["| test set | pairs | " + " | ".join(heads) + " |", "| --- |" + " --- |" * 5]
    cells = {(row["set"], row["weights"], row["beam"]): row for row in found["scores"]}
    for name in dict.fromkeys(row["set"] for row in found["scores"]):
        rows = [cells[name, *column] for column in columns]
        shown = [f"{row['bleu']} ± {row['interval']} ({row['chrf']})" for row in rows]
        lines.append(f"| {name} | {rows[0]['pairs']:,} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def write_card(found: dict[str, Any]) -> None:
    """Put the numbers into the card, between its marks; the words around them stay."""
    text = CARD.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    *first, last = (
        f"{one['steps']:,} steps in {one['seconds'] / 60:.0f} minutes "
        f"({one['tokens_per_second']:,.0f} target tokens a second)"
        for one in found["training"]
    )
    spent = f"{', '.join(first)} and {last}"
    typed = "\n".join(found["commands"])
    facts = (
        f"{found['parameters']:,} weights, {found['bytes'] / 1e6:.1f} MB. Trained until "
        f"{found['date']} with {found['machine']} in {len(found['training'])} rounds: {spent}, "
        f"other work beside them, by\n\n```sh\n{typed}\n```\n\n"
        "BLEU ± half its 95 % interval, and chrF in brackets "
        f"({found['scores'][0]['signature']}):\n\n"
    )
    CARD.write_text(
        before + BEGIN + facts + table(found) + END + rest.split(END)[1], encoding="utf-8"
    )


def main(arguments: Sequence[str]) -> int:
    """Train, or score; return the exit code."""
    match arguments:
        case ["train", folder]:
            runs = (subprocess.run([sys.executable, *one], check=False) for one in commands(folder))
            return next((run.returncode for run in runs if run.returncode), 0)
        case ["score", folder, captions]:
            Translator.load(folder).save(SHIPPED, int8=True)
            found = describe(Path(folder), Path(captions))
            SCORES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            write_card(found)
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
