"""Random weights of an encoder layer, for the exercises that build one or more."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy


def layer_weights(generator: Generator, d_model: int, d_ff: int) -> dict[str, Tensor]:
    """Random weights of one layer by name; gains are not 1, biases not 0."""
    names = ("query", "key", "value", "output")
    shapes = {f"self_attention.{name}_projection": (d_model, d_model) for name in names}
    shapes |= {"feed_forward.up": (d_ff, d_model), "feed_forward.down": (d_model, d_ff)}
    weights = {}
    for name, (d_out, d_in) in shapes.items():
        weights[f"{name}.weight"] = 1.5 * normal(generator, d_out, d_in) / math.sqrt(d_in)
        weights[f"{name}.bias"] = 0.3 * normal(generator, d_out)
    for name in ("self_attention_norm", "feed_forward_norm"):
        weights |= norm_weights(generator, name, d_model)
    return weights


def where_only_the_mask_matters(generator: Generator) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """Return tokens (1, 2, 4), a mask and the weights of a layer with d_ff 3, for training mode.

    A right answer may use dropout, so nothing may be left to drop: both parts of the layer give
    zero. The feed-forward does so by its weights, and attention because the only token that is
    not zero is hidden. Where the mask is ignored, that token shows.
    """
    x = tidy(generator, 1, 2, 4) * torch.tensor([[0.0], [1.0]])
    weights = layer_weights(generator, 4, 3)
    for name in weights:
        if name.startswith("feed_forward.down") or name.endswith(
            ("value_projection.bias", "output_projection.bias", "norm.bias")
        ):
            weights[name] = torch.zeros_like(weights[name])
    return x, torch.tensor([True, False])[None, None, None], weights


def norm_weights(generator: Generator, name: str, d_model: int) -> dict[str, Tensor]:
    """A random gain and bias by name."""
    return {
        f"{name}.weight": 1 + 0.4 * tidy(generator, d_model),
        f"{name}.bias": 0.5 * tidy(generator, d_model),
    }
