"""modern.muon_step: one step of Muon (Jordan et al. 2024)."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        rows: int,
        columns: int,
        rate: float = 0.5,
        beta: float = 0.75,
        draw: Callable[..., Tensor] = normal,
        first: bool = False,
        most_products: int | None = None,
    ) -> Case:
        weight, gradient, momentum = (draw(generator, rows, columns) for _ in range(3))
        if first:
            momentum = torch.zeros(rows, columns)
        return Case(
            label,
            {
                "weight": weight,
                "gradient": gradient + 0.1 * (gradient == 0),
                "momentum": momentum,
                "rate": rate,
                "beta": beta,
            },
            most_products=most_products,
        )

    def scaled(drawn: Case, name: str, by: float) -> Case:
        matrix = drawn.inputs[name]
        assert isinstance(matrix, Tensor)
        matrix.mul_(by)
        return drawn

    def in_float64(drawn: Case) -> Case:
        matrices = {n: v.double() for n, v in drawn.inputs.items() if isinstance(v, Tensor)}
        wide = replace(drawn, inputs={**drawn.inputs, **matrices})
        return scaled(scaled(wide, "gradient", 1e60), "momentum", 1e60)

    still = case("a gradient of zeros at the first step", 3, 2, first=True)
    return [
        case("the first step, 2 by 3", 2, 3, draw=tidy, first=True),
        case("a later step, 2 by 3", 2, 3, draw=tidy),
        case("3 by 2: more rows than columns", 3, 2, draw=tidy),
        case("4 by 4, beta 0.95, rate 0.02", 4, 4, 0.02, 0.95),
        case("a single row", 1, 5),
        case("a single column", 5, 1),
        case("a single number", 1, 1),
        case("beta 0: nothing is kept of the past", 3, 5, beta=0.0),
        scaled(case("a gradient in the thousands", 5, 3), "gradient", 1e4),
        scaled(case("a momentum in the thousands", 3, 4), "momentum", 1e4),
        scaled(still, "gradient", 0.0),
        # Numbers that no narrower dtype can hold.
        in_float64(case("float64, a gradient of 10⁶⁰", 3, 4)),
        case("a rate of 0", 3, 4, rate=0.0),
        case("rows of many sizes, rate 2", 18, 20, 2.0, draw=uneven),
        # Untransposed, the products of this matrix take more than half a million.
        case("48 by 4", 48, 4, most_products=60_000),
    ]


CHECK = Check(
    name="modern.muon_step",
    lesson="11_since_2017",
    title="A step of Muon",
    answer="muon_step",
    returns=("weight", "momentum"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=20,
)
