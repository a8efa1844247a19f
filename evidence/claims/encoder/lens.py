"""Lab of lesson 05: does the logit lens show what is known after each part?"""

from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.sentences import KINDS, Reader, stories, trained
from evidence.interval import interval
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

RIGHT = "right"
LENS, PROBE = "logit lens, first attention", "probe, first attention"
LENS_END, PROBE_CHANCE = "logit lens, last part", "probe on shuffled answers"
PROBE_UNTRAINED = "probe, first attention, untrained"


@cache
def _reader(seed: int, steps: int) -> tuple[Reader, Tensor]:
    return trained(seed, 3, "it", steps)


def after(model: Reader, batch: Tensor, parts: int) -> Tensor:
    """The last token's vector after so many parts: attention, feed-forward, attention, …"""
    x = model.word[batch] + model.place
    for number in range(parts):
        layer = model.layers[number // 2]
        assert isinstance(layer, EncoderLayer)
        if number % 2 == 0:
            x = x + layer.self_attention(layer.self_attention_norm(x))[0]
        else:
            x = x + layer.feed_forward(layer.feed_forward_norm(x))
    return x[:, -1]


def probed(inputs: Tensor, answers: Tensor, unseen: Tensor) -> float:
    """Fit a linear classifier on the other stories; return its share right on the unseen ones."""
    inputs = (inputs - inputs.mean(0)) / (inputs.std(0) + 1e-6)
    seen = torch.ones(len(inputs), dtype=torch.bool).index_fill(0, unseen, False)
    weights = torch.zeros(inputs.shape[1], KINDS, requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=0.05)
    for _ in range(150):
        loss = F.cross_entropy(inputs[seen] @ weights, answers[seen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = (inputs[unseen] @ weights).argmax(-1) == answers[unseen]
    return right.float().mean().item()


def measure(seed: int, parts: int, reading: str, steps: int = 120) -> Numbers:
    """Read the gap's vector by the model's own output layer, or by a linear probe."""
    model, unseen = _reader(seed, steps)
    batch, answers = stories("it")
    with torch.no_grad():
        vectors = after(model, batch, parts)
        lens = (model.norm(vectors) @ model.word.T).argmax(-1) == answers
    if reading == "lens":
        return {RIGHT: lens[unseen].float().mean().item()}
    if reading == "shuffled":
        answers = answers[torch.randperm(len(answers), generator=seeded(seed))]
    return {RIGHT: probed(vectors, answers, unseen)}


def decide(runs: Runs) -> Verdict:
    """After the first attention, by 95 % intervals of the mean over 20 runs. False if a linear
    probe is right on more than 0.9 of the unseen stories and the lens on fewer than half, though
    after the last part on more than 0.9, and the same probe is right on fewer than half in models
    that were not trained: then the lens misses what training put there. True if the lens is right
    on at least 0.9 of what the probe is right on. Where the probe reads untrained layers as well,
    it does not say what the model knows, and nothing is decided.
    """
    lens, probe, ends, before = (
        interval(runs.values(name, RIGHT)) for name in (LENS, PROBE, LENS_END, PROBE_UNTRAINED)
    )
    numbers = (
        f"After the first attention the lens is right on {lens:.0%} of the unseen stories and a "
        f"linear probe on {probe:.0%} (chance {runs.median(PROBE_CHANCE, RIGHT):.0%}). On models "
        f"that were not trained the probe is right on {before:.0%}."
    )
    missed = probe.low > 0.9 and lens.high < 0.5 and ends.low > 0.9
    return Verdict.of(numbers, false=missed and before.high < 0.5, true=lens.low > 0.9 * probe.high)


CLAIM = Claim(
    name="encoder.lens",
    lesson="labs/05_depth",
    conditions=(
        Condition(LENS, {"parts": 1, "reading": "lens"}),
        Condition(PROBE, {"parts": 1, "reading": "probe"}, "control"),
        Condition(PROBE_UNTRAINED, {"parts": 1, "reading": "probe", "steps": 0}, "control"),
        Condition(LENS_END, {"parts": 6, "reading": "lens"}, "control"),
        Condition(PROBE_CHANCE, {"parts": 1, "reading": "shuffled"}, "chance"),
    ),
    runs=20,
    first=200,
    metric=RIGHT,
    label="share of right answers on unseen stories",
)
