"""encoder.parameters: where the parameters of a block are."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def inputs(d_model: int, num_heads: int, d_ff: int, gated: bool) -> dict[str, Value]:
        return {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "gated": gated}

    d_head, d_ff = torch.randint(3, 40, (2,), generator=generator).tolist()
    return [
        Case("d_model 4, 2 heads, d_ff 6", inputs(4, 2, 6, False)),
        Case("d_model 4, 2 heads, d_ff 6, gated", inputs(4, 2, 6, True)),
        Case("d_model 2049, 3 heads, d_ff 4100", inputs(2049, 3, 4100, False)),
        Case("the paper's block", inputs(512, 8, 2048, False)),
        Case("odd sizes, gated", inputs(5 * d_head, 5, d_ff, True)),
        Case("one head, gated", inputs(7, 1, 3, True)),
        Case("odd sizes", inputs(3 * d_head, 3, d_ff, False)),
        # Counted in floats, these come out just below the whole number.
        Case("d_model 42, 3 heads, d_ff 11", inputs(42, 3, 11, False)),
    ]


CHECK = Check(
    name="encoder.parameters",
    lesson="05_encoder",
    title="Count the parameters of a block",
    answer="block_parameters",
    returns=("attention", "feed_forward", "norms", "total"),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
    rtol=0.0,  # a count is right or wrong
)
