"""Read the weights of a GPT-2 (Radford et al. 2019), by the names that its checkpoints use."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.blocks import Activation
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.weights import NAMES, put_weights, with_parts

# Query, key and value stand side by side in one weight.
_THIRDS = {"query_projection": 0, "key_projection": 1, "value_projection": 2}
# Checkpoints also hold the causal mask, and most of them the embedding a second time.
_MASK = re.compile(r"\.attn\.(bias|masked_bias)$")
_HEAD = "lm_head.weight"


def from_gpt2(
    weights: Mapping[str, Tensor],
    num_heads: int,
    *,
    eps: float = 1e-5,
    activation: Activation = "gelu_tanh",
) -> DecoderOnly:
    """Return a model with a copy of ``weights``.

    Args:
        weights: by the names of GPT-2's checkpoints, such as ``"h.0.attn.c_attn.weight"``, with or
            without ``"transformer."`` before them. Masks among them are left out. Where
            ``"lm_head.weight"`` differs from the embedding, the output layer has its own weights.
        num_heads: number of heads, which the weights do not tell: ``"n_head"`` in ``config.json``.
        eps: of the norms: ``"layer_norm_epsilon"`` there.
        activation: ``"activation_function"`` there.

    Raises:
        ValueError: a weight is missing, or there is one that GPT-2 does not have.
    """
    weights = {
        name.removeprefix("transformer."): weight
        for name, weight in weights.items()
        if not _MASK.search(name)
    }
    config = _config(weights, num_heads=num_heads, eps=eps, activation=activation)
    if config.tie_embeddings:
        weights.pop(_HEAD, None)
    model = DecoderOnly(config, generator=torch.Generator())
    names = {name: with_parts(name, NAMES["gpt2"]) for name in model.state_dict()}
    put_weights(model, weights, "a GPT-2", names=names, convert=_converted)
    return model


def _config(weights: Mapping[str, Tensor], **given: Any) -> ModelConfig:
    for name in ("wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight"):
        if name not in weights or weights[name].dim() != 2:
            found = "missing" if name not in weights else "no matrix"
            raise ValueError(f"these are not the weights of a GPT-2: {name} is {found}.")
    vocab_size, d_model = weights["wte.weight"].shape
    return ModelConfig(
        vocab_size,
        d_model=d_model,
        num_layers=len({name.split(".")[1] for name in weights if name.startswith("h.")}),
        d_ff=weights["h.0.mlp.c_fc.weight"].shape[1],
        max_tokens=len(weights["wpe.weight"]),
        positions="learned",
        initialization="gpt2",
        tie_embeddings=_HEAD not in weights or torch.equal(weights[_HEAD], weights["wte.weight"]),
        **given,
    )


def _converted(name: str, weight: Tensor) -> Tensor:
    """Of a weight of GPT-2 what is called ``name`` here."""
    part, kind = name.split(".")[-2:]
    if part in _THIRDS:
        weight = weight.tensor_split(3, dim=-1)[_THIRDS[part]]
    # GPT-2 keeps the weights of its linear layers as (d_in, d_out), nn.Linear as (d_out, d_in).
    linear = part.endswith("_projection") or part in ("up", "down")
    return weight.transpose(0, -1) if linear and kind == "weight" else weight
