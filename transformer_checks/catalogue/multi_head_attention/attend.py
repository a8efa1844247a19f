"""heads.attend: multi-head self-attention from four weight matrices."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int, d_value: int = 0
    ) -> dict[str, Value]:
        width = num_heads * (d_value or d_model // num_heads)
        return {
            "tokens": draw(generator, batch, length, d_model),
            "w_query": draw(generator, d_model, d_model),
            "w_key": draw(generator, d_model, d_model),
            "w_value": draw(generator, d_model, width),
            "w_output": draw(generator, width, d_model),
            "num_heads": num_heads,
        }

    cases = [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, 3 heads of width 1", inputs(tidy, 1, 2, 3, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("values wider than queries and keys", inputs(normal, 2, 4, 6, 3, d_value=5)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("3 sentences of one token", inputs(normal, 3, 1, 4, 2)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
        # Beside small results what large scores round is no matter.
        Case(
            "large scores", inputs(whole, 2, 4, 8, 2) | {"w_output": tidy(generator, 8, 8) / 1000}
        ),
    ]
    sizes, of_values = spread(34), spread(51)
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 34) * sizes,
        "w_query": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_key": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_value": normal(generator, 34, 51) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 51, 34) / of_values[:, None],
        "num_heads": 17,
    }
    zero = inputs(tidy, 1, 3, 4, 2) | {"tokens": gapped(generator, 1, 3, 4)}
    return [
        *cases,
        Case("2 sentences, 18 tokens, 17 heads, numbers of many sizes", many),
        Case("a token of zeros", zero),
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
