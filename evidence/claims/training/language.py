"""The small language of lesson 07: 24 sentences, and the 480 stories made of two of them."""

import math

import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.models import DecoderOnly, ModelConfig

ACTORS = {
    "cat": "sat slept mat sofa purred",
    "dog": "lay barked rug porch growled",
    "bird": "sang hopped branch roof flew",
    "frog": "croaked leapt leaf stone swam",
    "horse": "stood grazed hill field neighed",
    "child": "played drew floor bench laughed",
}
VOCABULARY = ["[pad]", "[start]", "[end]", "the", "on", "and", "it"]
for actor, rest in ACTORS.items():
    VOCABULARY += [actor, *rest.split()]
START, END = 1, 2
FLOOR = math.log(24) / 7  # which of 24 sentences, told in 7 tokens


def _clauses() -> list[list[str]]:
    return [
        ["the", actor, action, "on", "the", place]
        for actor, rest in ACTORS.items()
        for action in rest.split()[:2]
        for place in rest.split()[2:4]
    ]


def _encoded(sentences: list[list[str]]) -> Tensor:
    id_of = {word: index for index, word in enumerate(VOCABULARY)}
    return torch.tensor([[START, *(id_of[w] for w in words), END] for words in sentences])


def sentences() -> Tensor:
    """Return the 24 sentences, ``(24, 8)``."""
    return _encoded(_clauses())


def stories(seed: int) -> Tensor:
    """Return the 480 stories in the order of a seed, ``(480, 18)``."""
    told = [
        [*first, "and", *second, "and", "it", ACTORS[first[1]].split()[4]]
        for first in _clauses()
        for second in _clauses()
        if first[1] != second[1]
    ]
    return _encoded(told)[torch.randperm(len(told), generator=seeded(seed))]


def decoder(seed: int, width: int, dropout: float = 0.0) -> DecoderOnly:
    """Return the lesson's decoder of that width: two layers of four heads, 20 positions."""
    config = ModelConfig(
        len(VOCABULARY), d_model=width, num_heads=4, d_ff=4 * width, num_layers=2,
        max_tokens=20, dropout=dropout,
    )  # fmt: skip
    return DecoderOnly(config, generator=seeded(seed))
