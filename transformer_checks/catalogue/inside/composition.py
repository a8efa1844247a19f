"""inside.composition: what an earlier head wrote, taken out of one input of a later head."""

from typing import Literal

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven

Input = Literal["query", "key", "value"]


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        taken_from: Input,
        draw: Draw,
        batch: int,
        tokens: int,
        widths: tuple[int, int, int],
    ) -> Case:
        d_model, d_head, d_value = widths
        stream, added = (draw(generator, batch, tokens, d_model) for _ in range(2))
        if tokens > 16:  # of a later token the whole row was written by the head below
            added[0, 3] = stream[0, 3]
        matrices = [normal(generator, d_model, d) for d in (d_head, d_head, d_value)]
        gain, bias = 1 + normal(generator, d_model) / 2, normal(generator, d_model) / 2
        if d_model > 16:  # two columns are left as they are, one is lost, and one is large
            gain[:5] = torch.tensor([1, 1, 0, 11, 0.1])
            bias[:5] = torch.tensor([0, 0, 5e-4, 11, 0])
            for column, matrix in enumerate(matrices):
                matrix /= 2 * d_model**0.5
                matrix[1, :2], matrix[3], matrix[4, column] = 0.0, matrix[3] / 10, 11.0
        elif d_model > 5:
            gain[:4] = 9e-4
        names = ("w_query", "w_key", "w_value", "gain", "bias")
        inputs = {"stream": stream, "added": added, "taken_from": taken_from}
        return Case(label, inputs | dict(zip(names, (*matrices, gain, bias), strict=True)))

    return [
        case("2 tokens, taken from the keys", "key", tidy, 1, 2, (3, 2, 2)),
        case("2 tokens, taken from the queries", "query", tidy, 1, 2, (3, 2, 2)),
        case("2 tokens, taken from the values", "value", tidy, 1, 2, (3, 2, 2)),
        case("one token, taken from the values", "value", normal, 2, 1, (4, 3, 2)),
        case("a head of width 1, taken from the keys", "key", normal, 1, 3, (4, 1, 1)),
        case("width 1, taken from the queries", "query", normal, 2, 3, (1, 2, 3)),
        case("4 tokens, taken from the queries", "query", normal, 2, 4, (5, 2, 3)),
        case("5 tokens, taken from the keys", "key", normal, 3, 5, (6, 4, 7)),
        case("6 tokens, taken from the values", "value", normal, 2, 6, (7, 5, 4)),
        case("thousandths, taken from the keys", "key", _small, 1, 3, (4, 3, 2)),
        case("thousandths, taken from the values", "value", _small, 1, 3, (4, 3, 2)),
        case(
            "18 tokens of many sizes, taken from the queries", "query", uneven, 2, 18, (19, 17, 18)
        ),
        case("18 tokens of many sizes, taken from the keys", "key", uneven, 2, 18, (19, 18, 17)),
        case(
            "18 tokens of many sizes, taken from the values", "value", uneven, 2, 18, (19, 17, 18)
        ),
    ]


def _small(generator: Generator, *shape: int) -> Tensor:
    return normal(generator, *shape) * 3e-3


CHECK = Check(
    name="inside.composition",
    lesson="12_inside",
    title="Which input needs it?",
    answer="without",
    returns=("weights", "output"),
    draw=_draw,
    points=2,
    difficulty=4,
    importance=4,
    minutes=25,
)
