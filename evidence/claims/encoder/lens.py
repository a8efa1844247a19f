"""Lab of lesson 05: does the logit lens show what is known after each part?"""

from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.sentences import KINDS, Reader, stories, trained
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

RIGHT = "right"
LENS, PROBE = "logit lens, first attention", "probe, first attention"
LENS_END, PROBE_CHANCE = "logit lens, last part", "probe on shuffled answers"


@cache
def _reader(seed: int) -> tuple[Reader, Tensor]:
    return trained(seed, 3, "it", 120)


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
    optimiser = torch.optim.Adam([weights], lr=0.05)
    for _ in range(150):
        loss = F.cross_entropy(inputs[seen] @ weights, answers[seen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    right = (inputs[unseen] @ weights).argmax(-1) == answers[unseen]
    return right.float().mean().item()


def measure(seed: int, parts: int, reading: str) -> Numbers:
    """Read the gap's vector by the model's own output layer, or by a linear probe."""
    model, unseen = _reader(seed)
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
    """False if after the first attention, in at least 8 of 10 runs each, a linear probe is right on
    over 90 % of the unseen stories and the lens on fewer than half, though after the last part the
    lens is right on over 90 %. True if the lens misses nowhere.
    """
    hidden = runs.count(lambda right: right < 0.5, LENS, RIGHT)
    found = runs.count(lambda right: right > 0.9, PROBE, RIGHT)
    ends = runs.count(lambda right: right > 0.9, LENS_END, RIGHT)
    numbers = (
        f"After the first attention the lens is right on {runs.median(LENS, RIGHT):.0%} of the "
        f"unseen stories and a linear probe on {runs.median(PROBE, RIGHT):.0%} (medians; chance "
        f"{runs.median(PROBE_CHANCE, RIGHT):.0%}). The probe finds the answer in {found} of 10 "
        f"runs, the lens misses it in {hidden}, and finds it in {ends} after the last part."
    )
    return Verdict.of(numbers, false=min(found, hidden, ends) >= 8, true=hidden == 0)


CLAIM = Claim(
    name="encoder.lens",
    lesson="labs/05_depth",
    conditions=(
        Condition(LENS, {"parts": 1, "reading": "lens"}),
        Condition(PROBE, {"parts": 1, "reading": "probe"}, "control"),
        Condition(LENS_END, {"parts": 6, "reading": "lens"}, "control"),
        Condition(PROBE_CHANCE, {"parts": 1, "reading": "shuffled"}, "chance"),
    ),
    metric=RIGHT,
    label="share of right answers on unseen stories",
)
