"""tokens.tied_model: one matrix that reads words and writes them."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Build, Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven, whole


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        shape: tuple[int, int],
        vocab_size: int,
        d_model: int,
        gradients: bool = False,
        training: bool = False,
        scale: float = 1.0,
        positions: Draw | None = None,
    ) -> Case:
        ids = torch.randint(vocab_size, shape, generator=generator)
        ids[-1, -1], ids[0, 0] = 0, vocab_size - 1  # words like any other: no padding
        inputs = {"ids": ids, "positions": (positions or draw)(generator, shape[1], d_model)}
        weights = {"embedding.weight": scale * draw(generator, vocab_size, d_model)}
        build = Build({"vocab_size": vocab_size, "d_model": d_model}, weights, training)
        return Case(label, inputs, gradients=gradients, build=build)

    return [
        case("2 tokens, vocabulary 3, d_model 2", tidy, (1, 2), 3, 2),
        case("3 tokens, vocabulary 5, d_model 3, training mode", tidy, (1, 3), 5, 3, training=True),
        # Whole numbers, and a width whose root is one: float32 holds them to the last digit.
        case(
            "batch 2, 4 tokens, vocabulary 7, d_model 9, long rows", whole, (2, 4), 7, 9, scale=5.0
        ),
        case("gradients", normal, (3, 2), 5, 4, gradients=True),
        case("3 texts of one token", normal, (3, 1), 4, 3),
        case(
            "17 texts of 18 tokens, vocabulary 130, d_model 20, positions of many sizes",
            normal,
            (17, 18),
            130,
            20,
            scale=0.1,
            positions=uneven,
        ),
    ]


CHECK = Check(
    name="tokens.tied_model",
    lesson="01_tokens_and_embeddings",
    title="One matrix, two jobs",
    answer="TiedModel",
    returns=("logits",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
)
