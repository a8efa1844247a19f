"""modern.open: a small unknown language, and a block that learns it at the same work."""

from collections.abc import Mapping

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Rubric

WORDS, TEXTS, CONTEXTS = 16, (1000, 17), (400, 48)
DISTANCES = (2, 3, 4)
MOST_PRODUCTS = 500_000_000
LEAST_PRODUCTS = 50_000_000  # counts of pairs take 12 million as products of matrices, or none


def _draw(generator: Generator) -> list[Case]:
    follows = torch.randperm(WORDS, generator=generator)
    distance = DISTANCES[int(torch.randint(len(DISTANCES), (), generator=generator))]

    def drawn(count: int, length: int) -> Tensor:
        words = torch.randint(WORDS, (count, length), generator=generator)
        for place in range(distance, length):
            follow = torch.rand(count, generator=generator) < 0.7
            after = follows[words[:, place - distance]]
            words[:, place] = torch.where(follow, after, words[:, place])
        return words

    seed = int(torch.randint(2**31, (), generator=generator))
    return [
        Case(
            "1000 texts of an unknown language, 400 longer ones to go on with",
            {"texts": drawn(*TEXTS), "contexts": drawn(*CONTEXTS), "seed": seed},
            most_products=MOST_PRODUCTS,
            least_products=LEAST_PRODUCTS,
        )
    ]


def _truth(texts: Tensor, contexts: Tensor, seed: int) -> Tensor:
    """What most often follows in the texts, at the distance at which most can be said of it."""
    pairs = {
        distance: WORDS * texts[:, :-distance].flatten() + texts[:, distance:].flatten()
        for distance in DISTANCES
    }
    counts = {
        distance: ids.bincount(minlength=WORDS**2).view(WORDS, WORDS)
        for distance, ids in pairs.items()
    }
    best = max(DISTANCES, key=lambda distance: int(counts[distance].amax(-1).sum()))
    return counts[best].argmax(-1)[contexts[:, -best]]


def _measure(got: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> float:
    """Percent of the contexts whose next word is right; 0 for what is no row of ids."""
    ours, theirs = got["words"], expected["words"]
    if ours.shape != theirs.shape or ours.is_floating_point():
        return 0.0
    return 100 * (ours == theirs).double().mean().item()


CHECK = Check(
    name="modern.open",
    lesson="11_since_2017",
    title="Open: a better block at the same work",
    answer="predict",
    returns=("words",),
    draw=_draw,
    rubric=Rubric("percent right", _measure, ((30.0, 1), (50.0, 2), (75.0, 3)), truth=_truth),
    points=3,
    difficulty=5,
    importance=4,
    minutes=60,
    forbidden=frozenset({"uncounted", "NumPy"}),
)
