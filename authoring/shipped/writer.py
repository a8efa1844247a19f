"""Train the writer that the course ships: lesson 11's block of today, on its everyday English.

    python -m authoring.shipped.writer --minutes 2 --device cuda --out runs/writer

writes the weights with the lowest loss on validation text, their vocabulary and a log. It needs
PyTorch, NumPy, safetensors and tokenizers, and no install. A fault is a row of the log.
"""

import argparse
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.first_gpu import Report, Row
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.stored import save_folder
from transformer_lesson.translation.vocabulary import END, Vocabulary

LOG = "writer"  # the name of its files
PASSES, DROPOUT, RATE = 32, 0.3, 0.004
TOKENS, TEXTS = 64, 256  # of a text, as in lesson 11; of a batch
_AVERAGED = 100  # steps, over which the weights are averaged
CONFIG = ModelConfig(
    4096,
    d_model=256,
    num_heads=4,
    num_kv_heads=2,
    num_layers=6,
    d_ff=672,
    max_tokens=TOKENS,
    dropout=DROPOUT,
    norm_type="rms",
    bias=False,
    activation="swiglu",
    positions="rotary",
    qk_norm=True,
)
Ids = NDArray[np.int64]


def cut(vocabulary: Vocabulary, sentences: Sequence[str]) -> Ids:
    """Return the ids of the sentences, each followed by an end."""
    return np.array([i for row in vocabulary.encode_all(sentences) for i in (*row, END)])


def shuffled(stream: Ids, random: np.random.Generator) -> Ids:
    """Return the sentences of ``stream`` in a new order."""
    stops = np.flatnonzero(stream == END) + 1
    starts = np.concatenate([[0], stops[:-1]])
    order = random.permutation(len(stops))
    lengths = stops[order] - starts[order]
    shifts = starts[order] - np.concatenate([[0], lengths.cumsum()[:-1]])
    return stream[np.repeat(shifts, lengths) + np.arange(lengths.sum())]


def texts(stream: Ids) -> Tensor:
    """Return texts ``(texts, TOKENS + 1)``: each begins with an end, and a sentence after it."""
    stream = np.concatenate([[END], stream])
    ends = np.flatnonzero(stream == END)
    places = np.arange(0, len(stream) - TOKENS, TOKENS)
    begins = ends[np.searchsorted(ends, places, side="right") - 1]
    return torch.from_numpy(stream[begins[:, None] + np.arange(TOKENS + 1)])


def loss(model: nn.Module, batch: Tensor) -> Tensor:
    """Return the mean loss of each next piece of ``batch (texts, tokens + 1)``, in nats."""
    logits = model(batch[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())


class Training:
    """The weights, their optimizer, and the average of the last weights."""

    def __init__(self, config: ModelConfig, device: str, *, compiled: bool) -> None:
        self.device = device
        self.model = DecoderOnly(config, generator=seeded(0), device=device)
        self.average = DecoderOnly(config, generator=seeded(0), device=device).eval()
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
            steps=1_000, learning_rate=RATE, warmup_steps=30, schedule="cosine"
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
    def held_out(self, batch: Tensor) -> float:
        """Return the loss of the averaged weights."""
        return loss(self.average, batch).item()


def begun(config: ModelConfig, batch: Tensor, device: str, report: Report) -> Training:
    """Return a training whose layers are compiled on a GPU; if that fails, one whose are not."""
    try:
        training = Training(config, device, compiled=device == "cuda")
        training.step(batch, 0.0)
    except Exception as error:
        told = "".join(traceback.format_exception(error)[-2:])
        report.add(LOG, "not compiled", error=str(error)[:500], trace=told)
        training = Training(config, device, compiled=False)
    return training


def trained(
    report: Report, config: ModelConfig, english: Sequence[Sequence[str]], out: Path, device: str
) -> Iterator[tuple[str, Row]]:
    """Train for all passes, or as long as there is time; tell what each pass brings.

    ``english`` are the sentences to train on, and those of validation.
    """
    vocabulary = Vocabulary.train(english[0], config.vocab_size)
    stream, validation = (cut(vocabulary, sentences) for sentences in english)
    held_out, best, steps, progress = texts(validation).to(device), float("inf"), 0, 0.0
    training = begun(config, texts(stream)[:TEXTS].to(device), device, report)
    start, limit = time.monotonic(), report.left
    for number in range(PASSES):
        order = np.random.default_rng([1, number])
        batches = texts(shuffled(stream, order)).to(device).split(TEXTS)[:-1]
        for place, batch in enumerate(batches):
            within = (number + place / len(batches)) / PASSES
            progress = max(progress, within, (time.monotonic() - start) / limit)
            if progress >= 1:
                break
            training.step(batch, progress)
            steps += 1
        found = training.held_out(held_out)
        if found < best:
            best = found
            save_folder(out, training.average, vocabulary)
        seconds = time.monotonic() - start
        yield f"pass {number + 1}", {"steps": steps, "held out": found, "seconds": seconds}
        if progress >= 1:
            return


def main() -> int:
    """Train; always 0."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m authoring.shipped.writer", description=__doc__, formatter_class=raw
    )
    parser.add_argument("--out", type=Path, default=Path("runs/writer"))
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    asked = parser.parse_args()
    corpus = load_everyday()
    english = [[pair.english for pair in part] for part in (corpus.train, corpus.validation)]
    torch.set_float32_matmul_precision("high")
    report = Report(asked.out, LOG, 60 * asked.minutes)
    report.end_at_last()
    given = {"config": CONFIG, "english": english, "out": asked.out, "device": asked.device}
    report.run(partial(trained, **given), LOG)
    return 0


if __name__ == "__main__":
    sys.exit(main())
