"""tokens.nearest: the words whose vectors point most nearly the same way."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, redrawn


def _apart(vectors: Tensor, index: int) -> bool:
    """Whether no two cosines are so close that rounding decides, nor as good as the same.

    Lengths near 1 keep all that is taken for a cosine above -2, which a learner may use for the
    word itself: its mistake then has the same numbers as with -inf.
    """
    lengths = vectors.norm(dim=-1)
    units = F.normalize(vectors.double(), dim=-1)
    cosines = (units @ units[index]).sort().values
    return bool(lengths.min() > 0.72 and lengths.max() < 1.4 and cosines.diff().min() > 1e-3)


def _draw(generator: Generator) -> list[Case]:
    def rows(words: int, width: int, index: int, decimals: int = 4) -> Tensor:
        def attempt() -> Tensor | None:
            directions = F.normalize(normal(generator, words, width), dim=-1)
            lengths = 0.8 + 0.5 * torch.rand(words, 1, generator=generator)
            vectors = (lengths * directions).round(decimals=decimals)
            return vectors if _apart(vectors, index) else None

        return redrawn(attempt)

    def case(label: str, vectors: Tensor, index: int, count: int) -> Case:
        return Case(label, {"vectors": vectors, "index": index, "count": count})

    tilted = torch.tensor([[4.0, 1.0], [1.0, 0.0], [9.0, 6.0], [0.5, -0.1], [-0.9, -0.2]])
    zeros = rows(7, 4, 2)
    zeros[4] = 0.0
    on_a_line = torch.tensor([[1.2, 1.6], [-0.9, -1.2], [0.6, 0.8], [0.8, -0.6]])
    opposite = torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [-3.0, 0.0]])
    return [
        case("4 words, 2 numbers each", rows(4, 2, 1, decimals=1), 1, 2),
        case(
            "a long vector at a small angle, a short one at a smaller",
            tilted * (1 + 0.4 * torch.rand(1, generator=generator)),
            1,
            3,
        ),
        case("5 words, all others asked for", rows(5, 3, 0, decimals=1), 0, 4),
        case("one word has the zero vector", zeros, 2, 6),
        case("all vectors far from zero", rows(6, 3, 1) + 2.0, 1, 3),
        case("12 words, 8 numbers each", rows(12, 8, 7), 7, 5),
        case("a word of the same direction, one of the opposite", on_a_line, 2, 3),
        case("the last word points the opposite way, all others asked for", opposite, 1, 3),
        case("the nearest word alone", rows(5, 3, 2), 2, 1),
        case("24 words, 19 numbers each", rows(24, 19, 20), 20, 18),
        case("vectors of thousandths", rows(6, 3, 1) / 1024, 1, 5),
        case("two words", rows(2, 3, 1), 1, 1),
    ]


CHECK = Check(
    name="tokens.nearest",
    lesson="01_tokens_and_embeddings",
    title="The nearest words",
    answer="nearest",
    returns=("indices", "cosines"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=3,
    minutes=8,
    rtol=1e-5,
)
