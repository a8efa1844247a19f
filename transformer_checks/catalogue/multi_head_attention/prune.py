"""heads.prune: cut heads out of the matrices."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import all_but_two, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "w_value": "d_model heads*d_head",
        "w_output": "heads*d_head d_model",
        "num_heads": "=heads",
    }
    inputs = partial(inputs_of, generator, axes)

    def some_kept(drawn: Mapping[str, Any]) -> dict[str, Value]:
        return {"kept": all_but_two(generator, drawn["num_heads"])}

    return [
        Case("2 heads of width 2, head 1 kept", inputs(tidy, 4, 2, 2) | {"kept": [1]}),
        Case("3 heads of width 2, heads 0 and 2 kept", inputs(tidy, 6, 3, 2) | {"kept": [0, 2]}),
        Case("all kept", inputs(normal, 6, 3, 2) | {"kept": [0, 1, 2]}),
        Case("heads 2 and 0 kept, in this order", inputs(normal, 6, 3, 2) | {"kept": [2, 0]}),
        *ordinary(generator, axes=axes, given=some_kept, gradients=False),
    ]


CHECK = Check(
    name="heads.prune",
    lesson="03_multi_head_attention",
    title="Cut heads out of the matrices",
    answer="prune_heads",
    returns=("w_value", "w_output"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=10,
    forbidden=frozenset({"attention"}),
    rtol=1e-6,
    atol=1e-6,  # numbers are moved, not computed
)
