"""tokens.nearest: the words whose vectors point most nearly the same way."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _lengths(vectors: Tensor) -> Tensor:
    return vectors.square().sum(-1).sqrt()


def _cosines(vectors: Tensor, index: int) -> Tensor:
    lengths = _lengths(vectors)
    units = vectors / torch.where(lengths > 0, lengths, 1.0)[:, None]
    return units @ units[index]


def _ranked(closeness: Tensor, index: int, count: int) -> Result:
    order = [i for i in closeness.argsort(descending=True).tolist() if i != index][:count]
    return torch.tensor(order), closeness[order]


def _reference(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(_cosines(vectors, index), index, count)


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, draw: Draw, words: int, width: int, index: int, count: int) -> Case:
        # Drawn again where two words are so close to equal that rounding decides.
        while True:
            vectors = draw(generator, words, width)
            cosines = _cosines(vectors.double(), index).sort().values
            if _lengths(vectors).min() > 0.3 and cosines.diff().min() > 1e-3:
                return Case(label, {"vectors": vectors, "index": index, "count": count})

    tilted = torch.tensor([[4.0, 1.0], [1.0, 0.0], [9.0, 6.0], [0.5, -0.1], [-5.0, -1.0]])
    zeros = case("", normal, 7, 4, 2, 6).inputs["vectors"]
    assert isinstance(zeros, Tensor)
    zeros[4] = 0.0
    shifted = case("", normal, 6, 3, 1, 3).inputs["vectors"]
    assert isinstance(shifted, Tensor)
    return [
        case("4 words, 2 numbers each", tidy, 4, 2, 1, 2),
        Case(
            "a long vector at a small angle, a short one at a smaller",
            {
                "vectors": tilted * (1 + torch.rand(1, generator=generator)),
                "index": 1,
                "count": 3,
            },
        ),
        case("5 words, all others asked for", tidy, 5, 3, 0, 4),
        Case("one word has the zero vector", {"vectors": zeros, "index": 2, "count": 6}),
        Case("all vectors far from zero", {"vectors": shifted * 0.3 + 2.0, "index": 1, "count": 3}),
        case("12 words, 8 numbers each", normal, 12, 8, 7, 5),
    ]


def _dot_products(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(vectors @ vectors[index], index, count)


def _one_side(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(_cosines(vectors, index) * _lengths(vectors[index]), index, count)


def _query_side(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(vectors @ vectors[index] / _lengths(vectors[index]), index, count)


def _root_forgotten(vectors: Tensor, index: int, count: int) -> Result:
    squares = vectors.square().sum(-1)
    units = vectors / torch.where(squares > 0, squares, 1.0)[:, None]
    return _ranked(units @ units[index], index, count)


def _distances(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(-_lengths(vectors - vectors[index]), index, count)


def _with_itself(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(_cosines(vectors, index), -1, count)


def _shifted(vectors: Tensor, index: int, count: int) -> Result:
    chosen, closeness = _reference(vectors, index, count)
    return torch.where(chosen > index, chosen - 1, chosen), closeness


def _itself_at_zero(vectors: Tensor, index: int, count: int) -> Result:
    cosines = _cosines(vectors, index)
    cosines[index] = 0.0
    return _ranked(cosines, -1, count)


def _farthest(vectors: Tensor, index: int, count: int) -> Result:
    chosen, closeness = _ranked(-_cosines(vectors, index), index, count)
    return chosen, -closeness


def _angle_ignored(vectors: Tensor, index: int, count: int) -> Result:
    return _ranked(_cosines(vectors, index).abs(), index, count)


def _not_a_number(vectors: Tensor, index: int, count: int) -> Result:
    units = vectors / _lengths(vectors)[:, None]
    return _ranked(units @ units[index], index, count)


def _wrong_axis(vectors: Tensor, index: int, count: int) -> Result:
    lengths = vectors.square().sum(0).sqrt()
    units = vectors / torch.where(lengths > 0, lengths, 1.0)
    return _ranked(units @ units[index], index, count)


def _correlations(vectors: Tensor, index: int, count: int) -> Result:
    return _reference(vectors - vectors.mean(-1, keepdim=True), index, count)


NEAREST = Check(
    name="tokens.nearest",
    lesson="01_tokens_and_embeddings",
    title="The nearest words",
    answer="nearest",
    returns=("indices", "cosines"),
    points=2,
    difficulty=2,
    importance=3,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "dot products",
            _dot_products,
            "these are dot products: a long vector counts as near, whatever its direction",
            "A cosine does not change when a vector is multiplied by 2.",
        ),
        Misconception(
            "only the others normalised",
            _one_side,
            "the word's own vector is not normalised: the cosines are too large or too small "
            "by its length",
            "Both vectors of a cosine are divided by their lengths.",
        ),
        Misconception(
            "only the word itself normalised",
            _query_side,
            "the other vectors are not normalised: long ones come first",
            "Both vectors of a cosine are divided by their lengths.",
        ),
        Misconception(
            "divided by the squared length",
            _root_forgotten,
            "vectors are divided by the square of their length",
            "The length is the root of the sum of squares.",
        ),
        Misconception(
            "distances",
            _distances,
            "nearness is measured by distance, not by angle",
            "Two vectors of one direction have the cosine 1, however far apart they end.",
        ),
        Misconception(
            "the word itself",
            _with_itself,
            "the word itself comes first: it is nearest to itself",
            "Leave out index before you rank.",
        ),
        Misconception(
            "indices shifted",
            _shifted,
            "the indices count the words without the word itself: those behind it are one too "
            "small",
            "Leave the word in its place, and give it a cosine that never wins.",
        ),
        Misconception(
            "the word itself at 0",
            _itself_at_zero,
            "the word's own cosine is set to 0, which is more than a negative one",
            "A cosine may be as small as -1. Which number is below all of them?",
        ),
        Misconception(
            "results swapped",
            lambda *a: _reference(*a)[::-1],
            "cosines and indices come back in the wrong order",
            "Return the indices first. `topk` gives the values first.",
        ),
        Misconception(
            "the farthest",
            _farthest,
            "the words come from the smallest cosine up",
            "The nearest has the largest cosine.",
        ),
        Misconception(
            "sign ignored",
            _angle_ignored,
            "a vector that points the opposite way counts as near",
            "A cosine of -1 is as far as it gets.",
        ),
        Misconception(
            "zero divided by zero",
            _not_a_number,
            "a word with the zero vector gets NaN",
            "It has no direction: its cosine is 0 here. Divide by something that is never 0.",
        ),
        Misconception(
            "lengths over the wrong axis",
            _wrong_axis,
            "the lengths are taken over the words, not over the numbers of a word",
            "One length for each row: dim=-1, keepdim=True.",
        ),
        Misconception(
            "mean subtracted",
            _correlations,
            "the mean of each vector is subtracted first: that is a correlation",
            "A cosine takes the vectors as they are.",
        ),
    ),
    hints=(
        "Divide every row by its length; a product of the matrix with one row gives all cosines.",
        "A zero vector divided by its length is 0/0. `lengths.clamp(min=1e-9)` leaves it zero.",
        "Set the cosine of index itself to -2, then `topk(count)` gives values and indices.",
    ),
)
