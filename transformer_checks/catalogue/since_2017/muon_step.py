"""modern.muon_step: one step of Muon (Jordan et al. 2024)."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {name: "rows columns" for name in ("weight", "gradient", "momentum")}


def _draw(generator: Generator) -> list[Case]:
    g = generator

    def case(label: str, rows: int, columns: int, draw: Draw = normal, **given: Value) -> Case:
        drawn = inputs_of(g, AXES, draw, rows, columns)
        return Case(label, {**drawn, "rate": 0.5, "beta": 0.75, **given})

    def vast() -> Tensor:
        return 1e60 * normal(g, 3, 4).double()  # numbers that no narrower dtype can hold

    one = normal(g, 3, 4).double()
    zeros = torch.zeros(3, 2)
    return [
        case("the first step, 2 by 3", 2, 3, tidy, momentum=zeros.mT.contiguous()),
        case("a later step, 2 by 3", 2, 3, tidy),
        case("3 by 2: more rows than columns", 3, 2, tidy),
        case("4 by 4, beta 0.95, rate 0.02", 4, 4, beta=0.95, rate=0.02),
        case("beta 0: nothing is kept of the past", 3, 5, beta=0.0),
        case("a gradient in the thousands", 5, 3, gradient=1e4 * normal(g, 5, 3)),
        case("a momentum in the thousands", 3, 4, momentum=1e4 * normal(g, 3, 4)),
        case("a gradient of zeros at the first step", 3, 2, gradient=zeros, momentum=zeros),
        case("float64, a gradient of 10⁶⁰", 3, 4, weight=one, gradient=vast(), momentum=vast()),
        case("a rate of 0", 3, 4, rate=0.0),
        # Untransposed, the products of this matrix take more than half a million.
        replace(case("48 by 4", 48, 4), most_products=60_000),
        *ordinary(g, axes=AXES, given={"rate": 2.0, "beta": 0.75}, gradients=False),
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
