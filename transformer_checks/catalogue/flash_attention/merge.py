"""flash.merge: two partial results become one."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {
    f"{name}_{piece}": axes
    for piece in "ab"
    for name, axes in (("maximum", "..."), ("total", "..."), ("weighted", "... width"))
}


def _totals(drawn: Mapping[str, Any]) -> dict[str, Tensor]:
    """The exponential of a maximum is 1, and all are positive."""
    return {name: 1 + drawn[name].abs() for name in ("total_a", "total_b")}


def _inputs(generator: Generator, queries: int, a: float, b: float) -> dict[str, Any]:
    """Pieces whose maxima are about ``a`` and ``b``."""
    inputs = inputs_of(generator, AXES, tidy, 2, front=(queries,))
    inputs["maximum_a"] += a
    inputs["maximum_b"] += b
    return {**inputs, **_totals(inputs)}


def _empty(inputs: dict[str, Any], name: str, query: int) -> dict[str, Any]:
    inputs[f"maximum_{name}"][query] = -torch.inf
    inputs[f"total_{name}"][query] = 0.0
    inputs[f"weighted_{name}"][query] = 0.0
    return inputs


def _draw(generator: Generator) -> list[Case]:
    g = generator
    equal = _inputs(g, 2, 0, 0)
    equal["maximum_b"] = equal["maximum_a"].clone()
    rise, fall = _inputs(g, 2, 0, 11), _inputs(g, 2, 11, 0)
    up, down = _inputs(g, 2, -200, 200), _inputs(g, 2, 200, -200)
    lower = (rise, "a", 1e4), (fall, "b", 1e4), (up, "a", 1e6), (down, "b", 1e6)
    for inputs, name, keys in lower:
        for known in (f"total_{name}", f"weighted_{name}"):
            inputs[known] = keys * inputs[known]
    neither = _empty(_empty(_inputs(g, 2, 0, 0), "a", 1), "b", 1)
    return [
        Case("one query, the second piece scores higher", _inputs(g, 1, 0, 4)),
        Case("one query, the first piece scores higher", _inputs(g, 1, 4, 0)),
        Case("two queries", _inputs(g, 2, 0, 0.5)),
        Case("pieces with the same maximum", equal),
        Case("scores around -200", _inputs(g, 2, -200, -201)),
        Case("a piece of a million keys at -200, one of few at 200", up),
        Case("a piece of few keys at 200, one of a million at -200", down),
        Case("the first piece 11 below, with thousands of keys", rise),
        Case("the second piece 11 below, with thousands of keys", fall),
        Case("one piece saw nothing", _empty(_inputs(g, 2, -100, -100), "b", 0)),
        Case("a query that neither piece saw anything for", neither),
        Case("the first piece saw nothing", _empty(_inputs(g, 2, 50, 50), "a", 1)),
        Case("one query, the second piece saw nothing", _empty(_inputs(g, 1, 3, 3), "b", 0)),
        Case("one query, the first piece saw nothing", _empty(_inputs(g, 1, 3, 3), "a", 0)),
        *ordinary(g, axes=AXES, given=_totals, gradients=False),
    ]


CHECK = Check(
    name="flash.merge",
    lesson="09_flash_attention",
    title="Merge two partial results",
    answer="merge",
    returns=("maximum", "total", "weighted"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=10,
    forbidden=frozenset({"softmax", "attention"}),
)
