"""Texts in which one looks up what followed a word before, and a small decoder that learns it."""

from collections.abc import Iterable
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly

IDS, OWN, DRAWN = 64, 8, 24  # tokens; pairs that a text has of its own; pairs that it shows
ROWS, STEPS = 32, 250


def texts(number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw texts "key value key value …", whose pairs hold in one text alone.

    Returns:
        Ids ``(number, 2 DRAWN)``, and where a key stands that the text has shown before, and at the
        others False.
    """
    own = torch.rand(number, IDS, generator=generator).argsort(1)[:, : 2 * OWN].view(-1, OWN, 2)
    which = torch.randint(OWN, (number, DRAWN), generator=generator)
    drawn = own.gather(1, which[..., None].expand(-1, -1, 2)).flatten(1)
    before = (which[:, :, None] == which[:, None, :]).tril(-1).any(-1)
    return drawn, torch.stack((before, torch.zeros_like(before)), -1).flatten(1)


class Nothing(nn.Module):
    """Stands where a feed-forward would, and adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        """Return zeros of the shape of ``x``."""
        return torch.zeros_like(x)


def untrained(seed: int, layers: int = 2) -> DecoderOnly:
    """Return a decoder with one head in each layer, and without feed-forwards."""
    config = ModelConfig(
        IDS,
        d_model=64,
        num_heads=1,
        num_layers=layers,
        d_ff=1,
        positions="rotary",
        tie_embeddings=False,
    )
    model = DecoderOnly(config, generator=seeded(seed))
    for layer in model.decoder.layers:
        layer.feed_forward = Nothing()
    return model


@cache
def trained(seed: int, layers: int = 2, steps: int = STEPS) -> DecoderOnly:
    """Return the decoder after ``steps`` with texts of pairs."""
    model, drawing = untrained(seed, layers), seeded(1000 + seed)
    return train(model, (texts(ROWS, drawing) for _ in range(steps)))


def train(model: DecoderOnly, batches: Iterable[tuple[Tensor, Tensor]]) -> DecoderOnly:
    """Train on batches of ids, each with where the token after is asked for."""
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, fused=True)
    for text, asked in batches:
        logits = model(text[:, :-1])[asked[:, :-1]]
        loss = F.cross_entropy(logits, text[:, 1:][asked[:, :-1]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def layers_of(model: DecoderOnly) -> list[EncoderLayer]:
    """Return the layers of the decoder."""
    return [layer for layer in model.decoder.layers if isinstance(layer, EncoderLayer)]


def unembedded(model: DecoderOnly, x: Tensor) -> Tensor:
    """Return the logits ``(..., IDS)`` that the model would give with ``x`` as its last stream."""
    assert model.output is not None
    return model.output(model.decoder.final_norm(x))


def right(logits: Tensor, text: Tensor, asked: Tensor) -> float:
    """Return the share of the tokens asked for that have the largest logit."""
    return (logits[:, :-1].argmax(-1) == text[:, 1:])[asked[:, :-1]].float().mean().item()
