"""The writer that the course ships: rounded to 8 bits, measured, described.

``python -m authoring.shipped.writer_card ship FOLDER`` rounds what ``authoring.shipped.writer`` has
trained into the package, keeps what its log says, and measures.
``python -m authoring.shipped.writer_card card`` measures again: its loss, its samples, none chosen,
and how much of them stands word for word in the training text.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from authoring import named
from authoring.shipped.translator import fill, table_row
from authoring.shipped.writer import LOG, cut, loss, texts
from transformer_lesson import seeded
from transformer_lesson.models import DecoderOnly
from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.stored import (
    CONFIG,
    MODEL,
    VOCABULARY,
    load_folder,
    save_folder,
)
from transformer_lesson.translation.writer import SHIPPED, Writer

CARD, SCORES = SHIPPED / "README.md", SHIPPED / "scores.json"
MEASURED = 1_000  # texts whose words are compared with the training text
BEGINNINGS = ("I would like", "Do you", "My mother", "The old man", "If it rains")
SEEDS = {0.7: 0, 1.0: 1}  # of each temperature


def ship(folder: Path) -> None:
    """Round the weights of ``folder`` into the package; keep its log and its unrounded loss."""
    model, vocabulary = load_folder(folder, DecoderOnly)
    save_folder(SHIPPED, model, vocabulary, int8=True)
    log = json.loads((folder / f"{LOG}.json").read_text(encoding="utf-8"))
    best = min((row for row in log if "held out" in row), key=lambda row: row["held out"])
    found = {"training": best, "float32": held_out(Writer(model, vocabulary))}
    SCORES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@torch.no_grad()
def held_out(writer: Writer, most: int = 1_500) -> dict[str, float]:
    """Return the loss in nats per piece on each part of the corpus, of ``most`` sentences."""
    corpus = load_everyday()
    parts = {"training": corpus.train[::63], "validation": corpus.validation, "test": corpus.test}
    return {
        name: loss(
            writer.model, texts(cut(writer.vocabulary, [pair.english for pair in part[:most]]))
        ).item()
        for name, part in parts.items()
    }


def words(text: str) -> list[str]:
    """Return the words of a text, without marks and capitals."""
    return re.findall(r"[\w']+", text.lower())


class TrainingText:
    """The words of the sentences that it was trained on, to be found again."""

    def __init__(self, sentences: Sequence[str]) -> None:
        cut = [words(sentence) for sentence in sentences]
        self.whole = {" ".join(some) for some in cut}
        self.known = {word for some in cut for word in some}
        self._text = "\n".join(f" {' '.join(some)} " for some in cut)

    def longest(self, some: Sequence[str]) -> int:
        """Return how many words in a row stand in one sentence, in the same order."""
        begin = longest = 0
        for end in range(1, len(some) + 1):
            while begin < end and f" {' '.join(some[begin:end])} " not in self._text:
                begin += 1
            longest = max(longest, end - begin)
        return longest

    def compared(self, texts: Sequence[str]) -> dict[str, float]:
        """Return what of ``texts`` stands there, in percent."""
        every = [some for some in map(words, texts) if some]
        count = sum(map(len, every))
        return {
            "words a text": round(count / len(every), 1),
            "whole": round(100 * sum(" ".join(s) in self.whole for s in every) / len(every)),
            "longest run": round(100 * sum(map(self.longest, every)) / count),
            "unknown words": round(
                100 * sum(w not in self.known for s in every for w in s) / count, 1
            ),
        }


def measured(writer: Writer) -> dict[str, Any]:
    """Return all that the card says in numbers, and the samples."""
    corpus = load_everyday()
    text = TrainingText([pair.english for pair in corpus.train])
    drawn = {
        temperature: writer.write(texts=MEASURED, temperature=temperature, generator=seeded(seed))
        for temperature, seed in SEEDS.items()
    }
    beside = {f"the writer, temperature {t}": texts for t, texts in drawn.items()}
    beside["people, held out"] = [pair.english for pair in corpus.test[:MEASURED]]
    return {
        "parameters": sum(weight.numel() for weight in writer.model.parameters()),
        "bytes": sum((SHIPPED / name).stat().st_size for name in (MODEL, CONFIG, VOCABULARY)),
        "8 bits": held_out(writer),
        "first 300": held_out(writer, 300),
        "compared": {name: text.compared(texts) for name, texts in beside.items()},
        "samples": {str(t): texts[:40] for t, texts in drawn.items()},
        "beginnings": [
            writer.write(one, texts=4, generator=seeded(n)) for n, one in enumerate(BEGINNINGS)
        ],
    }


def table(found: dict[str, Any]) -> str:
    """Return the figures and the samples as the card shows them."""
    lines = [
        f"{found['parameters']:,} weights, {found['bytes'] / 1e6:.1f} MB with the vocabulary. "
        f"Trained for {found['training']['steps']:,} steps, {found['training']['seconds']:.0f} s.",
        "",
        table_row("nats per piece", "training", "validation", "test"),
        table_row(*["---"] * 4),
    ]
    for name in ("float32", "8 bits"):
        lines.append(table_row(name, *(f"{value:.3f}" for value in found[name].values())))
    first = next(iter(found["compared"].values()))
    lines += [
        "",
        table_row(f"of {MEASURED:,} texts", *first),
        table_row(*["---"] * (1 + len(first))),
    ]
    for name, values in found["compared"].items():
        lines.append(table_row(name, *map(str, values.values())))
    for temperature, drawn in found["samples"].items():
        seed = SEEDS[float(temperature)]
        lines += ["", f"The first {len(drawn)} of seed {seed}, temperature {temperature}:", ""]
        lines += [f"- {text}" for text in drawn]
    lines += ["", "Four for each beginning, temperature 0.7, seeds 0, 1, …:", ""]
    lines += [f"- {' / '.join(drawn)}" for drawn in found["beginnings"]]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Ship and measure, or measure again; return the exit code."""
    match arguments:
        case ["ship", folder]:
            ship(Path(folder))
        case ["card"]:
            pass
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    found = json.loads(SCORES.read_text(encoding="utf-8")) | measured(Writer.shipped())
    SCORES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    fill(CARD, table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
