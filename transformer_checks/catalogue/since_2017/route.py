"""modern.route: which experts a token gets, and what keeps them equally busy."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def logits(tokens: int, experts: int) -> Tensor:
        """Logits in any order, at least 0.3 apart."""
        order = torch.rand(tokens, experts, generator=generator).argsort(dim=-1)
        return (6 * order + torch.randint(4, (tokens, experts), generator=generator)) / 10 - 1

    def case(label: str, given: Tensor, k: int, gradients: bool = False) -> Case:
        return Case(label, {"logits": given, "k": k}, gradients)

    first = logits(3, 4)
    preferred = torch.tensor([3.0, 0, 3, 0, -9])
    levels = torch.tensor([[-200.0], [0.0], [200.0]])
    return [
        case("2 tokens, 2 of 3 experts", logits(2, 3), 2),
        case("3 tokens, one of 4 experts", logits(3, 4), 1),
        case("one token", logits(1, 4), 2),
        case("all experts are chosen", logits(4, 2), 2),
        case("one expert", logits(3, 1), 1),
        case("7 tokens, 3 of 6 experts", logits(7, 6), 3),
        case("the last expert is never chosen", logits(4, 5) + 2 * preferred, 2),
        case("logits around -200, 0 and 200", logits(3, 5) + levels, 2),
        case("logits below a thousandth", logits(3, 4) / 5000, 2),
        case("the first expert's logits are 0", first - first[:, :1], 3),
        case("gradients", logits(3, 5), 2, gradients=True),
        case("20 tokens, 17 of 18 experts", logits(20, 18), 17),
    ]


CHECK = Check(
    name="modern.route",
    lesson="11_since_2017",
    title="A router and its balance",
    answer="route",
    returns=("weights", "chosen", "balance"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
)
