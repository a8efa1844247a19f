"""modern.qk_norm: queries and keys divided by their root mean squares, then rotated."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, spread, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        batch: int,
        heads: int,
        positions: list[int],
        d_head: int = 4,
        eps: float = 1e-6,
        draw: Callable[..., Tensor] = normal,
        gradients: bool = False,
    ) -> Case:
        shape, scales = (batch, heads, len(positions), d_head), tidy(generator, 2, d_head)
        query, key = draw(generator, *shape), draw(generator, *shape)
        return Case(
            label,
            {
                "query": query,
                "key": key,
                "positions": torch.tensor(positions),
                "query_scale": scales[0] + 1.5,
                "key_scale": scales[1] - 1.5,
                "eps": eps,
            },
            gradients,
        )

    def of_many_sizes() -> Case:
        drawn = case("18 tokens, d_head 20, scales of many sizes", 1, 18, [*range(18)], 20)
        sizes = spread(10).repeat_interleave(2)  # one for each pair, which the rotation mixes
        for name, size in (("query_scale", sizes), ("key_scale", 1 / sizes)):
            scale = drawn.inputs[name]
            assert isinstance(scale, Tensor)
            scale.mul_(size)
        return drawn

    late = torch.randint(100, 400, (5,), generator=generator).tolist()
    return [
        case("one head, two tokens", 1, 1, [0, 1], draw=tidy),
        case("one token at position 7", 1, 1, [7], draw=tidy),
        case("positions 5, 0, 9, eps 0.5", 1, 2, [5, 0, 9], eps=0.5, draw=tidy),
        case("batch 2, heads 3, late positions", 2, 3, late, 6),
        case("batch 3, heads 2, eps 0", 3, 2, [3, 3, 1, 2], eps=0.0),
        case("rows of many sizes, the third zero", 1, 2, [0, 1, 2, 3, 4], 8, 1e-2, uneven),
        case("one pair of columns, positions before 0 too", 2, 1, [-2, 3, 1], 2),
        case("gradients", 2, 2, [4, 1, 2], 4, 0.1, gradients=True),
        of_many_sizes(),
    ]


CHECK = Check(
    name="modern.qk_norm",
    lesson="11_since_2017",
    title="Query-key norm",
    answer="normed_scores",
    returns=("scores",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
