"""tokens.embedding_gradient: what a lookup sends back to its table."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, draw: Draw, ids: list[list[int]], vocab_size: int, d_model: int) -> Case:
        tokens = torch.tensor(ids)
        upstream = draw(generator, *tokens.shape, d_model)
        return Case(label, {"ids": tokens, "upstream": upstream, "vocab_size": vocab_size})

    def large(generator: Generator, *shape: int) -> Tensor:
        return 100 * tidy(generator, *shape)

    def in_half(generator: Generator, *shape: int) -> Tensor:
        return whole(generator, *shape).half()  # whole numbers: their sums are exact

    many = torch.randint(2, 9, (3, 10), generator=generator).tolist()
    return [
        case("one sentence of two words, vocabulary 4", tidy, [[2, 1]], 4, 2),
        case("a word twice", tidy, [[3, 1, 3]], 5, 2),
        case("a word three times, in two sentences", tidy, [[1, 4, 1], [0, 1, 2]], 6, 2),
        case("word 0, twice, large gradients", large, [[0, 2, 0]], 3, 3),
        case("the last words of the vocabulary unused", tidy, [[1, 0], [1, 2]], 7, 3),
        case("3 sentences of 10 words, d_model 6", normal, many, 12, 6),
        case("3 sentences of one word", tidy, [[1], [3], [1]], 4, 2),
        case(
            "18 sentences of 20 words, vocabulary 420, d_model 17",
            normal,
            torch.randint(400, (18, 20), generator=generator).tolist(),
            420,
            17,
        ),
        case("a word twice in a row, d_model 1", tidy, [[3, 3, 1]], 5, 1),
        case("a word twice, upstream in float16", in_half, [[3, 1, 3]], 5, 2),
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
