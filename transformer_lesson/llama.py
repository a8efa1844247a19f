"""Read a Llama-like checkpoint (Touvron et al. 2023), by the names that ``transformers`` uses."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.weights import put_weights

# Qwen2 has biases on queries, keys and values alone, Qwen3 norms of queries and keys.
KINDS = ("llama", "mistral", "qwen2", "qwen3")
_OUTSIDE = {
    "model.embed_tokens": "embedding",
    "model.norm": "decoder.final_norm",
    "lm_head": "output",
}
_PARTS = {
    "self_attn.q_proj": "self_attention.query_projection",
    "self_attn.k_proj": "self_attention.key_projection",
    "self_attn.v_proj": "self_attention.value_projection",
    "self_attn.o_proj": "self_attention.output_projection",
    "self_attn.q_norm": "self_attention.query_norm",
    "self_attn.k_norm": "self_attention.key_norm",
    "mlp.gate_proj": "feed_forward.gate",
    "mlp.up_proj": "feed_forward.up",
    "mlp.down_proj": "feed_forward.down",
    "input_layernorm": "self_attention_norm",
    "post_attention_layernorm": "feed_forward_norm",
}
_ROTATED = re.compile(r"\.(query|key)_(projection|norm)\.")


def from_llama(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> DecoderOnly:
    """Return a model that holds ``weights``, in their dtype.

    Args:
        weights: by the names of ``transformers``, such as
            ``"model.layers.0.self_attn.q_proj.weight"``. The model takes them without a copy.
        settings: what ``config.json`` holds: the sizes, ``"rope_theta"``, ``"rms_norm_eps"``.

    Raises:
        ValueError: a weight is missing or unknown, or the settings ask for what these layers do not
            have, such as a sliding window; it is named.
    """
    config = _config(weights, settings)
    renamed = {_renamed(name): weight for name, weight in weights.items()}
    renamed.pop("", None)
    if config.tie_embeddings:
        renamed.pop("output.weight", None)
    d_head = config.d_model // config.num_heads
    for name, weight in renamed.items():
        if _ROTATED.search(name):
            renamed[name] = _neighbours(weight, d_head)
    with torch.device("meta"):
        model = DecoderOnly(config)
    _add_biases(model, renamed)
    put_weights(model, renamed, f"this {settings['model_type']} model", assign=True)
    return model.eval()


def _config(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> ModelConfig:
    _refuse_what_differs(settings)
    base, factor = _rope(settings)
    return ModelConfig(
        settings["vocab_size"],
        settings["hidden_size"],
        settings["num_attention_heads"],
        settings["num_hidden_layers"],
        settings["intermediate_size"],
        settings["max_position_embeddings"],
        padding_id=None,
        norm_type="rms",
        positions="rotary",
        activation="swiglu",
        initialization="gpt2",
        tie_embeddings=settings.get("tie_word_embeddings", False),
        num_kv_heads=settings.get("num_key_value_heads"),
        bias=any(name.endswith(".bias") for name in weights),
        qk_norm=settings["model_type"] == "qwen3",
        eps=settings["rms_norm_eps"],
        rope_base=base,
        rope_factor=factor,
    )


def _refuse_what_differs(settings: Mapping[str, Any]) -> None:
    needed = {"model_type", "vocab_size", "hidden_size", "num_attention_heads", "rms_norm_eps"}
    needed |= {"num_hidden_layers", "intermediate_size", "max_position_embeddings"}
    if missing := sorted(needed - settings.keys()):
        raise ValueError(f"the settings lack {missing}; expected those of a config.json.")
    if settings["model_type"] not in KINDS:
        raise ValueError(f"model_type={settings['model_type']!r}; expected one of {KINDS}.")
    d_head = settings["hidden_size"] // settings["num_attention_heads"]
    window = settings.get("sliding_window") if settings.get("use_sliding_window", True) else None
    for name, value, only in (
        ("hidden_act", settings.get("hidden_act", "silu"), "silu"),
        ("head_dim", settings.get("head_dim") or d_head, d_head),
        ("sliding_window", window, None),
        ("partial_rotary_factor", settings.get("partial_rotary_factor", 1.0), 1.0),
    ):
        if value != only:
            raise ValueError(f"{name}={value!r}; these layers can do {name}={only!r} alone.")


def _rope(settings: Mapping[str, Any]) -> tuple[float, float]:
    """The base of the rotation, and the factor of its interpolation."""
    younger = settings.get("rope_parameters") or {}  # since transformers 5
    scaling = settings.get("rope_scaling") or younger
    base = younger.get("rope_theta", settings.get("rope_theta", 10_000.0))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind not in ("default", "linear"):
        raise ValueError(f"rope_type={kind!r}; expected 'default' or 'linear'.")
    return float(base), float(scaling["factor"]) if kind == "linear" else 1.0


def _renamed(name: str) -> str:
    """The name in this course; empty for a table of angles, which old checkpoints hold."""
    if name.endswith("rotary_emb.inv_freq"):
        return ""
    module, _, kind = name.rpartition(".")
    if module in _OUTSIDE:
        return f"{_OUTSIDE[module]}.{kind}"
    match = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", module)
    if match and match[2] in _PARTS:
        return f"decoder.layers.{match[1]}.{_PARTS[match[2]]}.{kind}"
    return name


def _neighbours(rows: Tensor, d_head: int) -> Tensor:
    """Set side by side what ``rotate`` turns together: row ``i`` of a head and ``i + d_head / 2``.

    ``rows`` are ``(heads * d_head, …)``.
    """
    return rows.unflatten(0, (-1, 2, d_head // 2)).transpose(1, 2).flatten(0, 2)


def _add_biases(model: DecoderOnly, weights: dict[str, Tensor]) -> None:
    """Where a part of no layer has a bias, give it one of 0."""
    with_bias = {_without_layer(name) for name in weights if name.endswith(".bias")}
    some = weights["embedding.weight"] if "embedding.weight" in weights else torch.empty(0)
    for name, parameter in model.named_parameters():
        if name.endswith(".bias") and _without_layer(name) not in with_bias:
            weights[name] = some.new_zeros(parameter.shape)


def _without_layer(name: str) -> str:
    return re.sub(r"\.\d+\.", ".", name)
