"""An untrained translator of a few words, for views that show one."""

from typing import Any

import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END, Vocabulary

LINES = [
    "The cat sat on the mat, didn't it?",
    "Le chat s'est assis sur le tapis, n'est-ce pas ?",
    "A dog sees the cat (and the mat).",
    "Un chien voit le chat « et » le tapis.",
]
SIZES = {"d_model": 18, "num_heads": 3, "num_layers": 2, "d_ff": 30, "max_tokens": 40}


def small_translator(seed: int = 0, **values: Any) -> Translator:
    """Return a translator whose widths are no multiples of four; it ends some of its texts."""
    vocabulary = Vocabulary.train(LINES, 80)
    config = ModelConfig(len(vocabulary), **{**SIZES, "tie_embeddings": False, **values})
    model = EncoderDecoder(config, generator=seeded(seed))
    with torch.no_grad():
        # Sure of itself, so that no two pieces are equally probable but for rounding.
        model.embedding.weight.mul_(3.0)
        if model.output is not None:
            model.output.weight.mul_(4.0)
            model.output.weight[END] *= 2.0
    return Translator(model, vocabulary)
