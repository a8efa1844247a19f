"""The layers of a Transformer, as lessons 05 and 06 build them.

With ``norm="post"`` a layer is that of Vaswani et al. 2017, section 3.1: ``norm(x + part(x))``.
With ``norm="pre"`` it is ``x + part(norm(x))`` (Xiong et al. 2020), as in GPT-2 and all that
followed; a stack of such layers needs one more norm at its end.
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import validation
from transformer_lesson.attention import Attention, Mask, MultiHeadAttention
from transformer_lesson.cache import LayerCache
from transformer_lesson.initialization import linear

Activation = Literal["relu", "gelu", "gelu_tanh", "swiglu"]
NormPlace = Literal["pre", "post"]
Normalization = Literal["layer", "rms"]


class FeedForward(nn.Module):
    """Two linear layers, applied to each token by itself (section 3.3).

    Args:
        d_model: width of the tokens that come in and go out.
        d_ff: width in between.
        activation: ``"relu"`` (the paper), ``"gelu"`` (BERT), ``"gelu_tanh"`` (GPT-2's
            approximation of it) or ``"swiglu"``, in which a third linear layer, the gate,
            multiplies the first (Shazeer 2020, eq. 6).
        dropout: probability with which a number in between is dropped in training mode.
        generator: source of the initial weights.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = "relu",
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        validation.check_sizes(d_model=d_model, d_ff=d_ff)
        validation.check_choice("activation", activation, Activation)
        self.activation = activation
        self.up = linear(d_model, d_ff, generator=generator)
        if activation == "swiglu":
            self.gate = linear(d_model, d_ff, generator=generator)
        self.down = linear(d_ff, d_model, generator=generator)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``."""
        return self.down(self.dropout(self._activated(x)))

    def _activated(self, x: Tensor) -> Tensor:
        match self.activation:
            case "relu":
                return F.relu(self.up(x))
            case "gelu":
                return F.gelu(self.up(x))
            case "gelu_tanh":
                return F.gelu(self.up(x), approximate="tanh")
            case "swiglu":
                return F.silu(self.gate(x)) * self.up(x)


class RMSNorm(nn.Module):
    """Divide each token by its root mean square, then scale each column (Zhang & Sennrich 2019).

    Args:
        d_model: width of the tokens.
        eps: added to the mean square, under the root.
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        validation.check_sizes(d_model=d_model)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the shape of ``x (..., d_model)``."""
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


class _Layer(nn.Module):
    """What encoder and decoder layers share: each part stands on a residual path."""

    def __init__(self, dropout: float, norm: NormPlace) -> None:
        super().__init__()
        validation.check_choice("norm", norm, NormPlace)
        self.norm = norm
        self.dropout = nn.Dropout(dropout)

    def _residual(self, x: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm == "pre":
            return x + self.dropout(part(norm(x)))
        return norm(x + self.dropout(part(x)))


class EncoderLayer(_Layer):
    """Self-attention, then feed-forward. With a causal mask it is a layer of GPT.

    Args:
        d_model: width of the tokens.
        num_heads: number of heads.
        d_ff: width inside the feed-forward.
        dropout: probability, on the weights (but not of flash attention), inside the feed-forward
            and on what each part adds.
        norm: where the norms stand.
        normalization: layer norm (Ba et al. 2016) or RMS norm.
        activation: of the feed-forward.
        attention: how attention is computed.
        generator: source of the initial weights.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        norm: NormPlace = "pre",
        normalization: Normalization = "layer",
        activation: Activation = "relu",
        attention: Attention = "reference",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__(dropout, norm)
        self.self_attention = _attention(d_model, num_heads, dropout, attention, generator)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout, generator=generator
        )
        self.self_attention_norm = make_norm(normalization, d_model)
        self.feed_forward_norm = make_norm(normalization, d_model)

    def forward(
        self,
        x: Tensor,
        mask: Mask = None,
        *,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``.

        Args:
            x: the tokens; with a cache, the new ones.
            mask: boolean, broadcastable to ``(batch, heads, tokens, keys)``.
            bias: added to the scores, broadcastable like the mask.
            positions: ``(tokens,)``, where queries and keys are to be rotated.
            cache: of this layer.
        """
        validation.check_activations(self.self_attention.d_model, x=x)
        keys = cache.self_attention if cache else None

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(
                x, None, None, mask, bias=bias, positions=positions, cache=keys
            )[0]

        x = self._residual(x, self.self_attention_norm, attend)
        return self._residual(x, self.feed_forward_norm, self.feed_forward)


class DecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, then feed-forward.

    Its arguments and errors are those of ``EncoderLayer``; ``d_model`` is the memory's width too.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        norm: NormPlace = "pre",
        normalization: Normalization = "layer",
        activation: Activation = "relu",
        attention: Attention = "reference",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__(dropout, norm)
        self.self_attention = _attention(d_model, num_heads, dropout, attention, generator)
        self.cross_attention = _attention(d_model, num_heads, dropout, attention, generator)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout, generator=generator
        )
        self.self_attention_norm = make_norm(normalization, d_model)
        self.cross_attention_norm = make_norm(normalization, d_model)
        self.feed_forward_norm = make_norm(normalization, d_model)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Mask = None,
        memory_mask: Mask = None,
        *,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``.

        Args:
            x: the target's tokens; with a cache, the new ones.
            memory: the encoder's output ``(batch, source tokens, d_model)``.
            mask: of the self-attention, broadcastable to ``(batch, heads, tokens, keys)``.
            memory_mask: broadcastable to ``(batch, heads, tokens, source tokens)``.
            bias: added to the scores of the self-attention.
            positions: ``(tokens,)``, where its queries and keys are to be rotated.
            cache: of this layer.
        """
        validation.check_activations(self.self_attention.d_model, x=x, memory=memory)
        validation.check_memory(x, memory)
        keys = cache.self_attention if cache else None
        memory_keys = cache.cross_attention if cache else None

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(
                x, None, None, mask, bias=bias, positions=positions, cache=keys
            )[0]

        def attend_to_memory(x: Tensor) -> Tensor:
            return self.cross_attention(x, memory, None, memory_mask, cache=memory_keys)[0]

        x = self._residual(x, self.self_attention_norm, attend)
        x = self._residual(x, self.cross_attention_norm, attend_to_memory)
        return self._residual(x, self.feed_forward_norm, self.feed_forward)


def _attention(
    d_model: int,
    num_heads: int,
    dropout: float,
    attention: Attention,
    generator: torch.Generator | None,
) -> MultiHeadAttention:
    # Flash attention never holds the weights, so it can drop none.
    on_weights = 0.0 if attention == "flash" else dropout
    return MultiHeadAttention(
        d_model, num_heads, dropout=on_weights, attention=attention, generator=generator
    )


def make_norm(normalization: Normalization, d_model: int) -> nn.Module:
    """Return a norm over the last axis, with a gain of 1 and, for layer norm, a bias of 0."""
    validation.check_choice("normalization", normalization, Normalization)
    return nn.LayerNorm(d_model) if normalization == "layer" else RMSNorm(d_model)
