"""What the ``config.json`` of a Llama-like model says, as a ``ModelConfig``."""

from collections.abc import Mapping
from typing import Any

from transformer_lesson.config import ModelConfig
from transformer_lesson.weights import FAMILIES, read_sizes, refuse_others


def config_of(settings: Mapping[str, Any], *, bias: bool) -> ModelConfig:
    """Return the configuration of a model with these ``settings``, of a kind in ``FAMILIES``.

    Raises:
        ValueError: the settings ask for what our layers do not have; it is named.
    """
    kind = settings.get("model_type")
    if kind not in FAMILIES:
        raise ValueError(f"model_type={kind!r}; expected one of {sorted(FAMILIES)}.")
    family = FAMILIES[kind]
    only = {"hidden_act": "silu", "partial_rotary_factor": 1.0, **family.get("only", {})}
    values = read_sizes(settings, only, eps="rms_norm_eps")
    said = {**only, **settings}  # what is left out is as usual
    width = said.get("head_dim")
    values |= {
        "d_ff": said.get("moe_intermediate_size", values["d_ff"]),
        "num_experts": said.get("num_experts", said.get("num_local_experts")),
        "experts_per_token": said.get("num_experts_per_tok", 2),
        "tie_embeddings": said.get("tie_word_embeddings", False),
        "num_kv_heads": said.get("num_key_value_heads"),
        "d_head": None if width == values["d_model"] // values["num_heads"] else width,
        "window": said.get("sliding_window") if said.get("use_sliding_window", True) else None,
        "attention_softcap": said.get("attn_logit_softcapping"),
        "logit_softcap": said.get("final_logit_softcapping"),
        "norm_type": "rms",
        "positions": "rotary",
        "activation": "swiglu",
        "initialization": "gpt2",
        "bias": bias,
        **_rope(settings),
        **family.get("fields", {}),
    }
    config = ModelConfig(**values)
    layers = ["sliding_attention" if window else "full_attention" for window in config.windows]
    refuse_others(settings, {"layer_types": layers})
    return config


def _rope(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The base of the rotation, and how it reaches further than in the training."""
    younger = settings.get("rope_parameters") or {}  # since transformers 5
    scaling = settings.get("rope_scaling") or younger
    base = younger.get("rope_theta", settings.get("rope_theta", 10_000.0))
    match kind := scaling.get("rope_type", scaling.get("type", "default")):
        case "default":
            return {"rope_base": base}
        case "linear":
            return {"rope_base": base, "rope_factor": scaling.get("factor")}
        case "llama3":
            refuse_others(scaling, {"low_freq_factor": 1.0, "high_freq_factor": 4.0})
            longest = settings["max_position_embeddings"]
            return {
                "rope_base": base,
                "rope_factor": scaling.get("factor"),
                "rope_scaling": "llama3",
                "rope_tokens": scaling.get("original_max_position_embeddings", longest),
            }
    raise ValueError(f"rope_type={kind!r}; expected 'default', 'linear' or 'llama3'.")
