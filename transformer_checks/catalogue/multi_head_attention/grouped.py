"""heads.grouped: heads that share keys and values, converted from heads that do not."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import half, normal, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "tokens": "batch tokens +d_model",
        "w_query": "-d_model key_heads*group*d_head",
        "w_key": "-d_model key_heads*group*d_head",
        "w_value": "-d_model +key_heads*group*d_value",
        "w_output": "-key_heads*group*d_value d_model",
        "num_heads": "=key_heads*group",
        "num_kv_heads": "=key_heads",
    }
    inputs = partial(inputs_of, generator, axes)
    # Beside small results what large scores round is no matter.
    large = inputs(whole, 2, 4, 6, 2, 2, 4, 3) | {"w_output": tidy(generator, 12, 6) / 1000}
    return [
        Case("4 heads of width 1, 2 of them for keys", inputs(tidy, 1, 2, 3, 2, 2, 1, 1)),
        Case("2 heads of width 2, 1 for keys", inputs(tidy, 1, 2, 3, 1, 2, 2, 2)),
        Case("6 heads, 2 for keys", inputs(half, 2, 5, 7, 2, 3, 3, 3)),
        Case("6 heads, 3 for keys", inputs(normal, 3, 4, 5, 3, 2, 2, 2)),
        Case("one head", inputs(normal, 2, 3, 4, 1, 1, 3, 3)),
        Case("large scores", large),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="heads.grouped",
    lesson="03_multi_head_attention",
    title="Fewer keys than queries",
    answer="grouped_attention",
    returns=("output", "w_key", "w_value"),
    draw=_draw,
    points=2,
    difficulty=4,
    importance=4,
    minutes=18,
    forbidden=frozenset({"attention"}),
)
