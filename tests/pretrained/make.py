"""Make the folders beside this file: small models of ``transformers``, and what they compute.

    python tests/pretrained/make.py  # with transformers, which the course does not need

Made with transformers 5.23.0. ``tests/test_pretrained.py`` holds ours to their logits and texts.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM  # type: ignore[import-not-found]

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
}
BASE = {"rope_type": "default", "rope_theta": 500.0}
MODELS: dict[str, dict[str, Any]] = {
    "llama": {"rope_parameters": BASE, "tie_word_embeddings": False},
    "mistral": {"rope_parameters": BASE, "sliding_window": None, "num_key_value_heads": 1},
    "qwen2": {"rope_parameters": BASE | {"rope_type": "linear", "factor": 4.0}},
    "qwen3": {"rope_parameters": BASE, "tie_word_embeddings": True},
    "gpt2": {
        "vocab_size": 24,
        "n_positions": 32,
        "n_embd": 16,
        "n_layer": 2,
        "n_head": 4,
        "layer_norm_epsilon": 0.01,
        "tie_word_embeddings": False,
    },
}


@torch.no_grad()
def main() -> None:
    """Write each model's configuration, weights, logits and greedy text."""
    for name, settings in MODELS.items():
        sizes = settings if name == "gpt2" else SIZES | settings
        config = AutoConfig.for_model(name, **sizes)
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        folder = Path(__file__).parent / name
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        tokens = torch.randint(0, 24, (2, 9))
        text = model.generate(tokens, do_sample=False, max_length=20, eos_token_id=None)
        expected = {"tokens": tokens, "logits": model(tokens).logits, "text": text}
        save_file({k: v.contiguous() for k, v in expected.items()}, folder / "expected.bin")
        print(name, json.dumps(config.to_diff_dict().get("rope_parameters")))


if __name__ == "__main__":
    main()
