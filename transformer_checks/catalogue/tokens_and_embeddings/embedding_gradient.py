"""tokens.embedding_gradient: what a lookup sends back to its table."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, tidy, whole
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, ids: list[list[int]], vocab_size: int, draw: Draw = tidy) -> Case:
        tokens = torch.tensor(ids)
        upstream = draw(generator, *tokens.shape, 2)
        return Case(label, {"ids": tokens, "upstream": upstream, "vocab_size": vocab_size})

    def in_half(generator: Generator, *shape: int) -> Tensor:
        return whole(generator, *shape).half()  # whole numbers: their sums are exact

    return [
        case("one sentence of two words, vocabulary 4", [[2, 1]], 4),
        case("a word twice", [[3, 1, 3]], 5),
        case("a word three times, in two sentences", [[1, 4, 1], [0, 1, 2]], 6),
        case("word 0, twice", [[0, 2, 0]], 3),
        case("the last words of a large vocabulary unused", [[400, 3], [400, 2]], 420),
        case("a word twice, upstream in float16", [[3, 1, 3]], 5, in_half),
        *ordinary(
            generator,
            gradients=False,
            ids="<vocab_size sentences tokens",
            upstream="sentences tokens d_model",
            vocab_size="=vocab_size",
        ),
    ]


CHECK = Check(
    name="tokens.embedding_gradient",
    lesson="01_tokens_and_embeddings",
    title="The gradient of a lookup",
    answer="embedding_gradient",
    returns=("gradient",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=8,
)
