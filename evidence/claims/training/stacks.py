"""A decoder whose residuals or norms can be missing, trained on the 24 sentences of lesson 07."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claims.training.language import VOCABULARY, sentences
from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.training import Diverged, TrainingConfig, next_token, train

WIDTH, HEADS, LAST = 32, 4, 10
DIVERGED = 1e6  # stands for a loss that is no number any more


class Stack(nn.Module):
    """A causal decoder of ``depth`` layers.

    Args:
        depth: number of layers.
        residual: whether each part is added to what came in, or takes its place.
        norm: ``"pre"``, ``"post"`` or ``"none"``.
        scaled: whether the matrices that end a residual branch are divided by √(2 · depth).
        seed: of the weights.
    """

    def __init__(self, depth: int, residual: bool, norm: str, scaled: bool, seed: int) -> None:
        super().__init__()
        self.residual, self.norm, generator = residual, norm, seeded(seed)
        self.layers = nn.ModuleList(
            EncoderLayer(WIDTH, HEADS, 4 * WIDTH, generator=generator) for _ in range(depth)
        )
        self.word = nn.Parameter(torch.randn(len(VOCABULARY), WIDTH, generator=generator))
        self.place = nn.Parameter(torch.randn(20, WIDTH, generator=generator))
        self.output = nn.Parameter(torch.randn(len(VOCABULARY), WIDTH, generator=generator))
        if scaled:
            with torch.no_grad():
                for layer in self._layers():
                    layer.self_attention.output_projection.weight.div_(math.sqrt(2 * depth))
                    layer.feed_forward.down.weight.div_(math.sqrt(2 * depth))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits ``(batch, tokens, vocabulary)``."""
        mask = causal_mask(tokens.shape[1])
        x = self.word[tokens] + self.place[: tokens.shape[1]]
        for layer in self._layers():
            first, second = layer.self_attention_norm, layer.feed_forward_norm
            answer, _ = layer.self_attention(self._before(x, first), mask=mask)
            x = self._joined(x, answer, first)
            x = self._joined(x, layer.feed_forward(self._before(x, second)), second)
        if self.norm == "pre":
            x = F.layer_norm(x, x.shape[-1:])
        return x @ self.output.T / math.sqrt(WIDTH)

    def _layers(self) -> list[EncoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, EncoderLayer)]

    def _before(self, x: Tensor, norm: nn.Module) -> Tensor:
        return norm(x) if self.norm == "pre" else x

    def _joined(self, x: Tensor, added: Tensor, norm: nn.Module) -> Tensor:
        x = x + added if self.residual else added
        return norm(x) if self.norm == "post" else x


def ending(stack: Stack, rate: float, warmup: int, steps: int) -> float:
    """Train without clipping, and return the mean loss of the last ten steps."""
    short = sentences()
    config = TrainingConfig(steps=steps, learning_rate=rate, warmup_steps=warmup, clip_norm=None)
    try:
        losses = train(stack, next_token(), lambda _: short, config, progress=False).losses
    except Diverged:
        return DIVERGED
    return min(sum(losses[-LAST:]) / LAST, DIVERGED)
