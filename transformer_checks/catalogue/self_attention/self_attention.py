"""attention.self_attention: attention with its projections."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, leading: tuple[int, ...], tokens: int, d_model: int, d_head: int, d_value: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(generator, *leading, tokens, d_model),
            "w_query": draw(generator, d_model, d_head),
            "w_key": draw(generator, d_model, d_head),
            "w_value": draw(generator, d_model, d_value),
        }

    cases = [
        Case("3 tokens, d_model 4, d_head 2", inputs(tidy, (), 3, 4, 2, 2)),
        Case("3 tokens, d_model and d_head 2", inputs(tidy, (), 3, 2, 2, 2)),
        Case("d_value 5", inputs(tidy, (), 4, 6, 3, 5)),
        Case("batch 2, 5 tokens", inputs(normal, (2,), 5, 8, 3, 4)),
        Case("gradients", inputs(normal, (2,), 4, 6, 3, 3), gradients=True),
        Case("batch 1, one token", inputs(normal, (1,), 1, 4, 3, 2)),
        Case("two axes of sentences, 2 by 3", inputs(normal, (2, 3), 4, 5, 3, 2)),
        Case("two axes of sentences, 1 by 1, d_model 1", inputs(normal, (1, 1), 2, 1, 3, 5)),
        Case("two axes of sentences, 3 by 2", inputs(normal, (3, 2), 2, 4, 3, 5)),
        # Beside small results what large scores round is no matter.
        Case(
            "large scores",
            inputs(whole, (2,), 4, 6, 4, 3) | {"w_value": tidy(generator, 6, 3) / 100},
        ),
    ]
    sizes = spread(19)
    many: dict[str, Value] = {
        "tokens": normal(generator, 18, 19) * sizes,
        "w_query": normal(generator, 19, 17) / (4 * sizes[:, None]),
        "w_key": normal(generator, 19, 17) / sizes[:, None],
        "w_value": normal(generator, 19, 21) / (4 * sizes[:, None]),
    }
    cases.append(Case("18 tokens, d_model 19, numbers of many sizes", many))
    zero = tidy(generator, 4, 3) * torch.tensor([[1.0], [0.0], [1.0], [1.0]])
    at_zero = inputs(tidy, (), 4, 3, 2, 2) | {"tokens": zero}
    return [*cases, Case("4 tokens, the second zero", at_zero)]


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
