"""flash.safe_softmax: a softmax that survives large scores and empty rows."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    masked = tidy(generator, 2, 4)
    masked[0, 1:3] = -torch.inf
    empty = tidy(generator, 2, 3)
    empty[1] = -torch.inf
    # Far from 0 float32 has few digits: scores that are far apart leave no question what is right.
    apart = 150 * torch.rand(3, 4, generator=generator).argsort(-1).float()
    low = apart[:2] - 20_000
    low[0, 1] = -torch.inf
    levels = torch.tensor([[-1e6], [0.0], [1e6]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("two masked keys", {"scores": masked}),
        Case("scores around 1000", {"scores": 1000 + tidy(generator, 2, 3)}),
        Case("scores around -1000", {"scores": -1000 + tidy(generator, 2, 3)}),
        Case("rows at -10⁶, 0 and 10⁶", {"scores": levels + apart}),
        Case("scores around -20 000, one key masked", {"scores": low}),
        Case("equal scores", {"scores": torch.tensor([[3.0, 3.0, 3.0], [2.0, 0.0, 2.0]])}),
        Case("a row that spans 300", {"scores": torch.tensor([[-100.0, 0.0, 200.0, 199.0]])}),
        Case("a row that spans 14", {"scores": torch.tensor([[14.0, 0.0, 13.0, 1.0]])}),
        Case("a row in which every key is masked", {"scores": empty}),
        Case("batch 1, one head, all masked", {"scores": torch.full((1, 1, 2, 3), -torch.inf)}),
        *ordinary(generator, gradients=False, scores="... queries keys"),
        Case("a row from -5000 to 10", {"scores": torch.tensor([[-5000.0, 10.0, 9.0]])}),
    ]


CHECK = Check(
    name="flash.safe_softmax",
    lesson="09_flash_attention",
    title="A softmax that survives everything",
    answer="safe_softmax",
    returns=("weights",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
    forbidden=frozenset({"softmax", "attention"}),
    rtol=5e-5,
    atol=1e-36,  # of a masked key nothing may be left; float32 ends a little below
)
