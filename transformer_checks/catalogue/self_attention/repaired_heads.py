"""attention.repaired_heads: find two mistakes in multi-head attention."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import half, moderate, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "tokens": "batch tokens +heads*d_head",
        "w_qkv": "-heads*d_head 3*heads*d_head",
        "w_out": "heads*d_head heads*d_head",
        "num_heads": "=heads",
    }
    inputs = partial(inputs_of, generator, axes)
    # Beside small results what large scores round is no matter.
    large = inputs(whole, 2, 5, 2, 4) | {"w_out": tidy(generator, 8, 8) / 1000}
    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 2, 2)),
        Case("1 sentence, 2 tokens, 3 heads of width 1", inputs(tidy, 1, 2, 3, 1)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 3, 4)),
        Case("large scores", large),
        *ordinary(generator, moderate, axes=axes),
    ]


CHECK = Check(
    name="attention.repaired_heads",
    lesson="02_self_attention",
    title="Bug hunt: heads that never mix tokens",
    answer="repaired_heads",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    forbidden=frozenset({"attention"}),
    broken={"repaired_heads": "another", "broken_heads": "repaired_heads"},
    repairs=(
        Repair(
            "each token hears of the others, in every head",
            {
                "value = qkv.unbind(2)": "value = (part.transpose(1, 2) for part in qkv.unbind(2))",
                "heads.reshape": "heads.transpose(1, 2).reshape",
            },
        ),
        Repair(
            "the scores are divided by √d_head",
            {"math.sqrt(d_model)": "math.sqrt(query.shape[-1])"},
        ),
    ),
)
