"""Attention, as lessons 02 and 03 build it (Vaswani et al. 2017, section 3.2).

Masks are boolean, True = may attend; combine them with ``&``. A query that may attend to nothing,
by a mask or by a bias of -inf, gets output 0, weights 0 and gradient 0.

A mask hides numbers and no NaN: 0 · NaN is NaN, so a NaN in a hidden value or key does get out. To
see what a query reads, change a number there and compare, or put a large one such as 1e6.
"""

import math
from typing import Any, Literal, TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.cache import CachedKeys
from transformer_lesson.flash.api import FlashMask, masked_flash_attention
from transformer_lesson.initialization import xavier_linear
from transformer_lesson.positions import rotate
from transformer_lesson.validation import arguments, tensors, token_ids

Attention = Literal["reference", "fused", "flash"]
Mask = Tensor | FlashMask | None


class AttentionOptions(TypedDict, total=False):
    """The options that layers hand on to their attention; see ``MultiHeadAttention``."""

    num_kv_heads: int | None
    d_head: int | None
    window: int | None
    qk_norm: bool
    rope_base: float
    rope_factor: float
    rope_tokens: int | None
    softcap: float | None


def reference_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each key answers each query (eq. 1).

    Args:
        query: ``(..., queries, d_head)``, floating point.
        key: ``(..., keys, d_head)``.
        value: ``(..., keys, d_value)``.
        mask: boolean, True = may attend, broadcastable to ``(..., queries, keys)``.
        bias: added to the scores, such as a relative position bias ``(heads, queries, keys)``.
        dropout: probability with which a weight is dropped before it meets its value.
        is_causal: each query attends to its own place and to those before it, besides the mask.
        scale: what dot products are multiplied by; by default 1/√d_head.
        softcap: what the products, so scaled, approach and never pass: ``softcap * tanh(products /
            softcap)`` (Gemma 2).
        enable_gqa: key and value may have fewer heads ``(..., key heads, keys, d_head)``, a number
            that divides that of query: neighboring heads share one (Ainslie et al. 2023).

    Returns:
        The output ``(..., queries, d_value)`` and the weights ``(..., queries, keys)`` before
        dropout: every row sums to 1, or to 0 where the query may attend to nothing.

    Raises:
        TypeError: the mask is not boolean, or the dtypes differ.
        ValueError: the shapes do not fit together, ``scale`` is not positive, ``dropout`` no
            probability, or ``is_causal`` is asked for with more or fewer queries than keys.
    """
    arguments.check_flags(is_causal=is_causal, enable_gqa=enable_gqa)
    arguments.check_dropout(dropout)
    tensors.check_attention(query, key, value, mask, bias, enable_gqa=enable_gqa)
    if is_causal:
        tensors.check_square(query.shape[-2], key.shape[-2])
        earlier = causal_mask(query.shape[-2], device=query.device)
        mask = earlier if mask is None else mask & earlier
    if enable_gqa:
        shares = query.shape[-3] // key.shape[-3]
        key, value = (shared.repeat_interleave(shares, dim=-3) for shared in (key, value))
    scores = query @ key.transpose(-2, -1)
    if scale is None:
        scores = scores / math.sqrt(query.shape[-1])
    else:
        tensors.check_scale(scale, query)
        scores = scores * scale
    if softcap is not None:
        arguments.check_positive(softcap=softcap)
        scores = softcap * (scores / softcap).tanh()
    if bias is not None:
        scores = scores + bias
        seen = bias > -math.inf
        mask = seen if mask is None else mask & seen
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # The lowest number instead of -inf: the softmax of an empty row is no 0/0.
        # The second fill makes "masked" mean exactly zero, in an empty row too.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout, training=dropout > 0) @ value, weights


def causal_mask(
    queries: int,
    keys: int | None = None,
    *,
    window: int | None = None,
    device: torch.device | None = None,
) -> Tensor:
    """Let each query attend to its own position and to those before it.

    With fewer queries than ``keys`` (by default as many) the queries are the *last* tokens, as
    when earlier keys are cached: the last query sees every key. With more queries than keys the
    first queries see nothing. With a ``window`` each query sees that many positions at most, its
    own among them.

    Returns:
        Boolean ``(queries, keys)`` on ``device``, True = may attend.

    Raises:
        TypeError: a number is not an integer.
        ValueError: a number is negative, or ``window`` is below 1.
    """
    keys = queries if keys is None else keys
    tensors.check_lengths(queries, keys)
    position_of_query = torch.arange(queries, device=device).unsqueeze(1) + keys - queries
    position_of_key = torch.arange(keys, device=device)
    earlier = position_of_key <= position_of_query
    if window is None:
        return earlier
    arguments.check_sizes(window=window)
    return earlier & (position_of_query - position_of_key < window)


def padding_mask(tokens: Tensor, padding_id: int) -> Tensor:
    """Let every query attend to the real tokens and to no padding.

    Args:
        tokens: token ids ``(batch, tokens)``, integer, filled up with ``padding_id``.

    Returns:
        Boolean ``(batch, 1, 1, tokens)``, True = may attend: it hides *keys*, from every query.

    Raises:
        TypeError, ValueError: ``tokens`` are not integer ids, or not two-dimensional.
    """
    token_ids.check_ids(tokens, padding_id)
    return (tokens != padding_id)[:, None, None, :]


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own projection (section 3.2.2).

    Args:
        d_model: width of the tokens that come in and go out.
        num_heads: number of heads.
        num_kv_heads: number of heads of keys and values, which neighboring heads share: 1 is
            multi-query attention (Shazeer 2019), a number in between grouped-query attention
            (Ainslie et al. 2023). By default each head has its own.
        d_head: width of a head, by default ``d_model // num_heads``.
        window: how many tokens each sees at most, itself and those before it (Beltagy et al. 2020;
            Mistral). Such an attention is always causal. By default there is no limit.
        bias: whether the four projections have a bias.
        qk_norm: whether each query and each key is divided by its root mean square, and scaled,
            before it is rotated (Henry et al. 2020, with RMS norm as in Qwen3).
        eps: of that norm.
        rope_base: base of the rotation, where ``forward`` is given positions.
        rope_factor, rope_tokens: how its angles are changed; see ``positions.rotate``.
        softcap: of the scores, as in ``reference_attention``, which then computes for "fused" too.
        dropout: probability with which a weight is dropped in training mode.
        attention: ``"reference"`` computes and returns the weights. ``"fused"`` (PyTorch's kernels)
            and ``"flash"`` (lesson 09) give the same output and return no weights.
        generator: source of the initial weights (Xavier uniform; biases start at 0).
        device: where the weights are; by default PyTorch's default device.
        dtype: of the weights; by default PyTorch's default dtype.

    Raises:
        TypeError: weights cannot have ``dtype``.
        ValueError: ``num_heads`` does not divide ``d_model`` and there is no ``d_head``,
            ``num_kv_heads`` does not divide ``num_heads``, flash attention does not know heads that
            wide, or another argument is out of range.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        d_head: int | None = None,
        window: int | None = None,
        bias: bool = True,
        qk_norm: bool = False,
        eps: float = 1e-5,
        rope_base: float = 10_000.0,
        rope_factor: float = 1.0,
        rope_tokens: int | None = None,
        softcap: float | None = None,
        dropout: float = 0.0,
        attention: Attention = "reference",
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        tensors.check_dtype(dtype)
        arguments.check_layer(d_model, num_heads, dropout, attention, d_head)
        arguments.check_limits(attention, window, softcap)
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        arguments.check_grouped(num_heads, num_kv_heads)
        arguments.check_flags(bias=bias, qk_norm=qk_norm)
        arguments.check_positive(eps=eps, rope_base=rope_base, rope_factor=rope_factor)
        self.d_model, self.num_heads, self.num_kv_heads = d_model, num_heads, num_kv_heads
        self.d_head, self.window = d_head or d_model // num_heads, window
        self.rope_base, self.rope_factor, self.rope_tokens = rope_base, rope_factor, rope_tokens
        self.softcap, self.dropout, self.attention = softcap, dropout, attention
        d_queries, d_keys = num_heads * self.d_head, num_kv_heads * self.d_head
        self.query_projection = xavier_linear(d_model, d_queries, bias=bias, generator=generator)
        self.key_projection = xavier_linear(d_model, d_keys, bias=bias, generator=generator)
        self.value_projection = xavier_linear(d_model, d_keys, bias=bias, generator=generator)
        self.output_projection = xavier_linear(d_queries, d_model, bias=bias, generator=generator)
        self.query_norm = nn.RMSNorm(self.d_head, eps=eps) if qk_norm else nn.Identity()
        self.key_norm = nn.RMSNorm(self.d_head, eps=eps) if qk_norm else nn.Identity()
        self.to(device=device, dtype=dtype)

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
        is_causal: bool = False,
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
            is_causal: no query sees a later key, besides the mask; the last query is the last key.

        Returns:
            The output ``(batch, queries, d_model)``, and the weights ``(batch, heads, queries,
            keys)`` or, where they are never held, None.
        """
        key = query if key is None else key
        value = key if value is None else value
        arguments.check_flags(is_causal=is_causal)
        tensors.check_activations(self.d_model, query=query, key=key, value=value)
        if cache is not None:
            arguments.check_ring(cache.window, self.window)
            places = cache.places(key.shape[1])
            mask, bias = _kept(mask, places), _kept(bias, places)
        queries = self._placed(self.query_projection(query), self.query_norm, positions)
        keys, values = self._keys_and_values(key, value, positions, cache)
        if is_causal or self.window is not None:
            mask = self._and_causal(mask, queries, keys)
        heads, weights = self._attend(queries, keys, values, mask, bias)
        return self.output_projection(heads.transpose(1, 2).flatten(-2)), weights

    def _keys_and_values(
        self, key: Tensor, value: Tensor, positions: Tensor | None, cache: CachedKeys | None
    ) -> tuple[Tensor, Tensor]:
        if cache is not None and cache.complete:
            return cache.key, cache.value
        keys = self._placed(self.key_projection(key), self.key_norm, positions)
        values = self._split(self.value_projection(value))
        return (keys, values) if cache is None else cache.append(keys, values)

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask, bias: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        if self.attention == "flash":
            return masked_flash_attention(query, key, value, mask, bias), None
        if isinstance(mask, FlashMask):
            if mask.real is not None:
                tensors.check_real(mask.real, key)
            mask = mask.dense(query.shape[-2], key.shape[-2], query.device)
        if bias is not None:
            tensors.check_bias(bias)
            bias = bias.to(query.dtype)
        dropout = self.dropout if self.training else 0.0
        shared = self.num_kv_heads < self.num_heads
        if self.attention == "reference" or self.softcap is not None:
            options: Any = {"bias": bias, "dropout": dropout, "softcap": self.softcap}
            output = reference_attention(query, key, value, mask, enable_gqa=shared, **options)
            return output if self.attention == "reference" else (output[0], None)
        tensors.check_attention(query, key, value, mask, bias, enable_gqa=shared)
        empty = None
        if bias is not None:  # PyTorch takes one of the two: a bias of -inf masks
            mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
            empty = (mask == -math.inf).all(-1, keepdim=True)  # where its gradients are NaN
            mask = mask.masked_fill(empty, 0.0)
        slow = query.device.type == "cpu" and query.dtype == torch.bfloat16 and not dropout
        if slow and query.requires_grad:
            found = _in_float32(query, key, value, mask, shared)
        else:
            found = F.scaled_dot_product_attention(
                query, key, value, mask, dropout, enable_gqa=shared
            )
        return found if empty is None else found.masked_fill(empty, 0.0), None

    def _and_causal(self, mask: Mask, query: Tensor, key: Tensor) -> Mask:
        if mask is None and self.attention == "flash":
            return FlashMask(True, None)
        if isinstance(mask, FlashMask):
            if self.window is None:
                return mask._replace(causal=True)
            mask = mask.dense(query.shape[-2], key.shape[-2], query.device)
        lengths = (query.shape[-2], key.shape[-2])
        earlier = causal_mask(*lengths, window=self.window, device=query.device)
        if mask is None:
            return earlier
        tensors.check_mask(mask, (*query.shape[:-1], key.shape[-2]))
        return mask & earlier

    def _split(self, tokens: Tensor) -> Tensor:
        """``(batch, tokens, heads * d_head)`` to ``(batch, heads, tokens, d_head)``."""
        # Not unflatten, which torch.compile cannot follow where a default device is set.
        heads = tokens.shape[-1] // self.d_head
        return tokens.view(*tokens.shape[:-1], heads, self.d_head).transpose(1, 2)

    def _placed(self, tokens: Tensor, norm: nn.Module, positions: Tensor | None) -> Tensor:
        """Split into heads, normalized and turned to their positions where that is asked for."""
        heads = norm(self._split(tokens)).to(tokens.dtype)  # under autocast a norm returns float32
        if positions is None:
            return heads
        options: Any = {"factor": self.rope_factor, "trained_tokens": self.rope_tokens}
        return rotate(heads, positions, base=self.rope_base, **options)


def _kept(pairs: Any, places: Tensor | None) -> Any:
    """What a mask or a bias ``(…, all keys)`` says of the keys at ``places``, those of a ring."""
    if places is None or not isinstance(pairs, Tensor) or pairs.shape[-1] == 1:
        return pairs
    return pairs[..., places.to(pairs.device)]


def _in_float32(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, shared: bool
) -> Tensor:
    """PyTorch's attention, whose gradients take many times as long in bfloat16 on a CPU.

    With dropout another kernel runs, which does not mind.
    """
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.float()
    with torch.autocast("cpu", enabled=False):
        output = F.scaled_dot_product_attention(
            query.float(), key.float(), value.float(), mask, enable_gqa=shared
        )
    return output.to(query.dtype)
