"""The text of lesson 11: everyday English, one sentence after the other, as ids of pieces."""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.vocabulary import END, Vocabulary

PIECES, TOKENS, TEXTS = 1_024, 64, 16  # of the vocabulary, of a text, of a batch


class Text(NamedTuple):
    """Ids ``(tokens,)`` to train on, to choose settings by, and to report on."""

    train: Tensor
    validation: Tensor
    test: Tensor


@cache
def everyday_text() -> Text:
    """Read the sentences in an order of their own; the shortest stand first in the corpus."""
    corpus = load_everyday()
    parts = (corpus.train, corpus.validation, corpus.test)
    english = [[pair.english for pair in part] for part in parts]
    vocabulary = Vocabulary.train(english[0], PIECES)
    streams = []
    for sentences in english:
        ids = vocabulary.encode_all(sentences)
        order = torch.randperm(len(ids), generator=torch.Generator().manual_seed(0)).tolist()
        streams.append(torch.tensor([i for n in order for i in (*ids[n], END)]))
    return Text(*streams)


def draw_batch(stream: Tensor, generator: torch.Generator, texts: int = TEXTS) -> Tensor:
    """Draw ``(texts, TOKENS + 1)`` ids that stand in a row somewhere in ``stream``."""
    starts = torch.randint(len(stream) - TOKENS, (texts, 1), generator=generator)
    return stream[starts + torch.arange(TOKENS + 1)]
