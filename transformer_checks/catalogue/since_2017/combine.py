"""modern.combine: experts that work on what was sent to them, up to their capacity."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, spread, tidy


def _draw(generator: Generator) -> list[Case]:
    g = generator

    def inputs(
        draw: Draw, tokens: int, d_model: int, d_ff: int, experts: int, k: int, capacity: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(g, tokens, d_model),
            "w_up": draw(g, experts, d_model, d_ff),
            "w_down": draw(g, experts, d_ff, d_model),
            "weights": draw(g, tokens, k),
            "chosen": torch.rand(tokens, experts, generator=g).argsort(dim=-1)[:, :k],
            "capacity": capacity,
        }

    # Everybody's first choice is expert 0, or their second is.
    crowd = torch.tensor([[0, 1], [1, 0], [0, 2], [2, 0], [0, 1]])
    far = torch.tensor([[120, 3], [0, 129], [129, 57]])
    many = inputs(normal, 40, 6, 100, 8, 2, 5)
    sizes = spread(19)
    uneven: dict[str, Value] = {
        **inputs(normal, 20, 19, 18, 18, 17, 17),
        "tokens": normal(g, 20, 19) * sizes,
        "w_up": normal(g, 18, 19, 18) / (2 * sizes[:, None]),
        "w_down": 4 * normal(g, 18, 18, 19).abs(),  # nothing cancels
        "weights": torch.tensor([5.0, 5e-4])[:, None].repeat(10, 1) * normal(g, 20, 17).abs(),
    }
    return [
        Case("2 tokens, one of 2 experts each", inputs(tidy, 2, 2, 1, 2, 1, 2)),
        Case("3 tokens, 2 of 3 experts, room for all", inputs(tidy, 3, 2, 3, 3, 2, 3)),
        Case(
            "5 tokens want expert 0, which takes 2",
            inputs(tidy, 5, 2, 3, 3, 2, 2) | {"chosen": crowd},
        ),
        Case("one expert, which takes one token", inputs(tidy, 3, 2, 2, 1, 1, 1)),
        Case("one token, one number wide", inputs(normal, 1, 1, 4, 4, 2, 1)),
        Case("7 tokens, 3 of 5 experts, room for 3", inputs(normal, 7, 4, 3, 5, 3, 3)),
        Case("all experts, and more room than tokens", inputs(normal, 4, 3, 5, 3, 3, 500)),
        Case("a token of zeros", inputs(tidy, 4, 3, 2, 3, 2, 3) | {"tokens": gapped(g, 4, 3)}),
        Case("gradients", inputs(normal, 5, 3, 2, 3, 2, 2), gradients=True),
        Case(
            "40 tokens, 8 experts that take 5 of them, with few multiplications",
            many,
            most_products=80_000,
        ),
        Case("130 experts", inputs(normal, 3, 2, 2, 130, 2, 1) | {"chosen": far}),
        Case("20 tokens, 17 of 18 experts, rows and columns of many sizes", uneven),
    ]


CHECK = Check(
    name="modern.combine",
    lesson="11_since_2017",
    title="Experts with a capacity",
    answer="combine",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
)
