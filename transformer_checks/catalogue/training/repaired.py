"""training.repaired: a layer that trains, and has four things wrong."""

from functools import partial

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {
    "x": "batch tokens heads*d_head",
    "w_query": "heads*d_head +heads*d_head",
    "w_key": "heads*d_head -heads*d_head",
    "w_value": "heads*d_head +heads*d_head",
    "w_output": "-heads*d_head heads*d_head",
    "w_up": "heads*d_head +d_ff",
    "w_down": "-d_ff heads*d_head",
    "num_heads": "=heads",
}


def _draw(generator: Generator) -> list[Case]:
    inputs = partial(inputs_of, generator, AXES)
    large, flat = inputs(normal, 2, 4, 2, 3, 9), inputs(tidy, 1, 3, 2, 2, 7)
    large["w_query"] *= 30
    flat["x"][0, 0] = 0.5
    # Exact, or the norm would blow up its rounding.
    flat["x"][0, 1] = 0.5 + (3 * flat["x"][0, 1]).round() / 1024
    # Without attention the second norm, too, reads tokens of equal numbers.
    silent = {**flat, "w_output": torch.zeros(4, 4)}
    return [
        Case("one text of three tokens, one head", inputs(tidy, 1, 3, 1, 4, 7)),
        Case("one text, two heads", inputs(tidy, 1, 5, 2, 2, 7)),
        Case("scores in the hundreds", large),
        Case("one token of equal numbers, one of nearly equal ones", flat),
        Case("the same tokens, with w_output zero", silent),
        *ordinary(generator, axes=AXES),
    ]


_RESIDUAL_REPAIRED = {
    "    x = norm(x)\n    x = x + attend(x)\n    x = norm(x)\n": "    x = x + attend(norm(x))\n",
    "return x + F.relu(x @ w_up)": "return x + F.relu(norm(x) @ w_up)",
}

CHECK = Check(
    name="training.repaired",
    lesson="07_training",
    title="Find the bugs that train",
    answer="repaired_layer",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=25,
    forbidden=frozenset({"attention"}),
    atol=1e-4,
    broken={"repaired_layer": "another", "trained_layer": "repaired_layer"},
    repairs=(
        Repair("each query's weights sum to one", {"softmax(dim=-2)": "softmax(dim=-1)"}),
        Repair(
            "the scores are divided by √d_head",
            {"math.sqrt(x.shape[-1])": "math.sqrt(query.shape[-1])"},
        ),
        Repair(
            "a norm reads one token, and moves no other",
            {"mean(1, keepdim=True)": "mean(-1, keepdim=True)"},
        ),
        Repair("with all weights zero, x comes out as it went in", _RESIDUAL_REPAIRED),
    ),
)
