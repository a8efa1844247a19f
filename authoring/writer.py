"""The writer that the course ships: lesson 11's block of today, trained on everyday English.

``python -m authoring.writer prepare --texts FOLDER --data DATA`` cuts the text into pieces.
``python -m authoring.writer train --texts FOLDER --out OUT --minutes 5 --device cuda`` goes through
the runs of ``RUNS``; of those with one name the weights with the lowest loss on held-out text stay.
It needs PyTorch, NumPy, safetensors and tokenizers, and no install.
"""

import argparse
import math
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.first_gpu import Report, Row
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.vocabulary import END, START, UNKNOWN, Vocabulary

TOKENS, TEXTS = 64, 256  # of a text, as in lesson 11; of a batch
PIECES = (1024, 4096)  # of the vocabularies: that of lesson 11, and a larger one
_LONGEST, _OTHERS = 120, 130_000  # letters of a sentence that is not everyday; how many are kept
_EVALUATIONS = 25  # in a run
_AVERAGED = 100  # steps, over which the weights are averaged
_TINY = {"d_model": 32, "d_ff": 64}
Ids = NDArray[np.uint16]


@dataclass(frozen=True)
class Run:
    """One training.

    Attributes:
        name: of the file of its weights.
        passes: how often it reads each everyday sentence.
        dropout: of all layers.
        others: how many sentences of other sources it reads at first for each everyday one; they
            grow fewer, and the last third of the passes is everyday text alone.
        pieces: of its vocabulary.
        rate: the highest learning rate.
        compiled: whether its layers are compiled, on a GPU.
    """

    name: str
    passes: int
    dropout: float
    others: float = 0.0
    pieces: int = PIECES[0]
    rate: float = 0.004
    compiled: bool = True


RUNS = (
    Run("everyday", 24, 0.2, compiled=False),  # there is a writer, should a compiler hang
    Run("mixture", 30, 0.2, others=2.0),
    Run("everyday-4096", 32, 0.3, pieces=PIECES[1]),
    Run("everyday", 48, 0.3),
    Run("mixture", 40, 0.1, others=3.0),
    Run("everyday", 40, 0.3, rate=0.002),
    Run("mixture", 60, 0.2, others=3.0, rate=0.002),
)


def config(pieces: int, dropout: float = 0.0, **sizes: int) -> ModelConfig:
    """Return today's block, as lesson 11 builds it, at the size that is shipped."""
    return ModelConfig(
        pieces,
        d_model=sizes.get("d_model", 256),
        num_heads=4,
        num_kv_heads=2,
        d_ff=sizes.get("d_ff", 672),
        num_layers=7 if pieces < 2_000 else 6,
        max_tokens=TOKENS,
        dropout=dropout,
        norm_type="rms",
        bias=False,
        activation="swiglu",
        positions="rotary",
        qk_norm=True,
    )


def prepare(texts: Path, data: Path) -> None:
    """Write the vocabularies, and the ids of all sentences, each followed by its end."""
    from authoring.mixture import training_text
    from transformer_lesson.translation.typed import nearest

    corpus = load_everyday()
    everyday, validation = (
        [pair.english for pair in part] for part in (corpus.train, corpus.validation)
    )
    found = training_text(data)
    others = dict.fromkeys(
        english
        for name in ("captions", "news", "parliament")
        for english, _ in found[name]
        if len(english) <= _LONGEST
    )
    texts.mkdir(parents=True, exist_ok=True)
    for pieces in PIECES:
        vocabulary = Vocabulary.train(everyday, pieces)
        cut = partial(_cut, vocabulary)
        chosen = [nearest(text, vocabulary.alphabet) for text in others]
        Random(0).shuffle(chosen)
        vocabulary.save(texts / f"{pieces}.json")
        arrays: dict[str, Any] = {"everyday": cut(everyday), "validation": cut(validation)}
        arrays["letters"] = np.array(sum(len(text) + 1 for text in validation))
        if pieces == PIECES[0]:  # the one that is trained on a mixture
            arrays["others"] = cut(chosen[:_OTHERS])
        np.savez_compressed(texts / f"{pieces}.npz", **arrays)


def _cut(vocabulary: Vocabulary, sentences: Sequence[str]) -> Ids:
    rows = [row for row in vocabulary.encode_all(sentences) if UNKNOWN not in row]
    return np.array([i for row in rows for i in (*row, END)], np.uint16)


def shuffled(stream: Ids, random: np.random.Generator, most: int | None = None) -> Ids:
    """Return the sentences of ``stream`` in a new order; at most ``most`` of them."""
    stops = np.flatnonzero(stream == END) + 1
    starts = np.concatenate([[0], stops[:-1]])
    order = random.permutation(len(stops))[:most]
    lengths = stops[order] - starts[order]
    shifts = starts[order] - np.concatenate([[0], lengths.cumsum()[:-1]])
    return stream[np.repeat(shifts, lengths) + np.arange(lengths.sum())]


def rows(stream: Ids) -> Ids:
    """Return texts ``(rows, TOKENS + 1)`` of sentences, each but the last whole.

    Before the first one stands an end, or in every second text a start.
    """
    stream = np.concatenate([np.array([END], np.uint16), stream])
    ends = np.flatnonzero(stream == END)
    places = np.arange(0, len(stream) - TOKENS, TOKENS)
    begins = ends[np.searchsorted(ends, places, side="right") - 1]
    texts = stream[begins[:, None] + np.arange(TOKENS + 1)]
    texts[::2, 0] = START
    return texts


def drawn(run: Run, texts: dict[str, Ids], number: int, device: str) -> Tensor:
    """Return the texts of pass ``number``, in a random order."""
    random = np.random.default_rng([1, number])
    left = max(1 - number / (run.passes * 2 / 3), 0.0)
    parts = [texts["everyday"]]
    if most := round(run.others * left * np.count_nonzero(texts["everyday"] == END)):
        parts.append(shuffled(texts["others"], random, most))
    return on(device, rows(shuffled(np.concatenate(parts), random)))


def on(device: str, ids: Ids) -> Tensor:
    """Return ids as PyTorch takes them, on ``device``."""
    return torch.from_numpy(ids.astype(np.int64)).to(device)


def loss(model: nn.Module, batch: Tensor) -> Tensor:
    """Return the mean loss of each next piece of ``batch (texts, tokens + 1)``, in nats."""
    logits = model(batch[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())


class Training:
    """The weights of one run, its optimizer, and the average of its last weights."""

    def __init__(self, run: Run, device: str, *, compiled: bool, **sizes: int) -> None:
        self.run, self.device = run, device
        settings = config(run.pieces, run.dropout, **sizes)
        self.model = DecoderOnly(settings, generator=seeded(0), device=device)
        self.average = DecoderOnly(settings, generator=seeded(0), device=device).eval()
        if compiled:
            for layer in self.model.decoder.layers:  # one after the other: they share their code
                layer.compile()
        matrices = [p for p in self.model.parameters() if p.dim() > 1]
        vectors = [p for p in self.model.parameters() if p.dim() < 2]
        groups: list[dict[str, Any]] = [
            {"params": matrices, "weight_decay": 0.1},
            {"params": vectors},
        ]
        self.adamw = torch.optim.AdamW(
            groups, lr=0.0, betas=(0.9, 0.95), weight_decay=0.0, fused=True
        )
        self.plan = TrainingConfig(
            steps=1_000, learning_rate=run.rate, warmup_steps=30, schedule="cosine"
        )

    def step(self, batch: Tensor, progress: float) -> Tensor:
        """Change the weights once, at the rate of ``progress``, from 0 to 1; return the loss."""
        with torch.autocast(self.device, torch.bfloat16):
            found = loss(self.model, batch)
        found.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.adamw.param_groups:
            group["lr"] = learning_rate(1 + int(999 * progress), self.plan)
        self.adamw.step()
        self.adamw.zero_grad()
        with torch.no_grad():
            averages: list[Tensor] = list(self.average.parameters())
            weights: list[Tensor] = list(self.model.parameters())
            torch._foreach_lerp_(averages, weights, 1 / _AVERAGED)
        return found.detach()

    @torch.no_grad()
    def held_out(self, texts: Tensor) -> float:
        """Return the loss of the averaged weights on ``texts``."""
        return loss(self.average, texts).item()


def begun(run: Run, batch: Tensor, device: str, report: Report, sizes: dict[str, int]) -> Training:
    """Return a training whose layers are compiled; if that fails, one whose are not."""
    try:
        training = Training(run, device, compiled=run.compiled and device == "cuda", **sizes)
        training.step(batch, 0.0)
    except Exception as error:
        told = "".join(traceback.format_exception(error)[-2:])
        report.add(run.name, "not compiled", error=str(error)[:500], trace=told)
        training = Training(run, device, compiled=False, **sizes)
        training.step(batch, 0.0)
    return training


def trained(
    report: Report, run: Run, asked: argparse.Namespace, share: float
) -> Iterator[tuple[str, Row]]:
    """Train for all passes of a run, or ``share`` of the time that is left; tell what it finds."""
    limit, began = report.left * share, time.monotonic()
    with np.load(asked.texts / f"{run.pieces}.npz") as file:
        texts = dict(file)
    held_out = on(asked.device, rows(texts["validation"]))
    # Pieces a letter, by which vocabularies are compared; an end counts as one.
    finer = len(texts["validation"]) / texts["letters"].item()
    first = drawn(run, texts, 0, asked.device)[:TEXTS]
    training = begun(run, first, asked.device, report, _TINY if asked.tiny else {})
    start, best, step, progress = time.monotonic(), math.inf, 0, 0.0
    limit = max(limit - (start - began), 10.0)
    yield "begun", {"run": str(run), "after": start - began, "limit": limit}
    for number in range(run.passes):
        batches, losses = drawn(run, texts, number, asked.device).split(TEXTS), list[Tensor]()
        for place, batch in enumerate(batches[:-1]):  # the last one is smaller
            within = (number + place / len(batches)) / run.passes
            progress = max(progress, within, (time.monotonic() - start) / limit)
            if progress >= 1:
                break
            losses.append(training.step(batch, progress))
            step += 1
        last = number == run.passes - 1 or progress >= 1
        if last or not number % max(run.passes // _EVALUATIONS, 1):
            found = training.held_out(held_out)
            if found < best:
                best = found
                keep(training.average, run, report, asked.out, best)
            row: Row = {"steps": step, "held out": found, "best": best}
            row |= {"a letter": best * finer, "s": time.monotonic() - start}
            row["training"] = torch.stack(losses).mean().item() if losses else None
            yield f"pass {number + 1}", row
        if last:
            return


def keep(model: nn.Module, run: Run, report: Report, out: Path, found: float) -> None:
    """Write the weights in half precision, unless an earlier run of this name had a lower loss."""
    earlier = [r["best"] for r in report.rows if r["step"] == run.name and "best" in r]
    if found < min(earlier, default=math.inf):
        weights = {name: weight.half().contiguous() for name, weight in model.state_dict().items()}
        settings = {"pieces": str(run.pieces), "run": str(run), "loss": str(found)}
        save_file(weights, out / f"{run.name}.safetensors", settings)


def train(asked: argparse.Namespace) -> None:
    """Go through the runs; what fails is a row of the report, and ends its run alone."""
    asked.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    report = Report(asked.out, "writer", 60 * asked.minutes)
    report.end_at_last()
    for left, run in zip(range(len(RUNS), 0, -1), RUNS, strict=True):
        report.run(partial(trained, run=run, asked=asked, share=1 / left), run.name)


def main() -> int:
    """Prepare or train; always 0."""
    parser = argparse.ArgumentParser("python -m authoring.writer", description=__doc__)
    parser.add_argument("what", choices=("prepare", "train"))
    parser.add_argument("--texts", type=Path, default=Path("runs/writer-texts"))
    parser.add_argument("--data", type=Path, help="the folder of the other sources, to prepare")
    parser.add_argument("--out", type=Path, default=Path("runs/writer"))
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true", help="a narrow model, to try the code")
    asked = parser.parse_args()
    if asked.what == "prepare":
        prepare(asked.texts, asked.data)
    else:
        train(asked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
