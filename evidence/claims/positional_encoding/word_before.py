"""The task of lesson 04 and its lab: at every word of a random text, name the word before it.

It needs the order of the words and nothing else. Texts of 16 words are trained on; then a text of
64 is read, in one piece. Answers are counted place by place: a mean over the whole text would hide
what happens beyond the trained length.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Numbers
from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask
from transformer_lesson.config import Positions
from transformer_lesson.models import DecoderOnly, ModelConfig

VOCAB, TRAINED, LONGEST = 16, 16, 64  # words to choose from; lengths of a text
STEPS, LONGER, BATCH, RATE = 200, 800, 16, 3e-3
SHORT, TWICE, FOUR = "words 9 to 16", "words 25 to 32", "words 57 to 64"


def texts(count: int, length: int, generator: torch.Generator) -> Tensor:
    """Draw random texts (count, length)."""
    return torch.randint(VOCAB, (count, length), generator=generator)


def small(positions: Positions, *, layers: int = 2, seed: int = 0) -> DecoderOnly:
    """Make a causal model of width 64 whose table, if it has one, reaches the longest text."""
    config = ModelConfig(
        VOCAB,
        d_model=64,
        num_heads=4,
        num_layers=layers,
        d_ff=128,
        max_tokens=LONGEST,
        max_distance=8,
        padding_id=None,
        positions=positions,
        tie_embeddings=False,
    )
    return DecoderOnly(config, generator=seeded(seed))


def read(model: DecoderOnly, batch: Tensor, start: int = 0, keys: str = "all") -> Tensor:
    """Return the logits (batch, tokens, words) for texts whose first word stands at ``start``.

    Keys are ``"all"`` that stand before the query, the ``"last 16"`` of them, or 16 that lie
    ``"spread"``: the last 8 and every seventh of those before.
    """
    length = batch.shape[1]
    mask, places = causal_mask(length), torch.arange(length)
    back = places[:, None] - places  # (queries, keys)
    if keys == "last 16":
        mask = mask & (back < 16)
    elif keys == "spread":
        mask = mask & ((back < 8) | (back % 7 == 0))
    assert model.output is not None
    logits: Tensor = model.output(model.decoder(model.embedding(batch, start), mask))
    return logits


def train(
    model: DecoderOnly,
    *,
    back: int = 1,
    steps: int = STEPS,
    rate: float = RATE,
    length: int = TRAINED,
    latest: int = 0,
    seed: int = 0,
) -> DecoderOnly:
    """Train a model to name the word that stood ``back`` places before.

    The first word of a text stands at 0, or for each batch anywhere from 0 to ``latest``.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    generator = seeded(seed)
    for _ in range(steps):
        batch = texts(BATCH, length, generator)
        start = int(torch.randint(latest + 1, (), generator=generator)) if latest else 0
        logits = read(model, batch, start)[:, back:]
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, :-back].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.requires_grad_(False)


@cache
def trained(positions: Positions, seed: int, layers: int = 2, **settings: Any) -> DecoderOnly:
    """Train a model once, for all conditions and claims that ask for it."""
    return train(small(positions, layers=layers, seed=seed), seed=seed, **settings)


def right_by_place(
    model: DecoderOnly, *, back: int = 1, keys: str = "all", seed: int = 0
) -> Tensor:
    """Return the share of right answers at each place of 400 new texts: (LONGEST - back,)."""
    batch = texts(400, LONGEST, seeded(1_000_000 + seed))
    answers = read(model, batch, keys=keys)[:, back:].argmax(-1)
    return (answers == batch[:, :-back]).float().mean(0)


def shares(model: DecoderOnly, *, back: int = 1, keys: str = "all", seed: int = 0) -> Numbers:
    """Return the share right in the last 8 words of a text of 16, of 32 and of 64 words."""
    curve = right_by_place(model, back=back, keys=keys, seed=seed)
    ends = {SHORT: TRAINED, TWICE: 2 * TRAINED, FOUR: LONGEST}
    return {name: curve[end - back - 8 : end - back].mean().item() for name, end in ends.items()}


def measure(
    seed: int, positions: Positions, keys: str = "all", back: int = 1, **settings: Any
) -> Numbers:
    """One run: a model of one kind of positions, trained and read."""
    model = trained(positions, seed, back=back, **settings)
    return shares(model, back=back, keys=keys, seed=seed)
