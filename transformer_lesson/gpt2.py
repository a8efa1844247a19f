"""Read the weights of a GPT-2 (Radford et al. 2019), by the names that its checkpoints use."""

import re
from collections.abc import Mapping

import torch
from torch import Tensor

from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.weights import put_weights

# GPT-2 keeps the weights of its linear layers as (d_in, d_out), nn.Linear as (d_out, d_in).
_LINEAR = {
    "attn.c_proj": "self_attention.output_projection",
    "mlp.c_fc": "feed_forward.up",
    "mlp.c_proj": "feed_forward.down",
}
_NORM = {"ln_1": "self_attention_norm", "ln_2": "feed_forward_norm"}


def from_gpt2(weights: Mapping[str, Tensor], num_heads: int, *, eps: float = 1e-5) -> DecoderOnly:
    """Return a model with a copy of ``weights``.

    Args:
        weights: by the names of GPT-2's checkpoints, such as ``"h.0.attn.c_attn.weight"``, with or
            without ``"transformer."`` before them. Masks among them are left out. Where
            ``"lm_head.weight"`` differs from the embedding, the output layer has its own weights.
        num_heads: number of heads, which the weights do not tell: ``"n_head"`` in ``config.json``.
        eps: of the norms: ``"layer_norm_epsilon"`` there.

    Raises:
        ValueError: a weight is missing, or there is one that GPT-2 does not have.
    """
    # Checkpoints also hold the causal mask, and most of them the embedding a second time.
    left_out = re.compile(r"\.attn\.(bias|masked_bias)$")
    plain = {
        name.removeprefix("transformer."): weight
        for name, weight in weights.items()
        if not left_out.search(name)
    }
    num_layers = len({name.split(".")[1] for name in plain if name.startswith("h.")})
    renamed: dict[str, Tensor] = {}
    for name, weight in plain.items():
        renamed |= _renamed(name, weight)
    head, embedding = renamed.get("output.weight"), renamed.get("embedding.weight")
    tied = head is None or (embedding is not None and torch.equal(head, embedding))
    if tied:
        renamed.pop("output.weight", None)
    model = _empty_model(plain, num_heads, num_layers, eps, tied)
    put_weights(model, renamed, "a GPT-2")
    return model


def _empty_model(
    weights: Mapping[str, Tensor], num_heads: int, num_layers: int, eps: float, tied: bool
) -> DecoderOnly:
    for name in ("wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight"):
        if name not in weights or weights[name].dim() != 2:
            found = "missing" if name not in weights else "no matrix"
            raise ValueError(f"these are not the weights of a GPT-2: {name} is {found}.")
    vocab_size, d_model = weights["wte.weight"].shape
    config = ModelConfig(
        vocab_size,
        d_model=d_model,
        num_heads=num_heads,
        num_layers=num_layers,
        d_ff=weights["h.0.mlp.c_fc.weight"].shape[1],
        max_tokens=len(weights["wpe.weight"]),
        positions="learned",
        activation="gelu_tanh",
        initialization="gpt2",
        tie_embeddings=tied,
        eps=eps,
    )
    return DecoderOnly(config, generator=torch.Generator())


def _renamed(name: str, weight: Tensor) -> dict[str, Tensor]:
    """One weight of GPT-2 under the names of this course."""
    outside = {
        "wte.weight": "embedding.weight",
        "lm_head.weight": "output.weight",
        "wpe.weight": "embedding.positions.table",
        "ln_f.weight": "decoder.final_norm.weight",
        "ln_f.bias": "decoder.final_norm.bias",
    }
    if name in outside:
        return {outside[name]: weight}
    match = re.fullmatch(r"h\.(\d+)\.(.+)\.(weight|bias)", name)
    if not match:
        return {name: weight}
    layer, part, kind = f"decoder.layers.{match[1]}", match[2], match[3]
    if part in _NORM:
        return {f"{layer}.{_NORM[part]}.{kind}": weight}
    if part in _LINEAR:
        return {f"{layer}.{_LINEAR[part]}.{kind}": weight.mT if kind == "weight" else weight}
    if part == "attn.c_attn":  # query, key and value side by side
        thirds = zip(("query", "key", "value"), weight.chunk(3, dim=-1), strict=True)
        return {
            f"{layer}.self_attention.{which}_projection.{kind}": third.mT
            if kind == "weight"
            else third
            for which, third in thirds
        }
    return {name: weight}
