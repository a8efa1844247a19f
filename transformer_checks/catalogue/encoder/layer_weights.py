"""Random weights of an encoder layer, for the exercises that build one or more."""

import math

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


def norm_weights(generator: Generator, name: str, d_model: int) -> dict[str, Tensor]:
    """A random gain and bias by name."""
    return {
        f"{name}.weight": 1 + 0.4 * tidy(generator, d_model),
        f"{name}.bias": 0.5 * tidy(generator, d_model),
    }
