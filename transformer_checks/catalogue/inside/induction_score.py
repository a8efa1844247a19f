"""inside.induction_score: how much a head looks right after what occurred before."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, redrawn


def _draw(generator: Generator) -> list[Case]:
    def maps(batch: int, heads: int, tokens: int, sharp: float = 2.0) -> Tensor:
        scores = sharp * normal(generator, batch, heads, tokens, tokens)
        future = torch.ones(tokens, tokens).triu(1).bool()
        return scores.masked_fill(future, -torch.inf).softmax(dim=-1)

    def case(label: str, heads: int, texts: Tensor, sharp: float = 2.0) -> Case:
        return Case(
            label, {"weights": maps(len(texts), heads, texts.shape[1], sharp), "tokens": texts}
        )

    def drawn(batch: int, tokens: int, words: int) -> Tensor:
        """Ids some of which stand three times in a text, and some once."""

        def attempt() -> Tensor | None:
            texts = torch.randint(words, (batch, tokens), generator=generator)
            times = (texts[:, :, None] == texts[:, None, :]).sum(-1)
            return texts if (times == 1).any() and (times > 2).any() else None

        return redrawn(attempt)

    block = torch.randperm(9, generator=generator)[:5]
    repeated = block.repeat(1, 2)
    found = 0.02 * torch.eye(10) + 0.98 * torch.eye(10)[(torch.arange(10) - 4).clamp(min=0)]
    uneven = torch.tensor([[4, 1, 4, 1, 4, 1], [0, 1, 2, 3, 5, 0], [5, 4, 3, 2, 1, 0]])
    large = 128_000 + drawn(2, 7, 4)
    return [
        case("one head, ids a b a", 1, torch.tensor([[3, 1, 3]])),
        case("one head, ids a a", 1, torch.tensor([[2, 2]])),
        case("2 heads, ids a b a b a", 2, torch.tensor([[0, 5, 0, 5, 0]])),
        case("2 heads, ids a b b a", 2, torch.tensor([[1, 4, 4, 1]])),
        case("3 texts, of which one repeats much and one nothing", 2, uneven),
        case("3 heads, 4 texts of 7 ids", 3, drawn(4, 7, 5)),
        case("large ids", 2, large),
        case("18 texts of two ids", 2, _pairs(generator)),
        Case(
            "a perfect head, and one that sees itself alone",
            {"weights": torch.stack([found, torch.eye(10)])[None], "tokens": repeated},
        ),
        case("20 heads, 24 ids of 12 words", 20, drawn(2, 24, 12), sharp=4.0),
    ]


def _pairs(generator: Generator) -> Tensor:
    """Texts of two ids, of which some are equal."""
    texts = torch.randint(4, (18, 2), generator=generator)
    texts[:3] = torch.tensor([[1, 1], [1, 0], [0, 0]])
    return texts


CHECK = Check(
    name="inside.induction_score",
    lesson="12_inside",
    title="An induction score",
    answer="induction_score",
    returns=("score", "chance"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=25,
)
