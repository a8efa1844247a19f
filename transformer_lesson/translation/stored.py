"""A model and its vocabulary in a folder: sizes, weights in float32 or 8 bits, and pieces."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from careful_io import replacing
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder
from transformer_lesson.translation.quantized import dequantize_weights, quantize_weights
from transformer_lesson.translation.vocabulary import Vocabulary
from transformer_lesson.weights import put_weights

MODEL, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.json"
Stored = TypeVar("Stored", DecoderOnly, EncoderDecoder)


def check_fit(model: DecoderOnly | EncoderDecoder, vocabulary: Vocabulary) -> None:
    """Raise a ValueError if the model was not made for so many pieces."""
    if model.config.vocab_size != len(vocabulary):
        raise ValueError(
            f"the model has vocab_size={model.config.vocab_size} and the vocabulary "
            f"{len(vocabulary)} pieces; take the one that the model was trained with."
        )


def save_folder(
    folder: str | Path,
    model: DecoderOnly | EncoderDecoder,
    vocabulary: Vocabulary,
    *,
    int8: bool = False,
) -> None:
    """Write weights, sizes and vocabulary into ``folder``, which is made if there is none.

    ``int8`` rounds matrices to 8 bits, a quarter of the bytes (``quantized``).
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / CONFIG) as new:
        new.write_text(json.dumps(asdict(model.config), indent=1), encoding="utf-8")
    with replacing(folder / VOCABULARY) as new:
        vocabulary.save(new)
    with replacing(folder / MODEL) as new:
        weights = {k: v.contiguous() for k, v in model.state_dict().items()}
        save_file(quantize_weights(weights) if int8 else weights, new)


def load_folder(folder: str | Path, kind: type[Stored]) -> tuple[Stored, Vocabulary]:
    """Read what ``save_folder`` wrote of a model of this kind, in evaluation mode.

    Raises:
        FileNotFoundError: the folder lacks one of the three files.
        ValueError: a file is damaged, or they do not fit together.
    """
    folder = Path(folder)
    for name in (MODEL, CONFIG, VOCABULARY):
        if not (folder / name).exists():
            raise FileNotFoundError(
                f"{folder} holds no {name}; expected a folder that training has written."
            )
    try:
        settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        if "normalization" in settings:  # its name in version 0.1.0
            settings["norm_type"] = settings.pop("normalization")
        config = ModelConfig(**settings)
        weights = dequantize_weights(load_file(folder / MODEL))
    except (TypeError, ValueError, SafetensorError) as error:
        raise ValueError(f"{folder} holds a damaged model: {error}") from error
    model = kind(config)
    put_weights(model, weights, f"the model of {folder / CONFIG}")
    return model.eval(), Vocabulary.load(folder / VOCABULARY)
