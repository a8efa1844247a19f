"""What the marks of ``translation.beat`` ask for: BLEU of three systems on the same languages.

The given system should get no mark, and thirty lines of ``nn.Transformer`` not the top one; the
course's answer should reach it in every language. ``--languages N`` tries more of them.
"""

import argparse
import math
import time
import warnings

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from benchmarks.harness import promise, run
from notebook_judge.checks.calls import call
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.reference import reference
from notebook_judge.checks.solutions import Answer
from transformer_checks.catalogue import CHECKS

CHECK = CHECKS["translation.beat"]
SECONDS = 9.0  # of processor time; the exercise allows 10
PATIENCE = 300.0  # seconds by the clock: the machine may be busy
TRANSFORMERS = 3  # languages on which one is trained

Sentences = list[list[int]]


class Translator(nn.Module):
    """What a learner would write first: one layer each, learned positions."""

    def __init__(self, words: int, width: int = 64, longest: int = 128) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
        self.positions = nn.Parameter(0.02 * torch.randn(longest, width))
        self.model = nn.Transformer(width, 4, 1, 1, 2 * width, 0.1, batch_first=True)
        self.output = nn.Linear(width, words)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        hidden, length = source == 0, target.shape[1]
        states = self.model(
            self.source(source) + self.positions[: source.shape[1]],
            self.target(target) + self.positions[:length],
            tgt_mask=torch.ones(length, length).triu(1).bool(),
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        return self.output(states)


def transformer(sources: Sentences, targets: Sentences, tests: Sentences, seed: int) -> Tensor:
    """Train for ``SECONDS`` of processor time, then translate greedily."""
    torch.manual_seed(seed)
    begun, start, end = time.process_time(), 80, 81  # words are numbers from 1 to 79
    model = Translator(82).train()
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    rows = ([*target, end] for target in targets)
    read, asked = _padded(sources), _padded(list(rows))
    written = F.pad(asked[:, :-1], (1, 0), value=start)
    while time.process_time() - begun < SECONDS:
        some = torch.randint(len(read), (64,))
        logits = model(read[some], written[some].masked_fill(written[some] == end, 0))
        loss = F.cross_entropy(logits.flatten(0, 1), asked[some].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    source = _padded(tests)
    tokens = torch.full((len(tests), 1), start)
    with torch.no_grad():
        for _ in range(2 * source.shape[1]):
            tokens = torch.cat([tokens, model(source, tokens)[:, -1:].argmax(-1)], dim=1)
    tokens = tokens[:, 1:]
    return tokens.masked_fill((tokens >= start).cumsum(1) > 0, 0)


def _padded(rows: Sentences) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def bleu(answer: Answer, seed: int) -> float:
    """What the judge measures of an answer in the language of a seed."""
    assert CHECK.rubric
    (case,) = CHECK.cases(seed)
    returned = call(answer, case, CHECK.returns, clock=Clock(PATIENCE))
    return CHECK.rubric.measure(returned.values, reference(CHECK, case).values)


def main() -> None:
    """Print the table, with what the exercise wants of each mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", type=int, default=20)
    languages = parser.parse_args().languages
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message=".*nested", category=UserWarning)
    assert CHECK.rubric
    given = CHECK.wrong(next(slip for slip in CHECK.slips if slip.name == "the given system"))
    lowest, top = CHECK.rubric.levels[0][0], CHECK.rubric.levels[-1][0]
    rows = (
        ("the given system", given, languages, max, None, math.nextafter(lowest, 0)),
        ("nn.Transformer", transformer, TRANSFORMERS, max, None, math.nextafter(top, 0)),
        ("the course's answer", CHECK.text.run(), languages, min, top, None),
    )
    for title, answer, count, worst, least, most in rows:
        scores = [bleu(answer, seed) for seed in range(count)]
        told = f"{min(scores):.1f} to {max(scores):.1f} in {count} languages"
        words = f"BLEU of {title} in translation.beat"
        promise(words, worst(scores), least=least, most=most, detail=told)


if __name__ == "__main__":
    run(main)
