"""Lab of lesson 05: is the feed-forward the only nonlinear part of a layer?"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

WIDTH = 16
LOSS = "loss"
ALONE, FEED = "attention alone", "attention and feed-forward"
FIXED, LONGER = "equal weights, no softmax", "equal weights, four times as long"
FIXED_FEED = "equal weights and feed-forward"


def measure(seed: int, attention: str, feed_forward: bool, steps: int) -> Numbers:
    """Train one layer to say whether two bits differ (exclusive or); ln 2 is a coin toss."""
    generator = seeded(seed)
    layer = EncoderLayer(WIDTH, 2, 4 * WIDTH, generator=generator)
    bit = nn.Parameter(torch.randn(2, WIDTH, generator=generator))
    place = nn.Parameter(torch.randn(3, WIDTH, generator=generator))
    output = nn.Parameter(torch.randn(2, WIDTH, generator=generator))
    pairs, goal = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]]), torch.tensor([0, 1, 1, 0])
    optimizer = torch.optim.Adam([bit, place, output, *layer.parameters()], lr=0.01)
    for _ in range(steps):
        x = torch.cat([bit[pairs], torch.zeros(4, 1, WIDTH)], dim=1) + place
        x = x + _attended(layer, x, attention)
        x = x + layer.feed_forward(x) if feed_forward else x
        loss = F.cross_entropy(x[:, 2] @ output.T / 4, goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {LOSS: loss.item()}


def _attended(layer: EncoderLayer, x: Tensor, attention: str) -> Tensor:
    if attention == "softmax":
        return layer.self_attention(x)[0]
    values = layer.self_attention.value_projection(x).mean(1, keepdim=True)  # all weights equal
    return layer.self_attention.output_projection(values).expand_as(x)


def decide(runs: Runs) -> Verdict:
    """False if attention alone reaches a loss below 0.1 on exclusive or, while a layer whose
    softmax is taken away stays above 0.68 in all 10 runs, even with four times the steps. True if
    attention alone reaches it in no run.
    """
    alone = runs.count(lambda loss: loss < 0.1, ALONE, LOSS)
    linear = runs.count(lambda loss: loss > 0.68, LONGER, LOSS)
    numbers = (
        f"Attention alone solves it in {alone} of 10 runs (median loss "
        f"{runs.median(ALONE, LOSS):.2g}). With equal weights in place of the softmax "
        f"{linear} of 10 still toss a coin after 1,000 steps ({runs.median(LONGER, LOSS):.2f})."
    )
    if linear != 10:
        return Verdict("not decided", numbers)
    return Verdict("false" if alone > 0 else "true", numbers)


CLAIM = Claim(
    name="encoder.nonlinear",
    lesson="labs/05_depth",
    conditions=(
        Condition(ALONE, {"attention": "softmax", "feed_forward": False, "steps": 250}),
        Condition(FEED, {"attention": "softmax", "feed_forward": True, "steps": 250}, "control"),
        Condition(FIXED, {"attention": "equal", "feed_forward": False, "steps": 250}, "control"),
        Condition(LONGER, {"attention": "equal", "feed_forward": False, "steps": 1000}, "longer"),
        Condition(
            FIXED_FEED, {"attention": "equal", "feed_forward": True, "steps": 250}, "control"
        ),
    ),
    metric=LOSS,
    label="loss in nats (a coin toss: 0.69)",
)
