"""Read a Llama-like checkpoint (Touvron et al. 2023), by the names that ``transformers`` uses."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.validation import arguments
from transformer_lesson.weights import put_weights, with_parts

# Qwen2 has biases on queries, keys and values alone, Qwen3 norms of queries and keys.
KINDS = ("llama", "mistral", "qwen2", "qwen3")
# Names of this course, or parts of them, and those of ``transformers``.
_NAMES = {
    "embedding": "model.embed_tokens",
    "output.weight": "lm_head.weight",
    "decoder.final_norm": "model.norm",
    "decoder.layers": "model.layers",
    "self_attention_norm": "input_layernorm",
    "self_attention.query_projection": "self_attn.q_proj",
    "self_attention.key_projection": "self_attn.k_proj",
    "self_attention.value_projection": "self_attn.v_proj",
    "self_attention.output_projection": "self_attn.o_proj",
    "self_attention.query_norm": "self_attn.q_norm",
    "self_attention.key_norm": "self_attn.k_norm",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
}
_SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "num_heads": "num_attention_heads",
    "num_layers": "num_hidden_layers",
    "d_ff": "intermediate_size",
    "max_tokens": "max_position_embeddings",
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
    with torch.device("meta"):
        model = DecoderOnly(config)
    names = {name: with_parts(name, _NAMES) for name in model.state_dict()}
    # Old checkpoints hold a table of angles, and some tied ones the embedding a second time.
    left_out = ("rotary_emb.inv_freq", "lm_head.weight")[: 1 + config.tie_embeddings]
    kept = {name: weight for name, weight in weights.items() if not name.endswith(left_out)}
    kind = f"this {settings['model_type']} model"
    put_weights(model, kept | _biases(model, names, kept), kind, names=names, assign=True)
    for name, parameter in model.named_parameters():
        if _ROTATED.search(name):
            parameter.data = _neighbours(parameter.data, config.head_width)
    return model.eval()


def _config(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> ModelConfig:
    _refuse_what_differs(settings)
    base, factor = _rope(settings)
    sizes: dict[str, Any] = {ours: settings[theirs] for ours, theirs in _SIZES.items()}
    return ModelConfig(
        **sizes,
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
    needed = {*_SIZES.values(), "model_type", "rms_norm_eps"}
    if missing := sorted(needed - settings.keys()):
        raise ValueError(f"the settings lack {missing}; expected those of a config.json.")
    arguments.check_sizes(**{name: settings[name] for name in _SIZES.values()})
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


def _rope(settings: Mapping[str, Any]) -> tuple[Any, Any]:
    """The base of the rotation, and the factor of its interpolation."""
    younger = settings.get("rope_parameters") or {}  # since transformers 5
    scaling = settings.get("rope_scaling") or younger
    base = younger.get("rope_theta", settings.get("rope_theta", 10_000.0))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind not in ("default", "linear"):
        raise ValueError(f"rope_type={kind!r}; expected 'default' or 'linear'.")
    return base, scaling.get("factor") if kind == "linear" else 1.0


def _neighbours(rows: Tensor, d_head: int) -> Tensor:
    """Set side by side what ``rotate`` turns together: row ``i`` of a head and ``i + d_head / 2``.

    ``rows`` are ``(heads * d_head, …)``.
    """
    return rows.unflatten(0, (-1, 2, d_head // 2)).transpose(1, 2).flatten(0, 2)


def _biases(
    model: DecoderOnly, names: Mapping[str, str], weights: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Biases of 0 for the parts that have a bias here and in no layer of the checkpoint."""
    with_bias = {_without_layer(name) for name in weights if name.endswith(".bias")}
    some = next(iter(weights.values()), torch.empty(0))
    return {
        names[name]: some.new_zeros(parameter.shape)
        for name, parameter in model.named_parameters()
        if name.endswith(".bias") and _without_layer(names[name]) not in with_bias
    }


def _without_layer(name: str) -> str:
    return re.sub(r"\.\d+\.", ".", name)
