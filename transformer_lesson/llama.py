"""Read the weights of a Llama-like model, by the names that ``transformers`` uses."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.families import config_of
from transformer_lesson.models import DecoderOnly
from transformer_lesson.weights import FAMILIES, NAMES, put_weights, with_parts

_LAYER = re.compile(r"\d+\.")
_ROTATED = re.compile(r"\.(query|key)_(projection|norm)\.")


def from_llama(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> DecoderOnly:
    """Return a model that holds ``weights``, in their dtype.

    Args:
        weights: by the names of ``transformers``, such as
            ``"model.layers.0.self_attn.q_proj.weight"``. The model takes them without a copy.
        settings: what ``config.json`` holds: the kind, one of ``FAMILIES``, the sizes,
            ``"rope_theta"``, ``"rms_norm_eps"``.

    Raises:
        ValueError: a weight is missing or unknown, or the settings ask for what these layers do not
            have, such as another activation; it is named.
    """
    config = config_of(settings, bias=any(name.endswith(".bias") for name in weights))
    with torch.device("meta"):
        model = DecoderOnly(config)
    kind, expected = settings["model_type"], model.state_dict()
    parts = FAMILIES[kind].get("names", {})
    names = {name: with_parts(with_parts(name, NAMES["llama"]), parts) for name in expected}
    # Old checkpoints hold a table of angles, and some tied ones the embedding a second time.
    left_out = ("rotary_emb.inv_freq", "lm_head.weight")[: 1 + config.tie_embeddings]
    kept = {name: weight for name, weight in weights.items() if not name.endswith(left_out)}
    there, some = {_LAYER.sub("", name) for name in kept}, next(iter(kept.values()), torch.empty(0))
    for name, theirs in names.items():
        # A bias that no layer has is 0.
        if theirs.endswith(".bias") and _LAYER.sub("", theirs) not in there:
            kept[theirs] = some.new_zeros(expected[name].shape)
    put_weights(model, kept, f"this {kind} model", names=names, assign=True)
    for name, parameter in model.named_parameters():
        if _ROTATED.search(name):
            # Side by side comes what rotate turns together: rows i and i + d_head / 2 of a head.
            heads = parameter.data.unflatten(0, (-1, 2, config.head_width // 2))
            parameter.data = heads.transpose(1, 2).flatten(0, 2)
    if kind == "gemma2":
        _as_gemma(model, settings.get("query_pre_attn_scalar", 256))
    return model.eval()


def _as_gemma(model: DecoderOnly, scalar: float) -> None:
    """Put into the weights what Gemma computes otherwise: gains of norms, the scale of queries."""
    for name, parameter in model.named_parameters():
        if "_norm" in name:  # stored as the difference from 1; in float32 no digit of it is lost
            parameter.data = 1 + parameter.data.float()
        elif "query_projection" in name:
            parameter.data = parameter.data * (model.config.head_width / scalar) ** 0.5
