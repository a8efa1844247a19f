"""Attention, as lessons 02 and 03 build it (Vaswani et al. 2017, section 3.2).

Masks are boolean, True = may attend; combine them with ``&``. A query that may attend to nothing
gets output 0, weights 0 and gradient 0.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import validation
from transformer_lesson.cache import CachedKeys
from transformer_lesson.flash.api import FlashMask, masked_flash_attention
from transformer_lesson.initialization import linear
from transformer_lesson.positions import rotate

Attention = Literal["reference", "fused", "flash"]
Mask = Tensor | FlashMask | None


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each key answers each query (eq. 1).

    Args:
        query: ``(..., queries, d_head)``, floating point.
        key: ``(..., keys, d_head)``.
        value: ``(..., keys, d_value)``.
        mask: boolean, True = may attend, broadcastable to ``(..., queries, keys)``.
        bias: added to the scores, such as a relative position bias ``(heads, queries, keys)``.
        dropout: probability with which a weight is dropped before it meets its value.

    Returns:
        The output ``(..., queries, d_value)`` and the weights ``(..., queries, keys)`` before
        dropout: every row sums to 1, or to 0 where the query may attend to nothing.

    Raises:
        TypeError: the mask is not boolean, or the dtypes differ.
        ValueError: the shapes do not fit together.
    """
    validation.check_attention(query, key, value, mask, bias)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if bias is not None:
        scores = scores + bias
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # The lowest number instead of -inf: the softmax of an empty row is no 0/0.
        # The second fill makes "masked" mean exactly zero, in an empty row too.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout, training=dropout > 0) @ value, weights


def causal_mask(
    queries: int, keys: int | None = None, *, device: torch.device | None = None
) -> Tensor:
    """Let each query attend to its own position and to those before it.

    With fewer queries than ``keys`` (by default as many) the queries are the *last* tokens, as
    when earlier keys are cached: the last query sees every key. With more queries than keys the
    first queries see nothing.

    Returns:
        Boolean ``(queries, keys)`` on ``device``, True = may attend.

    Raises:
        TypeError: a number is not an integer.
        ValueError: a number is negative.
    """
    keys = queries if keys is None else keys
    validation.check_lengths(queries, keys)
    position_of_query = torch.arange(queries, device=device).unsqueeze(1) + keys - queries
    return torch.arange(keys, device=device) <= position_of_query


def padding_mask(tokens: Tensor, padding_id: int) -> Tensor:
    """Let every query attend to the real tokens and to no padding.

    Args:
        tokens: token ids ``(batch, tokens)``, integer, filled up with ``padding_id``.

    Returns:
        Boolean ``(batch, 1, 1, tokens)``, True = may attend: it hides *keys*, from every query.

    Raises:
        TypeError, ValueError: ``tokens`` are not integer ids, or not two-dimensional.
    """
    validation.check_ids(tokens, padding_id)
    return (tokens != padding_id)[:, None, None, :]


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection (section 3.2.2).

    Args:
        d_model: width of the tokens that come in and go out.
        num_heads: number of heads; each is ``d_head = d_model // num_heads`` wide.
        bias: whether the four projections have a bias.
        dropout: probability with which a weight is dropped in training mode.
        attention: ``"reference"`` computes and returns the weights. ``"fused"`` (PyTorch's kernels)
            and ``"flash"`` (lesson 09) give the same output and return no weights.
        generator: source of the initial weights (Xavier uniform; biases start at 0).

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``, or another argument is out of range.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        bias: bool = True,
        dropout: float = 0.0,
        attention: Attention = "reference",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        validation.check_layer(d_model, num_heads, dropout, attention)
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.dropout, self.attention = dropout, attention
        self.query_projection = linear(d_model, d_model, bias=bias, generator=generator)
        self.key_projection = linear(d_model, d_model, bias=bias, generator=generator)
        self.value_projection = linear(d_model, d_model, bias=bias, generator=generator)
        self.output_projection = linear(d_model, d_model, bias=bias, generator=generator)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Mask = None,
        *,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        cache: CachedKeys | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from ``query`` to ``key``.

        Args:
            query: ``(batch, queries, d_model)``.
            key: ``(batch, keys, d_model)``; by default the query itself: self-attention.
            value: ``(batch, keys, d_model)``; by default the key.
            mask: broadcastable to ``(batch, heads, queries, keys)``; for flash a ``FlashMask``.
            bias: added to the scores, broadcastable like the mask.
            positions: ``(tokens,)``, to rotate queries and keys (self-attention only).
            cache: keys and values of earlier tokens; those of ``key`` join them.

        Returns:
            The output ``(batch, queries, d_model)``, and the weights ``(batch, heads, queries,
            keys)`` or, where they are never held, None.
        """
        key = query if key is None else key
        value = key if value is None else value
        validation.check_activations(self.d_model, query=query, key=key, value=value)
        queries = self._split(self.query_projection(query), positions)
        keys, values = self._keys_and_values(key, value, positions, cache)
        heads, weights = self._attend(queries, keys, values, mask, bias)
        return self.output_projection(heads.transpose(1, 2).flatten(-2)), weights

    def _keys_and_values(
        self, key: Tensor, value: Tensor, positions: Tensor | None, cache: CachedKeys | None
    ) -> tuple[Tensor, Tensor]:
        if cache is not None and cache.complete:
            return cache.key, cache.value
        keys = self._split(self.key_projection(key), positions)
        values = self._split(self.value_projection(value))
        return (keys, values) if cache is None else cache.append(keys, values)

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask, bias: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        if self.attention == "flash":
            return masked_flash_attention(query, key, value, mask, bias), None
        if isinstance(mask, FlashMask):
            mask = mask.dense(query.shape[-2], key.shape[-2], query.device)
        bias = bias if bias is None else bias.to(query.dtype)
        dropout = self.dropout if self.training else 0.0
        if self.attention == "reference":
            return scaled_dot_product_attention(query, key, value, mask, bias=bias, dropout=dropout)
        validation.check_attention(query, key, value, mask, bias)
        if bias is not None:  # PyTorch takes one of the two: a bias of -inf masks
            mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
        return F.scaled_dot_product_attention(query, key, value, mask, dropout), None

    def _split(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """``(batch, tokens, d_model)`` to ``(batch, heads, tokens, d_head)``, rotated if asked."""
        heads = tokens.unflatten(-1, (self.num_heads, self.d_head)).transpose(1, 2)
        return heads if positions is None else rotate(heads, positions)
