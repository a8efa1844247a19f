"""flash.log_sum_exp: the one number that remembers a row."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    empty = tidy(generator, 2, 3)
    empty[1] = -torch.inf
    masked = tidy(generator, 2, 4)
    masked[0, 1:3] = -torch.inf
    low = tidy(generator, 2, 4) - 200
    low[0, 1] = -torch.inf
    levels = torch.tensor([[-200.0], [0.0], [200.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("batch 1, 2 queries, all masked", {"scores": torch.full((1, 2, 3), -torch.inf)}),
        Case("two masked keys", {"scores": masked}),
        Case("scores around -200", {"scores": -200 + tidy(generator, 2, 3)}),
        Case("scores around 200", {"scores": 200 + tidy(generator, 2, 3)}),
        Case("rows at -200, 0 and 200", {"scores": levels + tidy(generator, 3, 4)}),
        Case("scores around -200, one key masked", {"scores": low}),
        Case("equal scores", {"scores": torch.tensor([[3.0, 3.0, 3.0], [2.0, 0.0, 2.0]])}),
        Case("a row that spans 300", {"scores": torch.tensor([[-100.0, 0.0, 200.0, 199.0]])}),
        Case("a row in which every key is masked", {"scores": empty}),
        *ordinary(generator, gradients=False, scores="... queries keys"),
    ]


CHECK = Check(
    name="flash.log_sum_exp",
    lesson="09_flash_attention",
    title="Log-sum-exp",
    answer="log_sum_exp",
    returns=("log_sum_exp",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
    forbidden=frozenset({"softmax", "logsumexp"}),
    rtol=1e-5,
)
