"""tokens.nearest: the words whose vectors point most nearly the same way."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue.draws import normal
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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
        while True:
            directions = F.normalize(normal(generator, words, width), dim=-1)
            lengths = 0.8 + 0.5 * torch.rand(words, 1, generator=generator)
            vectors = (lengths * directions).round(decimals=decimals)
            if _apart(vectors, index):
                return vectors

    def case(label: str, vectors: Tensor, index: int, count: int) -> Case:
        return Case(label, {"vectors": vectors, "index": index, "count": count})

    tilted = torch.tensor([[4.0, 1.0], [1.0, 0.0], [9.0, 6.0], [0.5, -0.1], [-0.9, -0.2]])
    zeros = rows(7, 4, 2)
    zeros[4] = 0.0
    on_a_line = torch.tensor([[1.2, 1.6], [-0.9, -1.2], [0.6, 0.8], [0.8, -0.6]])
    opposite = torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [-3.0, 0.0]])
    return [
        case("4 words, 2 numbers each", rows(4, 2, 1, decimals=1), 1, 2),
        case("a long vector at a small angle, a short one at a smaller",
             tilted * (1 + 0.4 * torch.rand(1, generator=generator)), 1, 3),
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


_PRODUCTS = "units @ units[index]"

CHECK = Check(
    name="tokens.nearest", lesson="01_tokens_and_embeddings", title="The nearest words",
    answer="nearest", returns=("indices", "cosines"), draw=_draw,
    points=2, difficulty=2, importance=3, minutes=8, rtol=1e-5,
    slips=(
        Slip("dot products", {_PRODUCTS: "vectors @ vectors[index]"},
             "these are dot products: a long vector counts as near, whatever its direction",
             "A cosine does not change when a vector is multiplied by 2."),
        Slip("only the others normalised", {_PRODUCTS: "units @ vectors[index]"},
             "the word's own vector is not normalised: the cosines are too large or too small "
             "by its length",
             "Both vectors of a cosine are divided by their lengths."),
        Slip("only the word itself normalised", {_PRODUCTS: "vectors @ units[index]"},
             "the other vectors are not normalised: long ones come first",
             "Both vectors of a cosine are divided by their lengths."),
        Slip("divided by the squared length", {"/ lengths": "/ lengths**2"},
             "vectors are divided by the square of their length",
             "The length is the root of the sum of squares."),
        Slip("distances",
             {_PRODUCTS: "-(vectors - vectors[index]).norm(dim=-1)", "-2.0": "-torch.inf"},
             "nearness is measured by distance, not by angle",
             "Two vectors that point the same way have the cosine 1, however far apart they end."),
        Slip("the word itself", {"    cosines[index] = -2.0\n": ""},
             "the word itself comes first: it is nearest to itself",
             "Leave out the word at index before you rank."),
        Slip("the word itself at 0", {"-2.0": "0.0"},
             "the word's own cosine is set to 0, which is more than a negative one",
             "A cosine may be as small as -1. Which number is below all of them?"),
        Slip("sorted upwards", {"topk(count)": "topk(count, largest=False)"},
             "the words come from the smallest cosine up, the word itself before all others",
             "The nearest has the largest cosine."),
        Slip("magnitudes summed", {"vectors.norm(": "vectors.norm(p=1, "},
             "the length is taken to be the sum of the magnitudes",
             "The length is the root of the sum of squares."),
        Slip("one length for all", {"/ lengths": "/ lengths.max()"},
             "all vectors are divided by one length, that of the longest",
             "Each vector has a length of its own."),
        Slip("the length of the whole table", {"norm(dim=-1, keepdim=True)": "norm()"},
             "all vectors are divided by one length, that of the whole table",
             "Each vector has a length of its own: dim=-1, keepdim=True."),
        Slip("multiplied by the lengths", {"/ lengths": "* lengths"},
             "the vectors are multiplied by their lengths",
             "A unit vector is a vector divided by its length."),
        Slip("the word itself at 2", {"-2.0": "2.0"},
             "the word's own cosine is set to 2, so that it always comes first",
             "A cosine may be as small as -1. Which number is below all of them?"),
        Slip("lengths over the wrong axis", {"dim=-1": "dim=0"},
             "the lengths are taken over the words, not over the numbers of a word",
             "One length for each row: dim=-1, keepdim=True."),
    ),
)
