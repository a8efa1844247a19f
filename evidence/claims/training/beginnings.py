"""The lab of lesson 07: what tells queries, keys and values apart, and what tells heads apart?"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.models import EncoderOnly, ModelConfig
from transformer_lesson.training import TrainingConfig, summed_cross_entropy, train

WORDS, WIDTH, LENGTH, HEADS = 10, 32, 8, 4
RIGHT, COSINE, APART = "share of words right", "cos(W_Q, W_K)", "head 1 from head 0"
USUAL, SAME, ZERO, HEADS_SAME = "usual", "Q = K = V", "Q = K = 0", "four equal heads"


class Encoder(nn.Module):
    """The package's encoder, two layers, and an output layer."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        generator = seeded(seed)
        config = ModelConfig(WORDS, WIDTH, HEADS, 2, 4 * WIDTH, LENGTH, padding_id=None)
        self.body = EncoderOnly(config, generator=generator)
        rows = torch.randn(WIDTH, WORDS, generator=generator) / math.sqrt(WIDTH)
        self.output = nn.Parameter(rows)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits ``(batch, LENGTH, WORDS)``."""
        return self.body(tokens) @ self.output


def matrices(layer: nn.Module) -> list[nn.Parameter]:
    """Return the matrices of queries, keys, values and output of a layer."""
    names = ("query", "key", "value", "output")
    return [layer.get_parameter(f"self_attention.{name}_projection.weight") for name in names]


@torch.no_grad()
def begin(model: Encoder, how: str) -> None:
    """Change how the attentions of a model begin."""
    for layer in model.body.encoder.layers:
        query, key, value, output = matrices(layer)
        if how == SAME:
            key.copy_(query)
            value.copy_(query)
        elif how == ZERO:
            query.zero_()
            key.zero_()
        elif how == HEADS_SAME:
            for matrix in (query, key, value, output.T):
                matrix.copy_(matrix[: WIDTH // HEADS].repeat(HEADS, 1))


def sentences(number: int, rows: int = 64) -> Tensor:
    """Return random sentences, ``(rows, LENGTH)``."""
    return torch.randint(WORDS, (rows, LENGTH), generator=seeded(number))


def measure(seed: int, how: str, steps: int = 150) -> Numbers:
    """Train to say a sentence backwards, from a beginning; what was learned, and what differs?"""
    model = Encoder(seed)
    begin(model, how)
    config = TrainingConfig(steps=steps, learning_rate=1e-2, warmup_steps=30)
    train(
        model,
        lambda model, tokens: summed_cross_entropy(model(tokens), tokens.flip(1)),
        lambda number: sentences(number + 10_000 * seed),
        config,
        progress=False,
    )
    unseen = sentences(10**6, 500)
    query, key, _, _ = (matrix.detach() for matrix in matrices(model.body.encoder.layers[0]))
    heads = query.unflatten(0, (HEADS, -1))
    with torch.no_grad():
        right = (model(unseen).argmax(-1) == unseen.flip(1)).float().mean().item()
    return {
        RIGHT: right,
        COSINE: F.cosine_similarity(query.flatten(), key.flatten(), dim=0).item(),
        APART: (heads[1] - heads[0]).abs().max().item(),
    }


def decide(runs: Runs) -> Verdict:
    """False if models that begin with W_Q = W_K = W_V learn the task in nine of ten runs (99 % of
    the words) and the matrices come apart (a cosine under 0.99 in every run). Heads that begin
    alike are the case in which it is so.
    """
    learned = runs.count(lambda share: share >= 0.99, SAME, RIGHT)
    cosines = runs.values(SAME, COSINE)
    alike = runs.count(lambda distance: distance < 1e-3, HEADS_SAME, APART)
    numbers = (
        f"From Q = K = V the task is learned in {learned} of 10 runs, and the cosine of W_Q and "
        f"W_K ends between {min(cosines):.2f} and {max(cosines):.2f}; from Q = K = 0 "
        f"{runs.median(ZERO, RIGHT):.0%} of the words are right. Heads that begin alike are still "
        f"alike in {alike} of 10 runs."
    )
    return Verdict("false" if learned >= 9 and max(cosines) < 0.99 else "not decided", numbers)


CLAIM = Claim(
    name="training.beginnings",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(USUAL, {"how": USUAL}),
        Condition(SAME, {"how": SAME}, "control"),
        Condition(ZERO, {"how": ZERO}, "control"),
        Condition(HEADS_SAME, {"how": HEADS_SAME}, "control"),
    ),
    metric=RIGHT,
    label="share of words right, after 150 steps",
)
