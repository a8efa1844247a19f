"""attention.self_attention: attention with its projections."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "tokens": "... tokens +d_model",
        "w_query": "-d_model d_head",
        "w_key": "-d_model d_head",
        "w_value": "-d_model d_value",
    }
    inputs = partial(inputs_of, generator, axes)
    # Beside small results what large scores round is no matter.
    large = inputs(whole, 4, 6, 4, 3, front=(2,)) | {"w_value": tidy(generator, 6, 3) / 100}
    return [
        Case("3 tokens, d_model 4, d_head 2", inputs(tidy, 3, 4, 2, 2)),
        Case("3 tokens, d_model and d_head 2", inputs(tidy, 3, 2, 2, 2)),
        Case("d_value 5", inputs(tidy, 4, 6, 3, 5)),
        Case("batch 2, 5 tokens", inputs(normal, 5, 8, 3, 4, front=(2,))),
        Case("large scores", large),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="attention.self_attention",
    lesson="02_self_attention",
    title="Self-attention with projections",
    answer="self_attention",
    returns=("output",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    forbidden=frozenset({"attention"}),
)
