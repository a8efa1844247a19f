"""Layers on top of each other: the encoder or the decoder of a model."""

from collections.abc import Iterator
from itertools import repeat

import torch
from torch import Tensor, nn

from transformer_lesson.attention import Mask
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, make_norm
from transformer_lesson.cache import KeyValueCache, LayerCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.positions import RelativeBias, alibi_bias
from transformer_lesson.validation import arguments


class Stack(nn.Module):
    """Layers on top of each other, and the positions that act inside attention.

    Args:
        kind: ``EncoderLayer``, in which tokens attend to each other: those of an encoder or, under
            a causal mask, of a decoder alone. ``DecoderLayer``, in which they attend to a memory
            too.
        config: sizes and kinds.
        generator: source of the initial weights.
        num_layers: by default that of the configuration.
    """

    def __init__(
        self,
        kind: type[EncoderLayer] | type[DecoderLayer],
        config: ModelConfig,
        generator: torch.Generator | None,
        num_layers: int | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(
            kind(
                config.d_model,
                config.num_heads,
                config.d_ff,
                bias=config.bias,
                parallel=config.parallel,
                dropout=config.dropout,
                norm=config.norm,
                norm_type=config.norm_type,
                eps=config.eps,
                activation=config.activation,
                num_experts=config.num_experts,
                experts_per_token=config.experts_per_token,
                expert_capacity=config.expert_capacity,
                attention=config.attention,
                generator=generator,
                **config.attention_options(i),
            )
            for i in range(num_layers or config.num_layers)
        )
        self.final_norm: nn.Module = nn.Identity()
        if config.norm != "post":  # nothing has normalized the sum of the layers
            kind_of_norm = (config.norm_type, config.d_model)
            self.final_norm = make_norm(*kind_of_norm, eps=config.eps, bias=config.bias)
        self.relative_bias: RelativeBias | None = None
        if config.positions == "relative":
            size = (config.num_heads, config.max_distance)
            self.relative_bias = RelativeBias(*size, generator=generator)

    def forward(
        self, x: Tensor, *inputs: Mask, cache: KeyValueCache | None = None, is_causal: bool = False
    ) -> Tensor:
        """Return a tensor of the shape of ``x (batch, tokens, d_model)``.

        Args:
            x: the tokens; with a cache, the new ones.
            inputs: what the layers take besides: a mask, or a memory, a mask and a memory mask.
            cache: of all layers.
            is_causal: no token of ``x`` sees a later one, besides the mask.

        Raises:
            ValueError: the cache was made for another number of layers.
        """
        if cache is not None:
            arguments.check_cache(len(cache.layers), len(self.layers))
        start = cache.length if cache else 0
        keys = torch.arange(start + x.shape[1], device=x.device)
        queries = keys[start:]
        bias = self._bias(queries, keys)
        turned = queries if self.config.positions == "rotary" else None
        caches: Iterator[LayerCache | None] = iter(cache.layers) if cache else repeat(None)
        for layer, layer_cache in zip(self.layers, caches, strict=False):
            x = layer(
                x, *inputs, bias=bias, positions=turned, cache=layer_cache, is_causal=is_causal
            )
        return self.final_norm(x)

    def _bias(self, queries: Tensor, keys: Tensor) -> Tensor | None:
        if self.relative_bias is not None:
            return self.relative_bias(queries, keys)
        if self.config.positions == "alibi":
            return alibi_bias(self.config.num_heads, queries, keys)
        return None
