"""heads.contributions: what each head adds to the output of the layer."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {"heads": "batch heads tokens +d_head", "w_output": "-heads*d_head d_model"}
    inputs = partial(inputs_of, generator, axes, tidy)
    return [
        Case("2 heads, 1 token, d_head 1", inputs(1, 2, 1, 1, 2)),
        Case("2 heads, 3 tokens, d_head 2", inputs(1, 2, 3, 2, 4)),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="heads.contributions",
    lesson="03_multi_head_attention",
    title="What each head contributes",
    answer="head_contributions",
    returns=("contributions",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
    forbidden=frozenset({"attention"}),
)
