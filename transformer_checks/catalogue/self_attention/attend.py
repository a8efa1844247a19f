"""attention.attend: scores, weights, and the average of the values."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import gapped, normal, tidy, uneven_columns
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {"query": "... queries +d_head", "key": "... keys -d_head", "value": "... keys d_value"}
    inputs = partial(inputs_of, generator, axes)
    large = inputs(normal, 3, 4, 5, 2)
    large["query"] *= 1000
    same = normal(generator, 2, 3)
    return [
        Case("2 queries, 3 keys, d_head 4, d_value 2", inputs(tidy, 2, 4, 3, 2)),
        Case("4 tokens, d_head and d_value 3, one zero", inputs(gapped, 4, 3, 4, 3)),
        Case("large scores", large),
        Case("batch 2, heads 3, 5 queries, 7 keys", inputs(normal, 5, 8, 7, 6, front=(2, 3))),
        *ordinary(generator, uneven_columns, axes=axes),
        Case("2 tokens that ask, answer and say the same", dict.fromkeys(axes, same)),
    ]


CHECK = Check(
    name="attention.attend",
    lesson="02_self_attention",
    title="Scaled dot-product attention",
    answer="attend",
    returns=("output", "weights"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    forbidden=frozenset({"attention"}),
)
