"""heads.contributions: what each head adds to the output of the layer."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(num_heads: int, length: int, d_head: int, d_model: int) -> dict[str, Value]:
        return {
            "heads": tidy(generator, 1, num_heads, length, d_head),
            "w_output": tidy(generator, num_heads * d_head, d_model),
        }

    return [
        Case("2 heads, 1 token, d_head 1", inputs(2, 1, 1, 2)),
        Case("2 heads, 3 tokens, d_head 2", inputs(2, 3, 2, 4)),
        *ordinary(generator, heads="batch heads tokens +d_head", w_output="-heads*d_head d_model"),
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
