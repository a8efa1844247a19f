"""Real text: what the course's command line learns from it in minutes.

``python -m benchmarks.real_text DATA [RUN …]`` makes all runs of `RUNS`, or those named, and
stores in ``results/real_text.json`` the machine, date, command, learning curve and scores of each.
All of them take about two and a half hours. A run that was stopped goes on from its last checkpoint
in ``runs/``; without its folder there it begins anew. ``DATA`` holds a folder for each corpus, with
``train``, ``valid`` and ``test`` as line-aligned ``.en.gz`` and ``.fr.gz``.
"""

import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.harness import promise, run, seconds
from transformer_lesson.training import TokenBatches
from transformer_lesson.translation.corpora import Pair
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.translator import Translator, examples
from transformer_lesson.translation.vocabulary import PADDING

RESULTS = Path(__file__).parent / "results" / "real_text.json"
FOLDER = Path("runs")
# Length penalties of the beam, from the usual one to one that asks for longer texts.
PENALTIES = (0.6, 1.0, 1.5, 2.0)
PENALISED = 500


@dataclass(frozen=True)
class Run:
    """A training on one corpus, or on several together.

    Attributes:
        corpora: folders below ``DATA``. Validation and test are the last one's.
        options: the options of the command, apart from the files.
        most_seconds: longest training promised.
        least_bleu: lowest BLEU promised on the test set, with greedy search.
    """

    corpora: tuple[str, ...]
    options: str
    most_seconds: float | None = None
    least_bleu: float | None = None


_READ = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
RUNS = {name: Run(**{**run, "corpora": tuple(run["corpora"])}) for name, run in _READ.items()}


def files(data: Path, run: Run, split: str) -> tuple[Path, Path]:
    """Return the English and the French file of a split."""
    if split != "train" or len(run.corpora) == 1:
        folder = data / run.corpora[-1]
        return folder / f"{split}.en.gz", folder / f"{split}.fr.gz"
    return joined(data, run.corpora, "en"), joined(data, run.corpora, "fr")


def joined(data: Path, corpora: Sequence[str], language: str) -> Path:
    """Write the training text of all corpora into one file in ``runs/``, and return it."""
    FOLDER.mkdir(exist_ok=True)
    whole = FOLDER / f"{'-'.join(corpora)}.{language}.gz"
    # What gzip packed one after the other, it unpacks as one text.
    parts = [(data / corpus / f"train.{language}.gz").read_bytes() for corpus in corpora]
    whole.write_bytes(b"".join(parts))
    return whole


def command(run: Run, data: Path, out: Path) -> list[str]:
    """Return the training command, as typed after ``python``."""
    words = ["-m", "transformer_lesson.translation", "train", "--out", str(out)]
    for option, split in (("train", "train"), ("validation", "valid"), ("test", "test")):
        words += [f"--{option}", *map(str, files(data, run, split))]
    return words + run.options.split()


def measure(run: Run, data: Path, out: Path) -> dict[str, Any]:
    """Train in ``out``, or go on there, and score; return what is stored."""
    words = command(run, data, out)
    whole = seconds(lambda: subprocess.run([sys.executable, *words], check=True))
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    recipe = Recipe(**json.loads((out / "run.json").read_text(encoding="utf-8"))["recipe"])
    translator = Translator.load(out)
    training, validation, pairs = (
        read_pairs(files(data, run, split)) for split in ("train", "valid", "test")
    )
    penalty = best_penalty(translator, validation)
    ids = examples(training, translator.vocabulary, recipe.max_tokens)
    batches = TokenBatches(ids, recipe.batch_tokens, padding_id=PADDING)
    return {
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), torch {torch.__version__}",
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["python", *words]).replace(str(data), "DATA"),
        "training pairs": len(training),
        "words": statistics.fmean(len(pair.english.split()) for pair in pairs),
        "passes": metrics["steps"] * recipe.batches_per_step / batches.per_epoch,
        "parameters": sum(p.numel() for p in translator.model.parameters()),
        "seconds of training": metrics["seconds"],
        "seconds of the command": whole,
        "tokens per second": metrics["tokens_per_second"],
        "steps": metrics["steps"],
        "validation": [[step, found["bleu"]] for step, found in metrics["evaluations"]],
        "test": {
            "greedy": scored(translator, pairs, 1),
            "beam 4": scored(translator, pairs, 4, penalty),
        },
        "examples": shown_pairs(translator, pairs[:3], training),
    }


def best_penalty(translator: Translator, validation: Sequence[Pair]) -> float:
    """Return the length penalty with the highest BLEU on the first validation pairs."""
    pairs = validation[:PENALISED]
    found = {a: scored(translator, pairs, 4, a)["bleu"] for a in PENALTIES}
    return max(PENALTIES, key=lambda penalty: found[penalty])


def scored(
    translator: Translator, pairs: Sequence[Pair], beam_width: int, length_penalty: float = 0.6
) -> dict[str, Any]:
    """Translate all, and return the score and the seconds."""
    started = time.perf_counter()
    texts = translator.translate(
        [pair.english for pair in pairs],
        beam_width=beam_width,
        length_penalty=length_penalty,
        progress=True,
    )
    took = time.perf_counter() - started
    found = score(texts, [pair.french for pair in pairs])
    setting = f"beam {beam_width}, length penalty {length_penalty}"
    print(f"{setting}, {len(pairs):,} sentences in {took:.0f} s: {found}", flush=True)
    kept = {**asdict(found), "pairs": len(pairs), "seconds": took}
    return kept if beam_width == 1 else kept | {"length_penalty": length_penalty}


def shown_pairs(
    translator: Translator, pairs: Sequence[Pair], training: Sequence[Pair]
) -> list[dict[str, object]]:
    """Return pairs with their translations, and the word of each that is rarest in training."""
    texts = translator.translate([pair.english for pair in pairs], beam_width=4)
    seen = Counter(word for pair in training for word in distinct_words(pair.english))
    shown = []
    for pair, text in zip(pairs, texts, strict=True):
        rarest = min(distinct_words(pair.english), key=lambda word: seen[word])
        row = {"english": pair.english, "french": pair.french, "translation": text}
        shown.append(row | {"rarest word": rarest, "training pairs with it": seen[rarest]})
    return shown


def distinct_words(text: str) -> list[str]:
    """Return the words of a text as they are written, each once, in order."""
    return list(dict.fromkeys(re.findall(r"\w+(?:['\u2019-]\w+)*", text)))


def keep(name: str, result: dict[str, Any]) -> None:
    """Write the result beside those of other runs."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    kept[name] = result
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Make the runs."""
    if len(sys.argv) == 1:
        print("not run: it needs a folder with real text, python -m benchmarks.real_text DATA")
        return
    data, names = Path(sys.argv[1]), sys.argv[2:] or list(RUNS)
    if unknown := [name for name in names if name not in RUNS]:
        sys.exit(f"there is no run {unknown[0]!r}; there are {', '.join(map(repr, RUNS))}")
    for name in names:
        print(f"--- {name}", flush=True)
        training = RUNS[name]
        result = measure(training, data, FOLDER / re.sub(r"\W+", "-", name))
        keep(name, result)
        took, bleu = result["seconds of training"], result["test"]["greedy"]["bleu"]
        promise(f"{name}: training", took, most=training.most_seconds, unit="s")
        promise(f"{name}: BLEU", bleu, least=training.least_bleu)


if __name__ == "__main__":
    run(main)
