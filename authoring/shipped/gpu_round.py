"""A long round of the shipped translator's training on a GPU, from the weights that are shipped.

``python -m authoring.shipped.gpu_round train FOLDER DATA MINUTES`` trains for so long; the text is
that of ``mixture``, drawn anew by one process a core. FOLDER gets ``weights.safetensors``, the
moving average of the weights in float16, and ``log.json``. PyTorch, tokenizers and NumPy are
enough.
``python -m authoring.shipped.gpu_round load FOLDER`` makes a translator of what lies there, which
``translator score`` takes.

The round that ships had 100,000 of the 182,000 short pairs of debates, for what could be carried to
the GPU, and 2,003 steps: each drawn batch was moved by itself then, and waited for the GPU.
"""

import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from queue import Empty
from random import Random
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from authoring import named
from authoring.shipped.mixture import Mixture, Round, Texts, training_text
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TrainingConfig
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import PADDING

WEIGHTS, LOG = "weights.safetensors", "log.json"
_TOKENS = 16_384  # of a batch, on either side
_LATE = 0.6  # of the time, after which the text of the course outweighs the rest
_WARM = 0.04  # of the time, in which the learning rate rises; then it falls as half a cosine
_RATE, _DROPOUT, _SMOOTHING = 0.0012, 0.15, 0.1
_KEPT = 0.9995  # of the moving average, a step
_SHARES = (
    {"talk": 0.09, "like talk": 0.05, "everyday": 0.3, "course": 0.2}
    | {"captions": 0.22, "news": 0.07, "parliament": 0.07},
    {"talk": 0.08, "like talk": 0.04, "course": 0.57}
    | {"captions": 0.23, "news": 0.05, "parliament": 0.03},
)
Batch = tuple[np.ndarray, ...]


def draw(
    texts: dict[str, list[Texts]], late: Event, batches: "Queue[tuple[bool, list[Batch]]]", of: int
) -> None:
    """Draw passes of the mixture for ever, each with a number of its own, into a queue."""
    translator = Translator.shipped()
    for turn in count():
        is_late = late.is_set()
        settings = TrainingConfig(steps=1, learning_rate=1, seed=1000 * of + turn)
        part = Round(settings, _SHARES[is_late], {}, sys.maxsize, 1)
        drawn = Mixture(texts, translator, _TOKENS, part).drawn(turn)
        made = [tuple(t.numpy().astype(np.int16) for t in drawn(n)) for n in range(drawn.per_epoch)]
        batches.put((is_late, made))


class Drawn:
    """Batches that processes draw; what has been drawn comes again until more is there."""

    def __init__(self, texts: dict[str, list[Texts]], device: str) -> None:
        fork = multiprocessing.get_context("fork")  # so that the text is there once
        self.late, self._device = fork.Event(), device
        self._queue: Queue[tuple[bool, list[Batch]]] = fork.Queue(64)
        self._known: list[list[Batch]] = [[], []]
        self._random = Random(0)
        drawing = max(1, (os.cpu_count() or 4) - 4)
        self._processes = [
            fork.Process(target=draw, args=(texts, self.late, self._queue, number), daemon=True)
            for number in range(drawing)
        ]
        for process in self._processes:
            process.start()

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        while True:
            self._take()
            known = self._known[self.late.is_set()] or self._known[0]
            chosen = map(torch.from_numpy, self._random.choice(known))
            yield tuple(self._moved(ids) for ids in chosen)

    def _moved(self, ids: Tensor) -> Tensor:
        """Bring ids to the GPU, which goes on meanwhile."""
        if self._device == "cuda":
            ids = ids.pin_memory()
        return ids.to(self._device, non_blocking=True).long()

    def close(self) -> None:
        """End the processes, which wait for room in the queue."""
        for process in self._processes:
            process.kill()

    @property
    def counts(self) -> tuple[int, int]:
        """How many early and late batches there are."""
        return len(self._known[0]), len(self._known[1])

    def _take(self) -> None:
        while True:
            try:
                late, made = self._queue.get(block=not self._known[0])
            except Empty:
                return
            self._known[late] += made


def loss(model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of a target's tokens, without making the GPU wait for anything."""
    logits = model(source, target[:, :-1]).float().flatten(0, 1)
    wanted = target[:, 1:].flatten()
    return F.cross_entropy(logits, wanted, ignore_index=PADDING, label_smoothing=_SMOOTHING)


def rate(share: float) -> float:
    """The learning rate after a share of the time."""
    if share < _WARM:
        return _RATE * share / _WARM
    return _RATE * (1 + math.cos(math.pi * (share - _WARM) / (1 - _WARM))) / 2


def train(folder: Path, data: Path, minutes: float) -> None:
    """Train for so many minutes, and write weights and log."""
    start, device = time.monotonic(), "cuda" if torch.cuda.is_available() else "cpu"
    end = start + 60 * minutes
    folder.mkdir(parents=True, exist_ok=True)
    texts, shipped = training_text(data), Translator.shipped()
    batches = Drawn(texts, device)  # before anything is on the GPU: processes are forked
    model = EncoderDecoder(replace(shipped.model.config, dropout=_DROPOUT))
    model.load_state_dict(shipped.model.state_dict())
    model = model.to(device).train()
    weights = list(model.parameters())
    mean = [weight.detach().clone() for weight in weights]
    adam = torch.optim.Adam(weights, betas=(0.9, 0.98), fused=device == "cuda")
    rows: list[dict[str, Any]] = []
    began, steps, tokens, told = time.monotonic(), 0, 0, 0.0
    for source, target in batches:
        now = time.monotonic()
        share = (now - began) / (end - began)
        if share >= 1:
            break
        if share > _LATE:
            batches.late.set()
        for group in adam.param_groups:
            group["lr"] = rate(share)
        with torch.autocast(device, torch.bfloat16):
            found = loss(model, source, target)
        found.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0, foreach=True)
        adam.step()
        adam.zero_grad()
        steps, tokens = steps + 1, tokens + target.numel()
        kept = min(_KEPT, steps / (steps + 10))
        torch._foreach_lerp_(mean, [weight.detach() for weight in weights], 1 - kept)
        if now - told > 10:
            told = now
            row = {"at": round(now - start, 1), "steps": steps, "tokens": tokens}
            rows.append(row | {"loss": round(float(found.detach()), 4), "batches": batches.counts})
            print(rows[-1], flush=True)
    batches.close()
    seconds = time.monotonic() - began
    with torch.no_grad():
        for weight, average in zip(weights, mean, strict=True):
            weight.copy_(average)
    state = {name: tensor.half().cpu() for name, tensor in model.state_dict().items()}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / WEIGHTS)
    on = torch.cuda.get_device_name() if device == "cuda" else device
    spent = {"steps": steps, "seconds": round(seconds, 1), "tokens_per_second": tokens / seconds}
    known = {"device": on, "torch": torch.__version__, "early and late batches": batches.counts}
    (folder / LOG).write_text(json.dumps(spent | known | {"rows": rows}) + "\n", encoding="utf-8")


def load(folder: Path) -> None:
    """Make a translator of weights and log."""
    shipped = Translator.shipped()
    model = EncoderDecoder(shipped.model.config)
    model.load_state_dict({n: t.float() for n, t in load_file(folder / WEIGHTS).items()})
    Translator(model.eval(), shipped.vocabulary).save(folder)
    log = json.loads((folder / LOG).read_text(encoding="utf-8"))
    told = ("steps", "seconds", "tokens_per_second", "device")
    (folder / METRICS).write_text(json.dumps({n: log[n] for n in told}) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Train, or load; return the exit code."""
    match arguments:
        case ["train", folder, data, minutes]:
            train(Path(folder), Path(data), float(minutes))
            return 0
        case ["load", folder]:
            load(Path(folder))
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
