"""heads.attend: multi-head self-attention from four weight matrices."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, half, tidy, whole
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(generator, batch, length, d_model),
            "w_query": draw(generator, d_model, d_model),
            "w_key": draw(generator, d_model, d_model),
            "w_value": draw(generator, d_model, d_model),
            "w_output": draw(generator, d_model, d_model),
            "num_heads": num_heads,
        }

    # Beside small results what large scores round is no matter.
    large = inputs(whole, 2, 4, 4, 2) | {"w_output": tidy(generator, 4, 4) / 1000}
    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, 3 heads of width 1", inputs(tidy, 1, 2, 3, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("large scores", large),
        *ordinary(
            generator,
            tokens="batch tokens +heads*d_head",
            w_query="-heads*d_head heads*d_head",
            w_key="-heads*d_head heads*d_head",
            w_value="-heads*d_head +heads*d_value",
            w_output="-heads*d_value heads*d_head",
            num_heads="=heads",
        ),
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
