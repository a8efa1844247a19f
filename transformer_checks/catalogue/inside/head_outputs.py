"""inside.head_outputs: what each head gives to the output, from an ``nn.Linear``."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, draw: Draw, batch: int, num_heads: int, tokens: int, d_head: int, d_model: int
    ) -> Case:
        heads = draw(generator, batch, num_heads, tokens, d_head)
        weight = draw(generator, d_model, num_heads * d_head)
        return _case(label, heads, weight, draw(generator, d_model))

    split = normal(generator, 2, 3, 2, 4).transpose(1, 2)
    sizes = spread(17)
    heads = normal(generator, 2, 2, 18, 17) * sizes
    heads[..., 5, :] = 0.0
    weight = normal(generator, 19, 34) / sizes.repeat(2)
    return [
        case("2 heads, 1 token, d_head 1", tidy, 1, 2, 1, 1, 2),
        case("2 heads, 3 tokens, d_head 2", tidy, 1, 2, 3, 2, 4),
        case("one head, width 1", tidy, 1, 1, 2, 1, 1),
        case("batch 2, 3 heads, 4 tokens, d_head 5", normal, 2, 3, 4, 5, 15),
        case("d_model 11, not num_heads · d_head", normal, 2, 3, 4, 2, 11),
        case("one head", normal, 2, 1, 3, 4, 4),
        case("batch 3, 2 heads", normal, 3, 2, 2, 4, 8),
        _case(
            "heads fresh from a split, not contiguous",
            split,
            normal(generator, 8, 8),
            normal(generator, 8),
        ),
        _case(
            "18 tokens, one of them 0, d_head 17, numbers of many sizes",
            heads,
            weight,
            uneven(generator, 19, 1)[:, 0],
        ),
    ]


def _case(label: str, heads: Tensor, weight: Tensor, bias: Tensor) -> Case:
    bias[0] = torch.where(bias[0].abs() < 0.2, 0.7, bias[0])  # one that is lost would be missed
    return Case(label, {"heads": heads, "weight": weight, "bias": bias})


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
