"""Untrained models of a few words, for views that show one."""

from typing import Any

import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END, Vocabulary
from transformer_lesson.widgets.sentence_models import TypedModel, typed_model

LINES = [
    "The cat sat on the mat, didn't it?",
    "Le chat s'est assis sur le tapis, n'est-ce pas ?",
    "A dog sees the cat (and the mat).",
    "Un chien voit le chat « et » le tapis.",
]
WORDS = ["[pad]", "[start]", "[end]", "the", "cat", "dog", "sat", "on", "mat", "."]
SIZES: dict[str, Any] = {
    "d_model": 18,
    "num_heads": 3,
    "num_layers": 2,
    "d_ff": 30,
    "max_tokens": 40,
}


def small_translator(seed: int = 0, **values: Any) -> Translator:
    """Return a translator whose widths are no multiples of four; it ends some of its texts."""
    vocabulary = Vocabulary.train(LINES, 80)
    config = ModelConfig(len(vocabulary), **{**SIZES, "tie_embeddings": False, **values})
    model = EncoderDecoder(config, generator=seeded(seed))
    _sharpen(model)
    with torch.no_grad():
        if model.output is not None:
            model.output.weight[END] *= 2.0
    return Translator(model, vocabulary)


def small_typed(*, words: bool, translates: bool = False, **values: Any) -> TypedModel:
    """Return a model with a list of words or with pieces; a list has no start for a text."""
    kind = EncoderDecoder if translates else DecoderOnly
    listed = WORDS if translates else ["[pad]", *WORDS[3:]]
    vocabulary = listed if words else Vocabulary.train(LINES, 80)
    config = ModelConfig(len(vocabulary), **{**SIZES, "tie_embeddings": False, **values})
    model = kind(config, generator=seeded(1))
    _sharpen(model)
    return typed_model(model, vocabulary)


def _sharpen(model: EncoderDecoder | DecoderOnly) -> None:
    """Make it sure of itself, so that no two pieces are equally probable but for rounding."""
    with torch.no_grad():
        model.embedding.weight.mul_(3.0)
        if model.output is not None:
            model.output.weight.mul_(4.0)
