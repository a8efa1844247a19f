"""Lab of lesson 05: does a deep stack train without residuals, and what can it not do?"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.stacks import apart, step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

DEPTH, WIDTH, EARLY = 6, 32, 100
TOKENS, GAP = 6, 0
SOLVED = 1.0  # nats; a reader of places alone pays 2.25 for a gap
END, FIRST = "loss at the end", "loss after 100 steps"
GAP_BOTH, GAP_NONE = "one gap, with residuals", "one gap, no residuals"
GAP_LONG = "one gap, no residuals, six times as long"
EACH_BOTH, EACH_NONE = "every word, with residuals", "every word, no residuals"
EACH_LONG = "every word, no residuals, three times as long"
EACH_ATTENTION = "every word, residual around attention alone"
EACH_FEED = "every word, residual around feed-forward alone"


def sentences() -> Tensor:
    """Ids of 24 sentences "the actor action on the place": six actors, two of each of the rest."""
    rows = []
    for actor in range(6):
        own = 3 + 5 * actor  # 0 is the gap, 1 "the", 2 "on"
        rows += [[1, own, own + 1 + i, 2, 1, own + 3 + j] for i in range(2) for j in range(2)]
    return torch.tensor(rows)


class Stack(nn.Module):
    """Words, places, post-norm layers whose residuals may be missing, and an output layer."""

    def __init__(self, residual: str, generator: torch.Generator) -> None:
        super().__init__()
        self.residual = residual
        self.layers = nn.ModuleList(
            EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator, attention="fused")
            for _ in range(DEPTH)
        )
        self.word = nn.Parameter(torch.randn(33, WIDTH, generator=generator))
        self.place = nn.Parameter(torch.randn(TOKENS, WIDTH, generator=generator))
        self.output = nn.Parameter(torch.randn(33, WIDTH, generator=generator))

    def forward(self, batch: Tensor) -> Tensor:
        """Return the vectors (batch, tokens, WIDTH) that leave the last layer."""
        x = self.word[batch] + self.place
        for layer in self.layers:
            assert isinstance(layer, EncoderLayer)
            x = step(layer, x, self.residual, "post")
        return x


def measure(seed: int, residual: str, task: str, steps: int) -> Numbers:
    """Hide one content word; ask for that word, or for every word of the sentence."""
    generator, everything = seeded(seed), sentences()
    model = Stack(residual, generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    losses = []
    for _ in range(steps):
        at = torch.multinomial((everything > 2).float(), 1, generator=generator)
        logits = model(everything.scatter(1, at, GAP)) @ model.output.T / math.sqrt(WIDTH)
        hidden = torch.zeros_like(everything).scatter(1, at, 1).bool()
        asked = hidden if task == "gap" else torch.ones_like(hidden)
        loss = F.cross_entropy(logits[asked], everything[asked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        return {
            FIRST: sum(losses[EARLY - 20 : EARLY]) / 20,
            END: sum(losses[-20:]) / 20,
            "tokens apart": apart(model(everything)),
        }


def decide(runs: Runs) -> Verdict:
    """Solved is a loss below 1 nat. True if no stack without residuals solves either task even with
    the longer training. True here, depending on the task, if none learns to name every word, though
    with residuals all do in 100 steps, but some fill a gap. False if half of them name every word.
    """
    total = len(runs.values(GAP_NONE, END))
    early, late, each, kept = (
        runs.count(lambda loss: loss < SOLVED, name, END)
        for name in (GAP_NONE, GAP_LONG, EACH_LONG, EACH_BOTH)
    )
    numbers = (
        f"Without residuals {early} of {total} stacks fill a gap after 100 steps and {late} of "
        f"{total} after 600. Where every word is asked for, {each} of {total} do it after 300 "
        f"steps, and with residuals {kept} of {total} after 100."
    )
    if each == 0 and kept == total:
        return Verdict("true here" if late else "true", numbers)
    return Verdict("false" if each >= total / 2 else "not decided", numbers)


CLAIM = Claim(
    name="encoder.training",
    lesson="labs/05_depth",
    conditions=(
        Condition(GAP_NONE, {"residual": "none", "task": "gap", "steps": 100}),
        Condition(GAP_BOTH, {"residual": "both", "task": "gap", "steps": 100}, "control"),
        Condition(GAP_LONG, {"residual": "none", "task": "gap", "steps": 600}, "longer"),
        Condition(EACH_LONG, {"residual": "none", "task": "each", "steps": 300}, "longer"),
        Condition(EACH_BOTH, {"residual": "both", "task": "each", "steps": 100}, "control"),
        Condition(EACH_FEED, {"residual": "feed-forward", "task": "each", "steps": 100}, "control"),
        Condition(
            EACH_ATTENTION, {"residual": "attention", "task": "each", "steps": 100}, "control"
        ),
    ),
    metric=END,
    label="loss in nats (mean of the last 20 steps)",
)
