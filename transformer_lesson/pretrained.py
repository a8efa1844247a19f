"""Open a model that others have trained, in the course's own layers."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from transformer_lesson.bert import Bert, from_bert
from transformer_lesson.blocks import Activation
from transformer_lesson.gpt2 import from_gpt2
from transformer_lesson.llama import from_llama
from transformer_lesson.models import DecoderOnly
from transformer_lesson.weights import FAMILIES, refuse_others


def from_folder(folder: str | Path) -> DecoderOnly | Bert:
    """Return the model of a folder with ``config.json`` and ``model*.safetensors``.

    GPT-2, BERT, and Llama-like models (``weights.FAMILIES``). Where there is a network,
    ``from_folder(huggingface_hub.snapshot_download("openai-community/gpt2"))`` opens a real one;
    its vocabulary is ``tokenizers.Tokenizer.from_pretrained("openai-community/gpt2")``.

    Raises:
        FileNotFoundError: the folder lacks one of the files.
        ValueError: a file is damaged, the model is of another kind, or a weight is missing or
            unknown.
    """
    folder = Path(folder)
    place, files = folder / "config.json", sorted(folder.glob("model*.safetensors"))
    for name, there in (("model*.safetensors", files), ("config.json", place.exists())):
        if not there:
            raise FileNotFoundError(f"{folder} holds no {name}; expected a downloaded model.")
    _refuse_gaps(files)
    weights: dict[str, Tensor] = {}
    try:
        settings = json.loads(place.read_text(encoding="utf-8"))
        for file in files:
            weights |= load_file(file)
    except (ValueError, SafetensorError) as error:
        raise ValueError(f"{folder} holds a damaged file: {error}") from error
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if str(kind) not in _READERS:
        raise ValueError(f"model_type={kind!r} in {place}; expected one of {sorted(_READERS)}.")
    return _READERS[str(kind)](weights, settings)


def _refuse_gaps(files: list[Path]) -> None:
    """Refuse ``model-00001-of-00002.safetensors`` without the second."""
    parts = [part for file in files if (part := re.search(r"-(\d+)-of-(\d+)$", file.stem))]
    count = max((int(part[2]) for part in parts), default=0)
    if missing := sorted({*range(1, count + 1)} - {int(part[1]) for part in parts}):
        raise FileNotFoundError(
            f"{files[0].parent} holds no part {missing[0]} of the {count} that the weights lie in; "
            "expected all of them."
        )


def _from_gpt2(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> DecoderOnly:
    if "n_head" not in settings:
        raise ValueError("the settings lack n_head; expected the number of heads.")
    refuse_others(settings, {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False})
    named = settings.get("activation_function", "gelu_new")
    if named not in _ACTIVATIONS:
        raise ValueError(f"activation_function={named!r}; expected one of {sorted(_ACTIVATIONS)}.")
    eps, activation = settings.get("layer_norm_epsilon", 1e-5), _ACTIVATIONS[named]
    return from_gpt2(weights, settings["n_head"], eps=eps, activation=activation).eval()


_ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
_READERS: dict[str, Callable[..., DecoderOnly | Bert]] = {
    "gpt2": _from_gpt2,
    "bert": from_bert,
    **dict.fromkeys(FAMILIES, from_llama),
}
