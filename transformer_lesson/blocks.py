"""The layers of a Transformer, as lessons 05 and 06 build them.

With ``norm="post"`` a layer is that of Vaswani et al. 2017, section 3.1: ``norm(x + part(x))``.
With ``norm="pre"`` it is ``x + part(norm(x))`` (Xiong et al. 2020), as in GPT-2 and all that
followed; a stack of such layers needs one more norm at its end. ``norm="both"`` is ``x +
norm(part(norm(x)))``, as in Gemma 2.
"""

from collections.abc import Callable
from typing import Any, Literal, Unpack

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.attention import Attention, AttentionOptions, Mask, MultiHeadAttention
from transformer_lesson.cache import LayerCache
from transformer_lesson.initialization import xavier_linear
from transformer_lesson.moe import MixtureOfExperts
from transformer_lesson.validation import arguments, tensors

Activation = Literal["relu", "gelu", "gelu_tanh", "swiglu", "geglu"]
NormPlace = Literal["pre", "post", "both"]
NormType = Literal["layer", "rms"]


class FeedForward(nn.Module):
    """Two linear layers, applied to each token by itself (section 3.3).

    Args:
        d_model: width of the tokens that come in and go out.
        d_ff: width in between.
        activation: ``"relu"`` (the paper), ``"gelu"`` (BERT), ``"gelu_tanh"`` (GPT-2's
            approximation of it) or ``"swiglu"``, in which a third linear layer, the gate,
            multiplies the first (Shazeer 2020, eq. 6); ``"geglu"`` has ``"gelu_tanh"`` on the gate.
        bias: whether the linear layers have a bias.
        dropout: probability with which a number in between is dropped in training mode.
        generator, device, dtype: of the weights, as in ``MultiHeadAttention``.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = "relu",
        bias: bool = True,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        tensors.check_dtype(dtype)
        arguments.check_sizes(d_model=d_model, d_ff=d_ff)
        arguments.check_choice("activation", activation, Activation)
        arguments.check_dropout(dropout)
        arguments.check_flags(bias=bias)
        self.d_model, self.activation = d_model, activation
        self.up = xavier_linear(d_model, d_ff, bias=bias, generator=generator)
        if activation in ("swiglu", "geglu"):
            self.gate = xavier_linear(d_model, d_ff, bias=bias, generator=generator)
        self.down = xavier_linear(d_ff, d_model, bias=bias, generator=generator)
        self.dropout = nn.Dropout(dropout)
        self.to(device=device, dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the shape of ``x (..., d_model)``."""
        tensors.check_rows(x, self.d_model)
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
            case "geglu":
                return F.gelu(self.gate(x), approximate="tanh") * self.up(x)


class RMSNorm(nn.Module):
    """Divide each token by its root mean square, then scale each column (Zhang & Sennrich 2019).

    Args:
        d_model: width of the tokens.
        eps: added to the mean square, under the root.
        device, dtype: of the weights, as in ``MultiHeadAttention``.

    Raises:
        ValueError: ``d_model`` is below 1, or ``eps`` is not positive.
    """

    def __init__(
        self,
        d_model: int,
        *,
        eps: float = 1e-5,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        tensors.check_dtype(dtype)
        arguments.check_sizes(d_model=d_model)
        arguments.check_positive(eps=eps)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set the scales in place to 1."""
        nn.init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the shape and dtype of ``x (..., d_model)``.

        Half precision is computed in float32, as ``nn.RMSNorm`` does: the square of 300 is no
        float16 number.
        """
        tensors.check_rows(x, len(self.weight))
        exact = x.float() if x.dtype.itemsize < 4 else x
        root = torch.rsqrt(exact.square().mean(-1, keepdim=True) + self.eps)
        return (exact * root * self.weight).to(x.dtype)


class _Layer(nn.Module):
    """What encoder and decoder layers share: each part stands on a residual path."""

    attentions: tuple[str, ...] = ("self_attention",)
    self_attention: MultiHeadAttention
    self_attention_norm: nn.Module
    feed_forward_norm: nn.Module

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        bias: bool = True,
        parallel: bool = False,
        dropout: float = 0.0,
        norm: NormPlace = "pre",
        norm_type: NormType = "layer",
        eps: float = 1e-5,
        activation: Activation = "relu",
        num_experts: int | None = None,
        experts_per_token: int = 2,
        expert_capacity: float | None = None,
        attention: Attention = "reference",
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        **options: Unpack[AttentionOptions],
    ) -> None:
        super().__init__()
        tensors.check_dtype(dtype)
        arguments.check_dropout(dropout)
        arguments.check_choice("norm", norm, NormPlace)
        arguments.check_parallel(parallel, norm, len(self.attentions))
        self.norm, self.parallel = norm, parallel
        self.dropout = nn.Dropout(dropout)
        for name in self.attentions:
            part = MultiHeadAttention(
                d_model,
                num_heads,
                bias=bias,
                eps=eps,
                # Flash attention never holds the weights, so it can drop none.
                dropout=0.0 if attention == "flash" else dropout,
                attention=attention,
                generator=generator,
                **options,
            )
            self.add_module(name, part)
        arguments.check_experts(num_experts, experts_per_token, expert_capacity)
        inside: Any = {"activation": activation, "bias": bias, "dropout": dropout}
        experts = (
            FeedForward(d_model, d_ff, generator=generator, **inside)
            for _ in range(num_experts or 1)
        )
        self.feed_forward: Any = (
            next(experts)
            if num_experts is None
            else MixtureOfExperts(
                d_model,
                experts,
                experts_per_token=experts_per_token,
                capacity=expert_capacity,
                generator=generator,
            )
        )
        for name in self.attentions if parallel else (*self.attentions, "feed_forward"):
            self.add_module(f"{name}_norm", make_norm(norm_type, d_model, eps=eps, bias=bias))
            after = make_norm(norm_type, d_model, eps=eps, bias=bias) if norm == "both" else None
            self.add_module(f"{name}_norm_after", after)
        self.to(device=device, dtype=dtype)

    def _attend(
        self, mask: Mask, cache: LayerCache | None, **others: Any
    ) -> Callable[[Tensor], Tensor]:
        """What the self-attention makes of tokens."""
        keys = cache.self_attention if cache else None
        return lambda x: self.self_attention(x, None, None, mask, cache=keys, **others)[0]

    def _residual(self, x: Tensor, name: str, part: Callable[[Tensor], Tensor]) -> Tensor:
        norm, after = getattr(self, f"{name}_norm"), getattr(self, f"{name}_norm_after")
        if self.norm == "post":
            return norm(x + self.dropout(part(x)))
        added = part(norm(x))
        return x + self.dropout(added if after is None else after(added))


class EncoderLayer(_Layer):
    """Self-attention, then feed-forward. With a causal mask it is a layer of GPT.

    Args:
        d_model: width of the tokens.
        num_heads: number of heads.
        d_ff: width inside the feed-forward.
        bias: whether linear layers and layer norms have a bias.
        parallel: whether attention and feed-forward read the same normalized tokens and are added
            together, ``x + attention(norm(x)) + feed_forward(norm(x))`` (Wang & Komatsuzaki 2021,
            GPT-J). An encoder layer with ``norm="pre"`` alone; it has one norm.
        dropout: probability, on the weights (but not of flash attention), inside the feed-forward
            and on what each part adds.
        norm: where the norms stand.
        norm_type: layer norm (Ba et al. 2016) or RMS norm.
        eps: of the norms.
        activation: of the feed-forward.
        num_experts: number of feed-forwards, of which each token passes through
            ``experts_per_token``; see ``MixtureOfExperts``, also for ``expert_capacity``. None: one
            for all.
        attention: how attention is computed.
        generator, device, dtype: of the weights, as in ``MultiHeadAttention``.
        options: what only ``MultiHeadAttention`` knows; see ``AttentionOptions``.

    Raises:
        TypeError: nobody knows such an argument.
        ValueError: an argument is out of range, or two do not fit together.
    """

    def forward(
        self,
        x: Tensor,
        mask: Mask = None,
        *,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        cache: LayerCache | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``.

        Args:
            x: the tokens; with a cache, the new ones.
            mask: boolean, broadcastable to ``(batch, heads, tokens, keys)``.
            bias: added to the scores, broadcastable like the mask.
            positions: ``(tokens,)``, where queries and keys are to be rotated.
            cache: of this layer.
            is_causal: no token sees a later one, besides the mask.
        """
        tensors.check_activations(self.self_attention.d_model, x=x)
        attend = self._attend(mask, cache, bias=bias, positions=positions, is_causal=is_causal)
        if self.parallel:
            read = self.self_attention_norm(x)
            return x + self.dropout(attend(read)) + self.dropout(self.feed_forward(read))
        x = self._residual(x, "self_attention", attend)
        return self._residual(x, "feed_forward", self.feed_forward)


class DecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, then feed-forward.

    Its arguments and errors are those of ``EncoderLayer``; ``d_model`` is the memory's width too.
    """

    attentions = ("self_attention", "cross_attention")
    cross_attention: MultiHeadAttention
    cross_attention_norm: nn.Module

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
        is_causal: bool = False,
    ) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``.

        Args:
            x: the target's tokens; with a cache, the new ones.
            memory: the encoder's output ``(batch, source tokens, d_model)``.
            mask, bias, positions, is_causal: of the self-attention, as in ``EncoderLayer``.
            memory_mask: broadcastable to ``(batch, heads, tokens, source tokens)``.
            cache: of this layer.
        """
        tensors.check_activations(self.self_attention.d_model, x=x, memory=memory)
        tensors.check_memory(x, memory)
        attend = self._attend(mask, cache, bias=bias, positions=positions, is_causal=is_causal)
        memory_keys = cache.cross_attention if cache else None

        def attend_to_memory(x: Tensor) -> Tensor:
            return self.cross_attention(x, memory, None, memory_mask, cache=memory_keys)[0]

        x = self._residual(x, "self_attention", attend)
        x = self._residual(x, "cross_attention", attend_to_memory)
        return self._residual(x, "feed_forward", self.feed_forward)


def make_norm(
    norm_type: NormType, d_model: int, *, eps: float = 1e-5, bias: bool = True
) -> nn.Module:
    """Return a norm over the last axis, with a gain of 1 and, for layer norm, a bias of 0."""
    arguments.check_choice("norm_type", norm_type, NormType)
    arguments.check_sizes(d_model=d_model)
    arguments.check_positive(eps=eps)
    if norm_type == "layer":
        return nn.LayerNorm(d_model, eps=eps, bias=bias)
    return RMSNorm(d_model, eps=eps)
