"""inside.share_carried: how much of the way from one lead to another a patch goes."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy

SHORTEST = 0.2  # way of a sentence that has one


def _draw(generator: Generator) -> list[Case]:
    def ways(sentences: int) -> Tensor:
        """Up and down by turns, some short and some long."""
        sizes = SHORTEST + 3 * torch.rand(sentences, generator=generator)
        signs = torch.ones(sentences)
        signs[torch.randperm(sentences, generator=generator)[: (sentences + 1) // 3]] = -1
        return (sizes * signs * 10).round() / 10

    def case(label: str, patches: int, sentences: int, scale: float = 1.0) -> Case:
        before, way = tidy(generator, sentences), ways(sentences)
        moved = (0.5 + normal(generator, patches, sentences)) * way
        return _case(label, *(scale * lead for lead in (before, before + way, before + moved)))

    before, way = tidy(generator, 4), ways(4)
    way[2] = 0.0
    still = _case("one sentence has no way to go", before, before + way, tidy(generator, 3, 4))
    down = -ways(3).abs()
    before = tidy(generator, 3)
    falls = _case("every lead falls", before, before + down, (before + down * 0.6)[None])
    before, way = tidy(generator, 2), ways(2)
    wide = torch.tensor([[1.7], [-0.8]])
    beyond = _case("further than the way, and away", before, before + way, before + wide * way)
    # Half of a long way, and much of a short one the opposite way.
    before, other = torch.tensor([1.0, -2.0, 1.0]), torch.tensor([1.1, 0.0, 0.0])
    patched = torch.tensor([[0.3, 2.0, 2.0]])
    noisy = _case("a short way and longer ones", before, other, patched)
    before, way = 100 * normal(generator, 18), 30 * normal(generator, 18)
    moved = way * normal(generator, 19, 18)
    moved[:, 1] = 0.0
    return [
        case("one patch, 2 sentences", 1, 2),
        case("one patch, one sentence", 1, 1),
        case("2 patches, 3 sentences", 2, 3),
        case("3 patches, 7 sentences", 3, 7),
        noisy,
        still,
        falls,
        beyond,
        _case("19 patches, 18 sentences, leads of hundreds", before, before + way, before + moved),
        case("leads of thousandths", 2, 5, scale=1e-3),
    ]


def _case(label: str, before: Tensor, other: Tensor, patched: Tensor) -> Case:
    return Case(label, {"before": before, "other": other, "patched": patched})


CHECK = Check(
    name="inside.share_carried",
    lesson="12_inside",
    title="How much a patch carries",
    answer="share_carried",
    returns=("shares",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=15,
)
