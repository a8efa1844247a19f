"""Make the folders beside this file: small models of ``transformers``, and what they compute.

    python tests/pretrained/make.py NAME…  # with transformers, which the course does not need

Made with transformers 5.23.0. ``tests/test_pretrained.py`` holds ours to their logits and texts.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM  # type: ignore[import-not-found]

BASE = {"rope_type": "default", "rope_theta": 500.0}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
SIZES = {
    "vocab_size": 24,
    "hidden_size": 16,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
    "rms_norm_eps": 0.01,
    "head_dim": 4,
    "rope_parameters": BASE,
}
GPT2 = {
    "model_type": "gpt2",
    "vocab_size": 24,
    "n_positions": 32,
    "n_embd": 16,
    "n_layer": 2,
    "n_head": 4,
    "layer_norm_epsilon": 0.01,
    "tie_word_embeddings": False,
}
# By the name of the folder, which is that of the kind unless "model_type" says another.
MODELS: dict[str, dict[str, Any]] = {
    "llama": SIZES | {"tie_word_embeddings": False},
    "llama3": SIZES
    | {"model_type": "llama", "head_dim": 8, "rope_parameters": LLAMA3}
    | {"max_position_embeddings": 64},
    "mistral": SIZES | {"sliding_window": 4, "num_key_value_heads": 1},
    "mixtral": SIZES | {"num_local_experts": 3, "sliding_window": None},
    "qwen2": SIZES | {"rope_parameters": BASE | {"rope_type": "linear", "factor": 4.0}},
    "qwen3": SIZES | {"tie_word_embeddings": True, "head_dim": 6},
    "qwen3_moe": SIZES
    | {"num_experts": 4, "num_experts_per_tok": 3, "norm_topk_prob": True}
    | {"moe_intermediate_size": 12},
    "gemma2": SIZES
    | {"sliding_window": 4, "query_pre_attn_scalar": 6, "head_dim": 8}
    | {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0},
    "gpt2": GPT2,
    "gpt2_gelu": GPT2 | {"n_embd": 8, "n_layer": 1, "activation_function": "gelu"},
    "bert": {name: SIZES[name] for name in list(SIZES)[:5]}
    | {"max_position_embeddings": 32, "layer_norm_eps": 0.01},
}


@torch.no_grad()
def main() -> None:
    """Write the configuration, weights, logits and greedy text of each model that was named."""
    for name in sys.argv[1:] or MODELS:
        config = AutoConfig.for_model(**{"model_type": name} | MODELS[name])
        torch.manual_seed(0)
        kind = AutoModelForMaskedLM if name == "bert" else AutoModelForCausalLM
        model = kind.from_config(config, attn_implementation="eager").eval()
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        folder = Path(__file__).parent / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        tokens = torch.randint(0, 24, (2, 9))
        expected = written(model, tokens) if name != "bert" else filled(model, tokens)
        save_file({k: v.contiguous() for k, v in expected.items()}, folder / "expected.bin")
        print(name, json.dumps(config.to_diff_dict().get("rope_parameters")))


def written(model: Any, tokens: torch.Tensor) -> dict[str, torch.Tensor]:
    usual = {"do_sample": False, "max_length": 20, "eos_token_id": None}
    text = model.generate(tokens, attention_mask=torch.ones_like(tokens), **usual)
    return {"tokens": tokens, "logits": model(tokens).logits, "text": text}


def filled(model: Any, tokens: torch.Tensor) -> dict[str, torch.Tensor]:
    """What BERT says of a pair of texts, of which the second row ends in padding."""
    tokens = tokens.clamp(min=1)
    tokens[1, 7:] = 0
    segments = (torch.arange(9) > 4).long().expand_as(tokens)
    said = model(tokens, tokens != 0, segments, output_hidden_states=True)
    expected = {"tokens": tokens, "segments": segments, "logits": said.logits}
    return expected | {"hidden": said.hidden_states[-1]}


if __name__ == "__main__":
    main()
