"""A long round of the shipped translator's training on a GPU, from the weights that are shipped.

``python -m authoring.shipped.gpu_round train FOLDER DATA MINUTES`` trains for so long: first a
teacher from nothing, five times as large, then the translator, which learns from the words of the
text and from what the teacher expects in their place (Hinton et al. 2015; Kim & Rush 2016, section
3.1). The text is that of ``mixture``, drawn anew by one process a core. FOLDER gets
``weights.safetensors``, the moving average of the weights in float16, and ``log.json``. PyTorch,
tokenizers and NumPy are enough.
``python -m authoring.shipped.gpu_round load FOLDER`` makes a translator of what lies there, which
``translator score`` takes.
"""

import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from random import Random
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from authoring import named
from authoring.shipped.mixture import Mixture, Round, Texts, examples, read, training_text
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, TrainingConfig
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import PADDING

WEIGHTS, LOG = "weights.safetensors", "log.json"
# Beside the short debates of the rounds before, longer ones: they have more of the words of news.
PARLIAMENT = 120  # characters of an English text, at most
_TOKENS = 24_576  # of a batch, on either side
_WARM = 0.05  # of a stage, in which the learning rate rises; then it falls as half a cosine
_SMOOTHING = 0.05
_KEPT = 0.9995  # of the moving average, a step
_SOFT = 0.7  # of the student's loss, what the teacher expects; the rest is the text's own word
_TEACHER: dict[str, Any] = {"d_model": 512, "num_heads": 8, "d_ff": 2048}
_TEACHER |= {"num_encoder_layers": 6, "dropout": 0.25}
_STUDENT: dict[str, Any] = {"dropout": 0.1}
# The teacher's text, its text later on, and the student's. The text of the course, which has one
# translation of a sentence as its tests have, outweighs the rest at the end.
_SHARES: tuple[dict[str, float], ...] = (
    {"written": 0.08, "talk": 0.06, "like talk": 0.04, "everyday": 0.26, "course": 0.16}
    | {"captions": 0.13, "news": 0.09, "parliament": 0.18},
    {"written": 0.09, "talk": 0.07, "like talk": 0.03, "course": 0.44}
    | {"captions": 0.19, "news": 0.07, "parliament": 0.11},
    {"written": 0.1, "talk": 0.07, "like talk": 0.03, "everyday": 0.06, "course": 0.4}
    | {"captions": 0.2, "news": 0.06, "parliament": 0.08},
)
_TEACHING, _LATE = 0.52, 0.6  # the teacher's share of the time, and when its text changes
Batch = tuple[np.ndarray, ...]
Loss = Callable[[EncoderDecoder, Tensor, Tensor], Tensor]


def draw(
    texts: dict[str, list[Texts]], part: Any, batches: "Queue[tuple[int, list[Batch]]]", of: int
) -> None:
    """Draw passes of the mixture for ever, each with a number of its own, into a queue."""
    translator = Translator.shipped()
    for turn in count():
        now = part.value
        settings = TrainingConfig(steps=1, learning_rate=1, seed=1000 * of + turn)
        shares = Round(settings, _SHARES[now], {}, sys.maxsize, 1)
        drawn = Mixture(texts, translator, _TOKENS, shares).drawn(turn)
        made = [tuple(t.numpy().astype(np.int16) for t in drawn(n)) for n in range(drawn.per_epoch)]
        batches.put((now, made))


class Drawn:
    """Batches that processes draw; what has been drawn comes again until more is there."""

    def __init__(self, texts: dict[str, list[Texts]], device: str) -> None:
        fork = multiprocessing.get_context("fork")  # so that the text is there once
        self.part, self._device = fork.Value("i", 0), device
        self._queue: Queue[tuple[int, list[Batch]]] = fork.Queue(64)
        self._known: list[list[Batch]] = [[] for _ in _SHARES]
        self._random = Random(0)
        drawing = max(1, (os.cpu_count() or 4) - 3)
        self._processes = [
            fork.Process(target=draw, args=(texts, self.part, self._queue, number), daemon=True)
            for number in range(drawing)
        ]
        for process in self._processes:
            process.start()

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        while True:
            self._take()
            known = next(some for some in reversed(self._known[: self.part.value + 1]) if some)
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
    def counts(self) -> list[int]:
        """How many batches there are of each of the three texts."""
        return list(map(len, self._known))

    def _take(self) -> None:
        while True:
            try:
                part, made = self._queue.get(block=not any(self._known))
            except Empty:
                return
            self._known[part] += made


def text_loss(
    model: EncoderDecoder, source: Tensor, target: Tensor, *, smoothing: float = _SMOOTHING
) -> Tensor:
    """Mean cross-entropy of a target's tokens, without making the GPU wait for anything."""
    logits = model(source, target[:, :-1]).float().flatten(0, 1)
    wanted = target[:, 1:].flatten()
    return F.cross_entropy(logits, wanted, ignore_index=PADDING, label_smoothing=smoothing)


def distilled_loss(
    teacher: EncoderDecoder, model: EncoderDecoder, source: Tensor, target: Tensor
) -> Tensor:
    """Mean cross-entropy with the teacher's distribution, and in part with the text's tokens."""
    read, wanted = target[:, :-1], target[:, 1:].flatten()
    with torch.no_grad():
        expected = teacher(source, read).float().flatten(0, 1).softmax(-1)
    logits = model(source, read).float().flatten(0, 1)
    real = (wanted != PADDING).float()
    soft = -(expected * logits.log_softmax(-1)).sum(-1)
    hard = F.cross_entropy(logits, wanted, ignore_index=PADDING, label_smoothing=_SMOOTHING)
    return _SOFT * (soft * real).sum() / real.sum() + (1 - _SOFT) * hard


@dataclass
class Stage:
    """The training of one model, for a time.

    Attributes:
        model: what is trained; at the end it has the moving average of its weights.
        loss: of the model and a batch.
        peak: the largest learning rate.
        late: the share of the time after which the next of the texts is drawn.
        rows: of the log, one every ten seconds.
    """

    model: EncoderDecoder
    loss: Loss
    peak: float
    late: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    steps: int = 0
    tokens: int = 0

    def rate(self, share: float) -> float:
        """The learning rate after a share of the time."""
        if share < _WARM:
            return self.peak * share / _WARM
        return self.peak * (1 + math.cos(math.pi * (share - _WARM) / (1 - _WARM))) / 2

    def run(self, batches: Drawn, end: float, device: str) -> None:
        """Train until the monotonic clock says ``end``."""
        weights = list(self.model.train().parameters())
        mean = [weight.detach().clone() for weight in weights]
        adam = torch.optim.Adam(weights, betas=(0.9, 0.98), fused=device == "cuda")
        began, told, turned = time.monotonic(), 0.0, False
        for source, target in batches:
            now = time.monotonic()
            share = (now - began) / (end - began)
            if share >= 1:
                break
            if share >= self.late and not turned:
                batches.part.value, turned = batches.part.value + 1, True
            for group in adam.param_groups:
                group["lr"] = self.rate(share)
            with torch.autocast(device, torch.bfloat16):
                found = self.loss(self.model, source, target)
            found.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0, foreach=True)
            adam.step()
            adam.zero_grad()
            self.steps, self.tokens = self.steps + 1, self.tokens + target.numel()
            kept = min(_KEPT, self.steps / (self.steps + 10))
            torch._foreach_lerp_(mean, [weight.detach() for weight in weights], 1 - kept)
            if now - told > 10:
                told = now
                row = {"at": round(now - began, 1), "steps": self.steps, "tokens": self.tokens}
                self.rows.append(row | {"loss": round(float(found.detach()), 4)})
                print(self.rows[-1], batches.counts, flush=True)
        with torch.no_grad():
            for weight, average in zip(weights, mean, strict=True):
                weight.copy_(average)
        self.model.eval()


@torch.no_grad()
def held_out(model: EncoderDecoder, data: Path, device: str) -> dict[str, float]:
    """Mean cross-entropy, in nats a token, of validation text that nobody trained on."""
    found, translator = {}, Translator.shipped()
    for name in ("everyday", "captions", "news"):
        pairs = [(pair.english, pair.french) for pair in read(data, name, "valid")[:1000]]
        drawn = TokenBatches(examples(translator, pairs), 4096, padding_id=PADDING, seed=0)
        losses, tokens = 0.0, 0
        for number in range(drawn.per_epoch):
            source, target = (ids.to(device) for ids in drawn(number))
            real = int((target[:, 1:] != PADDING).sum())
            losses += real * float(text_loss(model, source, target, smoothing=0.0))
            tokens += real
        found[name] = round(losses / tokens, 4)
    return found


def train(folder: Path, data: Path, minutes: float) -> None:
    """Train teacher and student for so many minutes together, and write weights and log."""
    start, device = time.monotonic(), "cuda" if torch.cuda.is_available() else "cpu"
    end = start + 60 * minutes
    folder.mkdir(parents=True, exist_ok=True)
    texts, shipped = training_text(data, parliament=PARLIAMENT), Translator.shipped()
    batches = Drawn(texts, device)  # before anything is on the GPU: processes are forked
    torch.manual_seed(0)
    config = replace(shipped.model.config, attention="fused")
    large = EncoderDecoder(replace(config, **_TEACHER)).to(device)
    model = EncoderDecoder(replace(config, **_STUDENT))
    model.load_state_dict(shipped.model.state_dict())
    model = model.to(device).eval()
    losses = {"before": held_out(model, data, device)}
    teacher = Stage(large, text_loss, 0.001, _LATE)
    teacher.run(batches, start + _TEACHING * (end - start), device)
    losses["teacher"] = held_out(large, data, device)
    print(losses, flush=True)
    student = Stage(model, partial(distilled_loss, large), 0.001, 0)
    began = time.monotonic()
    student.run(batches, end, device)
    batches.close()
    seconds = time.monotonic() - began
    losses["student"] = held_out(model, data, device)
    state = {name: tensor.half().cpu() for name, tensor in model.state_dict().items()}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / WEIGHTS)
    told: dict[str, Any] = {
        "steps": student.steps,
        "seconds": round(seconds, 1),
        "tokens_per_second": student.tokens / seconds,
        "device": torch.cuda.get_device_name() if device == "cuda" else device,
        "torch": torch.__version__,
        "teacher's weights": _size(large),
        "teacher's steps": teacher.steps,
        "teacher's tokens": teacher.tokens,
        "batches drawn": batches.counts,
        "held-out loss": losses,
        "rows": {"teacher": teacher.rows, "student": student.rows},
    }
    (folder / LOG).write_text(json.dumps(told) + "\n", encoding="utf-8")
    print(losses, flush=True)


def _size(model: nn.Module) -> int:
    return sum(weight.numel() for weight in model.parameters())


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
