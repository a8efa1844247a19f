"""inside.composition: what an earlier head wrote, taken out of one input of a later head."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "stream": "batch tokens d_model",
        "added": "batch tokens d_model",
        "taken_from": "=1",  # drawn below
        "w_query": "-d_model d_head",
        "w_key": "-d_model d_head",
        "w_value": "-d_model d_value",
        "gain": "+d_model",
        "bias": "+d_model",
    }
    inputs = partial(inputs_of, generator, axes)

    def case(label: str, taken_from: str, given: dict[str, Any]) -> Case:
        words = {"query": "queries", "key": "keys", "value": "values"}[taken_from]
        return Case(f"{label}, taken from the {words}", given | {"taken_from": taken_from})

    def any_input(_: Mapping[str, Any]) -> dict[str, Value]:
        which = torch.randint(3, (), generator=generator)
        return {"taken_from": ("query", "key", "value")[which]}

    cases = [case("2 tokens", n, inputs(tidy, 1, 2, 3, 2, 2)) for n in ("key", "query", "value")]
    for name in ("key", "value"):
        small = inputs(normal, 1, 3, 4, 3, 2) | {"gain": torch.ones(4), "bias": torch.zeros(4)}
        small |= {tokens: 3e-3 * small[tokens] for tokens in ("stream", "added")}
        cases.append(case("thousandths and a new norm", name, small))
    return cases + ordinary(generator, axes=axes, given=any_input, gradients=False)


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
