"""Open a model that others have trained, in the course's own layers."""

import json
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from transformer_lesson.gpt2 import from_gpt2
from transformer_lesson.llama import KINDS, from_llama
from transformer_lesson.models import DecoderOnly


def from_folder(folder: str | Path) -> DecoderOnly:
    """Return the model of a folder with ``config.json`` and ``*.safetensors``, to be read from.

    GPT-2 and Llama-like models (Llama, Mistral, Qwen2, Qwen3). Where there is a network,
    ``from_folder(huggingface_hub.snapshot_download("openai-community/gpt2"))`` opens a real one;
    its vocabulary is ``tokenizers.Tokenizer.from_pretrained("openai-community/gpt2")``.

    Raises:
        FileNotFoundError: the folder lacks one of the files.
        ValueError: a file is damaged, the model is of another kind, or a weight is missing or
            unknown.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.safetensors"))
    for name in ("*.safetensors", "config.json"):
        if not any(folder.glob(name)):
            raise FileNotFoundError(f"{folder} holds no {name}; expected a downloaded model.")
    weights: dict[str, Tensor] = {}
    try:
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        for file in files:
            weights |= load_file(file)
    except (ValueError, SafetensorError) as error:
        raise ValueError(f"{folder} holds a damaged file: {error}") from error
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind in KINDS:
        return from_llama(weights, settings)
    place = folder / "config.json"
    if kind != "gpt2":
        raise ValueError(f"model_type={kind!r} in {place}; expected 'gpt2' or one of {KINDS}.")
    if "n_head" not in settings:
        raise ValueError(f"{place} lacks n_head; expected the number of heads.")
    for name, only in (
        ("activation_function", "gelu_new"),
        ("scale_attn_weights", True),
        ("scale_attn_by_inverse_layer_idx", False),
    ):
        if settings.get(name, only) != only:
            raise ValueError(f"{name}={settings[name]!r}; these layers can do {only!r} alone.")
    eps = settings.get("layer_norm_epsilon", 1e-5)
    return from_gpt2(weights, settings["n_head"], eps=eps).eval()
