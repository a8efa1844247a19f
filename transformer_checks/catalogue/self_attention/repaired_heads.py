"""attention.repaired_heads: find two mistakes in multi-head attention."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import Draw, half, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(generator, batch, length, d_model),
            "w_qkv": draw(generator, d_model, 3 * d_model),
            "w_out": draw(generator, d_model, d_model),
            "num_heads": num_heads,
        }

    cases = [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, 3 heads of width 1", inputs(tidy, 1, 2, 3, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("3 sentences of one token", inputs(normal, 3, 1, 4, 2)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
        # Beside small results what large scores round is no matter.
        Case("large scores", inputs(whole, 2, 5, 8, 2) | {"w_out": tidy(generator, 8, 8) / 1000}),
    ]
    sizes = spread(34)
    of_values = torch.cat([torch.ones(68), sizes])
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 34) * sizes,
        "w_qkv": normal(generator, 34, 102) * of_values / (4 * sizes[:, None]),
        "w_out": normal(generator, 34, 34) / (2 * sizes[:, None]),
        "num_heads": 17,
    }
    cases.append(Case("2 sentences, 18 tokens, 17 heads, numbers of many sizes", many))
    zero = tidy(generator, 1, 3, 4) * torch.tensor([[1.0], [0.0], [1.0]])
    at_zero = inputs(tidy, 1, 3, 4, 2) | {"tokens": zero}
    return [*cases, Case("1 sentence, 3 tokens, the second zero", at_zero)]


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
