"""inside.contributions: what each part brings to the lead of one piece over another."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "added": "parts batch tokens d_model",
        "gain": "+d_model",
        "bias": "+d_model",
        "eps": "=1",  # this and the ids are given below
        "output": "pieces -d_model",
        "first": "=1",
        "second": "=1",
    }

    def ids(drawn: Mapping[str, Any], eps: float = 0.1) -> dict[str, Any]:
        texts, pieces = drawn["added"].shape[1:3], len(drawn["output"])
        first = torch.randint(pieces, texts, generator=generator)
        further = torch.randint(1, max(2, pieces), texts, generator=generator)
        return {"eps": eps, "first": first, "second": (first + further) % pieces}

    def inputs(draw: Draw, *sizes: int, eps: float) -> dict[str, Any]:
        drawn = inputs_of(generator, axes, draw, *sizes)
        return drawn | ids(drawn, eps)

    small = inputs(normal, 3, 1, 3, 4, 4, eps=1e-5)
    small |= {"added": 1e-3 * small["added"], "output": 10 * small["output"]}
    gain, bias = torch.tensor([1.0, 1.0, 9e-4, -2.0]), torch.tensor([0.5, 0.0, 0.0, -1.0])
    same = inputs(normal, 3, 1, 3, 4, 3, eps=1e-5) | {"gain": gain, "bias": bias}
    same["second"] = same["first"].clone()
    lost = inputs(tidy, 2, 1, 2, 4, 3, eps=0.1)
    lost["added"][1, 0, 1] = -lost["added"][0, 0, 1]
    return [
        Case("2 parts, 1 token, width 2", inputs(tidy, 2, 1, 1, 2, 3, eps=0.1)),
        Case("2 parts, 2 tokens, width 3", inputs(tidy, 2, 1, 2, 3, 3, eps=0.1)),
        Case("no eps", inputs(normal, 3, 2, 3, 6, 2, eps=0.0)),
        Case("parts of thousandths", small),
        Case("the same piece twice", same),
        Case("18 texts, 120 pieces", inputs(normal, 2, 18, 3, 4, 120, eps=1e-5)),
        Case("parts that cancel", lost),
        *ordinary(generator, axes=axes, given=ids, gradients=False),
    ]


CHECK = Check(
    name="inside.contributions",
    lesson="12_inside",
    title="Who brought the lead?",
    answer="contributions",
    returns=("contributions",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=25,
)
