"""inside.head_outputs: what each head gives to the output, from an ``nn.Linear``."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(num_heads: int, tokens: int, d_head: int, d_model: int) -> dict[str, Value]:
        return {
            "heads": tidy(generator, 1, num_heads, tokens, d_head),
            "weight": tidy(generator, d_model, num_heads * d_head),
            "bias": 0.5 + tidy(generator, d_model).abs(),  # one that is lost would be missed
        }

    return [
        Case("2 heads, 1 token, d_head 1", inputs(2, 1, 1, 2)),
        Case("2 heads, 3 tokens, d_head 2", inputs(2, 3, 2, 4)),
        *ordinary(
            generator,
            gradients=False,
            turned=True,
            heads="batch heads tokens +d_head",
            weight="d_model -heads*d_head",
            bias="d_model",
        ),
    ]


CHECK = Check(
    name="inside.head_outputs",
    lesson="12_inside",
    title="What each head gives to the output",
    answer="head_outputs",
    returns=("terms",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=15,
)
