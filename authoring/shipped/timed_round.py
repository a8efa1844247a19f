"""Rounds of the shipped translator's training that are given minutes, on a GPU or a core.

``python -m authoring.shipped.timed_round draw FILE DATA`` draws sentences beforehand, from the text
of ``mixture``: a GPU waits for whoever draws beside it. They are read several times.
``… train FOLDER FILE MINUTES [START [SEED]]`` goes on for so long from the translator in the folder
START, else from the one that is shipped: on the GPU, else on one core. FOLDER gets the moving
average of the weights in float16, in two files, and ``log.json``, every half minute. PyTorch,
tokenizers and NumPy are enough.
``… load OUT FOLDER…`` makes a translator, which ``translator score`` takes, of what lies in FOLDER;
of several, trained from one START with other seeds, it takes the mean of their weights.
"""

import io
import json
import lzma
import math
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from authoring import named
from authoring.shipped.mixture import Mixture, Round, Texts, training_text
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TrainingConfig
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import PADDING

WEIGHTS, LOG = "weights-{}.safetensors", "log.json"
# Beside the short debates of the rounds before, longer ones: they have more of the words of news.
PARLIAMENT = 120  # characters of an English text, at most
_TOKENS = {"cuda": 32_768, "cpu": 1_536}  # of a batch, on either side
_STEP = 8  # a batch has a multiple of so many tokens, on either side
_WARM = 0.04  # of the time, in which the learning rate rises; then it falls as half a cosine
_RATES = {"cuda": 0.0008, "cpu": 0.0005}
_DROPOUT, _SMOOTHING = 0.15, 0.1
_KEPT = 0.9995  # of the moving average, a step
_SAVED = 30  # seconds
# Of the first part of the time and of the rest, in which the text of the course outweighs the rest:
# it has one translation of a sentence, as its tests have.
_SHARES: tuple[dict[str, float], ...] = (
    {"written": 0.12, "talk": 0.06, "like talk": 0.04, "everyday": 0.24, "course": 0.2}
    | {"captions": 0.15, "news": 0.08, "parliament": 0.11},
    {"written": 0.12, "talk": 0.07, "like talk": 0.03, "course": 0.5}
    | {"captions": 0.19, "news": 0.05, "parliament": 0.04},
)
_PASSES = (26, 20)  # of the mixture, drawn for each part
_LATE = 0.55  # of the time, when the second part begins
Ids = tuple[Sequence[int], Sequence[int]]  # of a source, and of its target


def draw(file: Path, data: Path) -> None:
    """Draw the sentences of both parts, and write them."""
    texts = training_text(data, parliament=PARLIAMENT)
    turns = [(part, turn) for part, passes in enumerate(_PASSES) for turn in range(passes)]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        drawn = pool.map(partial(_drawn, texts), turns, chunksize=1)
    arrays: dict[str, Any] = {}
    for part, _ in enumerate(_PASSES):
        made = [some for some, (own, _) in zip(drawn, turns, strict=True) if own == part]
        for side in range(2):
            rows = [pair[side] for pair in chain(*made)]
            arrays[f"{part} {side} lengths"] = np.array(list(map(len, rows)), np.int16)
            arrays[f"{part} {side} ids"] = np.array(list(chain(*rows)), np.int16)
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    file.write_bytes(lzma.compress(packed.getvalue(), preset=6))


def _drawn(texts: dict[str, list[Texts]], which: tuple[int, int]) -> Sequence[Ids]:
    part, turn = which
    settings = TrainingConfig(steps=1, learning_rate=1, seed=8000 + 1000 * part + turn)
    shares = Round(settings, _SHARES[part], {}, sys.maxsize, 1)
    return Mixture(texts, Translator.shipped(), _TOKENS["cuda"], shares).pairs(turn)


def batches(pairs: Iterable[Ids], device: str) -> Iterator[tuple[Tensor, ...]]:
    """Put pairs of one width together, as ids ``(rows, width)`` in the device's memory.

    There are few shapes: a GPU took a third of a second for each that it had not met.
    """
    of_width = defaultdict[int, list[Ids]](list)
    for pair in pairs:
        of_width[_STEP * math.ceil(max(map(len, pair)) / _STEP)].append(pair)
    for width, rows in sorted(of_width.items()):
        most = max(1, _TOKENS[device] // width)
        for begin in range(0, len(rows), most):
            sides = zip(*rows[begin : begin + most], strict=True)
            yield tuple(_filled(side, width).to(device) for side in sides)


def _filled(rows: Sequence[Sequence[int]], width: int) -> Tensor:
    tensors = [torch.as_tensor(row, dtype=torch.int16) for row in rows]
    ids = pad_sequence(tensors, batch_first=True, padding_value=PADDING)
    return F.pad(ids, (0, width - ids.shape[1]), value=PADDING)


class Drawn:
    """Batches of what was drawn beforehand; their order is another in each reading.

    Attributes:
        part: which of the two parts is read.
    """

    def __init__(self, file: Path, device: str, seed: int) -> None:
        arrays = np.load(io.BytesIO(lzma.decompress(file.read_bytes())))
        self.part, self._random = 0, Random(seed)
        self._parts = [list(batches(_pairs(arrays, part), device)) for part in range(len(_PASSES))]

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        while True:
            now = self.part
            for source, target in self._random.sample(self._parts[now], len(self._parts[now])):
                if now != self.part:
                    break
                yield source.long(), target.long()


def _pairs(arrays: Any, part: int) -> Iterator[Ids]:
    ends = (np.cumsum(arrays[f"{part} {side} lengths"], dtype=np.int64) for side in range(2))
    sides = (np.split(arrays[f"{part} {side} ids"], end[:-1]) for side, end in enumerate(ends))
    return zip(*sides, strict=True)


def loss(model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of a target's tokens, without making the GPU wait for anything."""
    logits = model(source, target[:, :-1]).float().flatten(0, 1)
    wanted = target[:, 1:].flatten()
    return F.cross_entropy(logits, wanted, ignore_index=PADDING, label_smoothing=_SMOOTHING)


def rate(peak: float, share: float) -> float:
    """The learning rate after a share of the time."""
    if share < _WARM:
        return peak * share / _WARM
    return peak * (1 + math.cos(math.pi * (share - _WARM) / (1 - _WARM))) / 2


def train(folder: Path, file: Path, minutes: float, start: Translator, seed: int) -> None:
    """Train for so many minutes, and write weights and log."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = Drawn(file, device, seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = EncoderDecoder(replace(start.model.config, dropout=_DROPOUT, attention="fused"))
    model.load_state_dict(start.model.state_dict())
    model = model.to(device).train()
    weights = list(model.parameters())
    mean = [weight.detach().clone() for weight in weights]
    adam = torch.optim.Adam(weights, betas=(0.9, 0.98), fused=device == "cuda")
    on = torch.cuda.get_device_name() if device == "cuda" else None
    known: dict[str, Any] = {"device": on, "torch": torch.__version__, "rows": []}
    steps, tokens, told, began = 0, 0, 0.0, time.monotonic()
    saved = began
    for source, target in drawn:
        now = time.monotonic()
        share = (now - began) / (60 * minutes)
        if now - saved > _SAVED or share >= 1:
            saved, seconds = now, now - began
            known |= {"steps": steps, "seconds": seconds, "tokens_per_second": tokens / seconds}
            save(folder, model, mean, known)
        if share >= 1:
            break
        drawn.part = int(share > _LATE)
        for group in adam.param_groups:
            group["lr"] = rate(_RATES[device], share)
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
            row = {"at": round(now - began, 1), "steps": steps, "tokens": tokens}
            known["rows"].append(row | {"loss": round(float(found.detach()), 4)})
            print(known["rows"][-1], flush=True)


def save(
    folder: Path, model: EncoderDecoder, mean: Sequence[Tensor], known: dict[str, Any]
) -> None:
    """Write the mean of the weights, and the log."""
    state = {name: tensor.half() for name, tensor in model.state_dict().items()}
    names = [name for name, _ in model.named_parameters()]
    state |= {name: tensor.half() for name, tensor in zip(names, mean, strict=True)}
    for number in range(2):
        half = {name: state[name].contiguous().cpu() for name in sorted(state)[number::2]}
        save_file(half, folder / WEIGHTS.format(number))
    (folder / LOG).write_text(json.dumps(known) + "\n", encoding="utf-8")


def load(out: Path, folders: Sequence[Path]) -> None:
    """Make a translator of the weights' mean, and keep how they were trained."""
    shipped = Translator.shipped()
    states = [_state(folder) for folder in folders]
    model = EncoderDecoder(shipped.model.config)
    model.load_state_dict({n: torch.stack([s[n] for s in states]).mean(0) for n in states[0]})
    Translator(model.eval(), shipped.vocabulary).save(out)
    logs = [json.loads((folder / LOG).read_text(encoding="utf-8")) for folder in folders]
    told = {name: sum(log[name] for log in logs) for name in ("steps", "tokens_per_second")}
    told |= {"seconds": max(log["seconds"] for log in logs), "runs": len(logs)}
    told |= {"device": logs[0]["device"]}
    (out / METRICS).write_text(json.dumps(told) + "\n", encoding="utf-8")


def _state(folder: Path) -> dict[str, Tensor]:
    halves = [load_file(folder / WEIGHTS.format(number)) for number in range(2)]
    return {name: tensor.float() for half in halves for name, tensor in half.items()}


def main(arguments: Sequence[str]) -> int:
    """Draw, train, or load; return the exit code."""
    match arguments:
        case ["draw", file, data]:
            draw(Path(file), Path(data))
            return 0
        case ["train", folder, file, minutes, *more] if len(more) <= 2:
            start = Translator.load(more[0]) if more else Translator.shipped()
            seed = int(more[1]) if more[1:] else 0
            train(Path(folder), Path(file), float(minutes), start, seed)
            return 0
        case ["load", out, *folders] if folders:
            load(Path(out), [Path(folder) for folder in folders])
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
