"""heads.attend: multi-head self-attention from four weight matrices."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import half, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "tokens": "batch tokens +heads*d_head",
        "w_query": "-heads*d_head heads*d_head",
        "w_key": "-heads*d_head heads*d_head",
        "w_value": "-heads*d_head +heads*d_value",
        "w_output": "-heads*d_value heads*d_head",
        "num_heads": "=heads",
    }
    inputs = partial(inputs_of, generator, axes)
    # Beside small results what large scores round is no matter.
    large = inputs(whole, 2, 4, 2, 2, 2) | {"w_output": tidy(generator, 4, 4) / 1000}
    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 2, 2, 2)),
        Case("1 sentence, 2 tokens, 3 heads of width 1", inputs(tidy, 1, 2, 3, 1, 1)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 3, 4, 4)),
        Case("large scores", large),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="heads.attend",
    lesson="03_multi_head_attention",
    title="Multi-head self-attention from matrices",
    answer="multi_head_attention",
    returns=("output", "weights"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    forbidden=frozenset({"attention"}),
)
