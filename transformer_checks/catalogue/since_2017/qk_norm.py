"""modern.qk_norm: queries and keys divided by their root mean squares, then rotated."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, uneven
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        batch: int,
        heads: int,
        positions: list[int],
        d_head: int = 4,
        eps: float = 1e-6,
        draw: Callable[..., Tensor] = normal,
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
        )

    late = torch.randint(100, 400, (5,), generator=generator).tolist()
    new = case("scales of 1, as at the start", 1, 1, [0, 1, 2], draw=tidy)
    ones = {"query_scale": torch.ones(4), "key_scale": torch.ones(4)}
    return [
        case("one head, two tokens", 1, 1, [0, 1], draw=tidy),
        case("one token at position 7", 1, 1, [7], draw=tidy),
        case("positions 5, 0, 9, eps 0.5", 1, 2, [5, 0, 9], eps=0.5, draw=tidy),
        case("batch 2, heads 3, late positions", 2, 3, late, 6),
        case("batch 3, heads 2, eps 0", 3, 2, [3, 3, 1, 2], eps=0.0),
        case("rows of many sizes, the third zero", 1, 2, [0, 1, 2, 3, 4], 8, 1e-2, uneven),
        case("one pair of columns, positions before 0 too", 2, 1, [-2, 3, 1], 2),
        replace(new, inputs={**new.inputs, **ones}),
        *ordinary(
            generator,
            query="batch heads tokens pairs*2",
            key="batch heads tokens pairs*2",
            positions="<40 tokens",
            query_scale="+pairs*2",
            key_scale="-pairs*2",
            given={"eps": 0.1},
        ),
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
