"""What ``train`` costs over a bare loop, and what a second process gains.

Both loops train the same model on the same batches. The processes are started by ``torchrun``, each
with one thread.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import nn

from benchmarks.harness import medians, promise, rounds, run
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, TrainingConfig, train, translation
from transformer_lesson.training.config import learning_rate
from transformer_lesson.training.loop import BETAS, EPSILON

STEPS, ROUNDS = 30, 15
OBJECTIVE = translation(padding_id=0, label_smoothing=0.1)


def model() -> EncoderDecoder:
    """The size of lesson 10's first model."""
    config = ModelConfig(4000, 128, 4, num_layers=2, d_ff=512, dropout=0.1)
    return EncoderDecoder(config, generator=seeded(0))


def batches() -> TokenBatches:
    """Pairs of random sentences of 5 to 25 tokens."""
    generator = seeded(1)

    def sentence() -> list[int]:
        length = int(torch.randint(5, 26, (), generator=generator))
        return torch.randint(3, 4000, (length,), generator=generator).tolist()

    return TokenBatches([(sentence(), sentence()) for _ in range(3000)], 512)


def bare(model: nn.Module, data: Callable[[int], object], config: TrainingConfig) -> None:
    """Train as one would without this course, and as ``train`` does."""
    optimizer = torch.optim.Adam(model.parameters(), betas=BETAS, eps=EPSILON, fused=True)
    model.train()
    for step in range(config.steps):
        total, tokens = OBJECTIVE(model, data(step))
        optimizer.zero_grad()
        (total / tokens).backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.clip_norm or 0)
        optimizer.param_groups[0]["lr"] = learning_rate(step + 1, config)
        optimizer.step()
        float(total)


def ours(model: nn.Module, data: Callable[[int], object], config: TrainingConfig) -> None:
    """Train with the loop of the course, its progress bar included."""
    train(model, OBJECTIVE, data, config)


def overhead() -> None:
    """Print the medians of both loops, and what ours costs more."""
    torch.set_num_threads(1)
    config = TrainingConfig(steps=STEPS, learning_rate=1e-3, warmup_steps=10)
    data = batches()
    taken = rounds([partial(loop, model(), data, config) for loop in (bare, ours)], ROUNDS)
    alone, with_all = (1000 * median / STEPS for median in medians(taken))
    more = statistics.median(b / a for a, b in taken) - 1
    words = "what train() adds to a bare loop"
    told = f"{alone:.1f} and {with_all:.1f} ms a step"
    promise(words, 100 * more, most=3, unit="%", detail=told)


def work(result: Path) -> None:
    """Train in this process, alone or with others, and write the tokens per second of all."""
    torch.set_num_threads(1)
    config = TrainingConfig(steps=25, learning_rate=1e-3, batches_per_step=4)
    history = train(model(), OBJECTIVE, batches(), config, progress=False)
    if os.environ.get("RANK", "0") == "0":
        result.write_text(json.dumps(history.tokens_per_second))


def tokens_per_second(processes: int) -> float:
    """Start this many processes, one to a core, and return the tokens per second of all."""
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:processes]))
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, *launcher, "-m", "benchmarks.training", str(result)]
        subprocess.run(
            ["taskset", "--cpu-list", cores, *command],
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        return float(json.loads(result.read_text()))


def main() -> None:
    """Print what the loop costs, and the tokens per second of one process and of two."""
    overhead()
    taken = [(tokens_per_second(1), tokens_per_second(2)) for _ in range(3)]
    one, two = medians(taken)
    ratio = statistics.median(b / a for a, b in taken)
    words = "tokens a second of two processes, in times of one on one core"
    promise(words, ratio, least=1.5, detail=f"{one:,.0f} and {two:,.0f} tokens a second")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(Path(sys.argv[1]))
    else:
        run(main)
