"""Attention, as lessons 02 and 03 build it (Vaswani et al. 2017, section 3.2).

Masks are boolean, True = may attend, and broadcast to ``(batch, heads, queries, keys)``.
Combine them with ``&``. A query that may attend to nothing gets output 0, weights 0, gradient 0.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import fits

Attention = Literal["reference", "fused"]


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each key answers each query (eq. 1).

    Args:
        query: ``(..., queries, d_head)``, floating point.
        key: ``(..., keys, d_head)``.
        value: ``(..., keys, d_value)``.
        mask: boolean, True = may attend, broadcastable to ``(..., queries, keys)``.
        dropout: probability with which a weight is dropped before it meets its value.

    Returns:
        The output ``(..., queries, d_value)`` and the weights ``(..., queries, keys)`` before
        dropout: every row sums to 1, or to 0 where the query may attend to nothing.

    Raises:
        TypeError: the mask is not boolean, or the dtypes differ.
        ValueError: the shapes do not fit together.
    """
    fits.check_attention(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
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
    fits.check_lengths(queries, keys)
    position_of_query = torch.arange(queries, device=device).unsqueeze(1) + keys - queries
    return torch.arange(keys, device=device) <= position_of_query


def padding_mask(tokens: Tensor, padding_id: int) -> Tensor:
    """Let every query attend to the real tokens and to no padding.

    Args:
        tokens: token ids ``(batch, tokens)``, integer, filled up with ``padding_id``.

    Returns:
        Boolean ``(batch, 1, 1, tokens)``, True = may attend: it hides *keys*, from every query.

    Raises:
        TypeError: they are not integer ids.
        ValueError: ``tokens`` is not two-dimensional.
    """
    fits.check_ids(tokens, padding_id)
    return (tokens != padding_id)[:, None, None, :]


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection (section 3.2.2).

    Args:
        d_model: width of the tokens that come in and go out.
        num_heads: number of heads; each is ``d_head = d_model // num_heads`` wide.
        bias: whether the four projections have a bias.
        dropout: probability with which a weight is dropped in training mode.
        attention: ``"reference"`` computes and returns the weights; ``"fused"`` uses PyTorch's
            fused kernels, gives the same output and returns no weights.
        generator: source of the initial weights (Xavier uniform; biases start at 0).

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``, ``dropout`` is no probability, or
            ``attention`` is unknown.
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
        fits.check_layer(d_model, num_heads, dropout)
        if attention not in ("reference", "fused"):
            raise ValueError(f"attention={attention!r}; expected 'reference' or 'fused'.")
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.dropout, self.attention = dropout, attention
        self.query_projection = _projection(d_model, bias, generator)
        self.key_projection = _projection(d_model, bias, generator)
        self.value_projection = _projection(d_model, bias, generator)
        self.output_projection = _projection(d_model, bias, generator)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from ``query`` to ``key``.

        Args:
            query: ``(batch, queries, d_model)``.
            key: ``(batch, keys, d_model)``; by default the query itself: self-attention.
            value: ``(batch, keys, d_model)``; by default the key.
            mask: boolean, True = may attend, broadcastable to ``(batch, heads, queries, keys)``.

        Returns:
            The output ``(batch, queries, d_model)``, and the weights
            ``(batch, heads, queries, keys)`` or, from the fused path, None.
        """
        key = query if key is None else key
        value = key if value is None else value
        for name, tokens in (("query", query), ("key", key), ("value", value)):
            fits.check_activations(name, tokens, self.d_model)
        heads, weights = self._attend(
            self._split(self.query_projection(query)),
            self._split(self.key_projection(key)),
            self._split(self.value_projection(value)),
            mask,
        )
        return self.output_projection(self._merge(heads)), weights

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        dropout = self.dropout if self.training else 0.0
        if self.attention == "reference":
            return scaled_dot_product_attention(query, key, value, mask, dropout=dropout)
        fits.check_attention(query, key, value, mask)
        return F.scaled_dot_product_attention(query, key, value, mask, dropout), None

    def _split(self, tokens: Tensor) -> Tensor:
        """``(batch, tokens, d_model)`` to ``(batch, heads, tokens, d_head)``."""
        batch, length, _ = tokens.shape
        return tokens.view(batch, length, self.num_heads, self.d_head).transpose(1, 2)

    def _merge(self, heads: Tensor) -> Tensor:
        """``(batch, heads, tokens, d_head)`` to ``(batch, tokens, d_model)``."""
        batch, _, length, _ = heads.shape
        return heads.transpose(1, 2).reshape(batch, length, self.d_model)


def _projection(d_model: int, bias: bool, generator: torch.Generator | None) -> nn.Linear:
    # skip_init, because nn.Linear would first draw from the global generator.
    linear = nn.utils.skip_init(nn.Linear, d_model, d_model, bias=bias)
    nn.init.xavier_uniform_(linear.weight, generator=generator)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear
