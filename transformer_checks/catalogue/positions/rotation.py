"""positions.rotation: the matrix that moves every position by k."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Block = Callable[[float, float], list[list[float]]]


def _blocks(k: float, d_model: int, exponent: Callable[[int], float], block: Block) -> Tensor:
    """A block for each pair, along the diagonal; ``exponent`` is of its first column."""
    matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
    for column in range(0, d_model, 2):
        angle = k * 10_000 ** -exponent(column)
        turned = torch.tensor(block(math.sin(angle), math.cos(angle)), dtype=torch.float64)
        matrix[column : column + 2, column : column + 2] = turned
    return matrix


def _forth(sine: float, cosine: float) -> list[list[float]]:
    return [[cosine, sine], [-sine, cosine]]


def _reference(k: int, d_model: int) -> Tensor:
    return _blocks(k, d_model, lambda column: column / d_model, _forth)


def _with(block: Block) -> Callable[[int, int], Tensor]:
    return lambda k, d: _blocks(k, d, lambda column: column / d, block)


def _draw(generator: Generator) -> list[Case]:
    k = int(torch.randint(5, 50, (), generator=generator))
    # Not much farther than 100: the float32 angles of right answers would be too coarse.
    sizes = [(1, 4), (3, 6), (-2, 4), (0, 4), (7, 2), (k, 16), (100, 64)]
    return [Case(f"k = {k}, d_model {d}", {"k": k, "d_model": d}) for k, d in sizes]


def _halves(k: int, d_model: int) -> Tensor:
    order = torch.cat((torch.arange(0, d_model, 2), torch.arange(1, d_model, 2)))
    return _reference(k, d_model)[order][:, order]


def _row_of_the_table(k: int, d_model: int) -> Tensor:
    angles = [k * 10_000 ** -(column // 2 * 2 / d_model) for column in range(d_model)]
    row = [math.cos(a) if column % 2 else math.sin(a) for column, a in enumerate(angles)]
    return torch.diag(torch.tensor(row, dtype=torch.float64))


ROTATION = Check(
    name="positions.rotation",
    lesson="04_positional_encoding",
    title="The rotation by k",
    answer="rotation",
    returns=("matrix",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "turns back",
            _with(lambda sine, cosine: [[cosine, -sine], [sine, cosine]]),
            "the matrix turns the other way: it takes position p to p - k",
            "Try it on position 0, whose pairs are (0, 1). For k = 1 the sine must grow.",
        ),
        Misconception(
            "no minus",
            _with(lambda sine, cosine: [[cosine, sine], [sine, cosine]]),
            "both sines are positive: this is no rotation, it changes lengths",
            "cos(a + b) = cos a cos b - sin a sin b. Where does the minus go?",
        ),
        Misconception(
            "sine and cosine swapped",
            _with(lambda sine, cosine: [[sine, cosine], [cosine, -sine]]),
            "sine and cosine have changed places: k = 0 does not give the identity",
            "A shift by 0 leaves every row as it is.",
        ),
        Misconception(
            "one angle for all pairs",
            lambda k, d: _blocks(k, d, lambda column: 0.0, _forth),
            "every pair is turned by the angle k",
            "Each pair has a frequency of its own, and turns by k times that.",
        ),
        Misconception(
            "exponent doubled",
            lambda k, d: _blocks(k, d, lambda column: 2 * column / d, _forth),
            "the exponent is doubled: the slow pairs hardly turn",
            "If your i counts 0, 2, 4, …, it is already the 2i of the formula.",
        ),
        Misconception(
            "exponent halved",
            lambda k, d: _blocks(k, d, lambda column: column / 2 / d, _forth),
            "the exponent is i / d_model instead of 2i / d_model",
            "With d_model 4 the second pair has the frequency 10000 ** (-2 / 4).",
        ),
        Misconception(
            "pairs in halves",
            _halves,
            "column i is paired with column i + d_model / 2",
            "In this table sine and cosine of a pair stand side by side: columns 2i and 2i + 1.",
        ),
        Misconception(
            "degrees",
            lambda k, d: _blocks(k * math.pi / 180, d, lambda column: column / d, _forth),
            "the angles are taken as degrees",
            "The table takes the sine of position times frequency as it is, in radians.",
        ),
        Misconception(
            "always one step",
            lambda k, d: _reference(1, d),
            "the matrix moves by one position, whatever k is",
            "The angle of a pair is k times its frequency.",
        ),
        Misconception(
            "never back",
            lambda k, d: _reference(abs(k), d),
            "a negative k moves forward",
            "The sine of a negative angle is negative. Nothing needs an absolute value.",
        ),
        Misconception(
            "the identity",
            lambda k, d: torch.eye(d, dtype=torch.float64),
            "the matrix changes nothing",
            "Write the four numbers for one pair first.",
        ),
        Misconception(
            "row k on the diagonal",
            _row_of_the_table,
            "the matrix multiplies by the row of position k",
            "Each new number is made of both numbers of its pair: the blocks are 2 by 2.",
        ),
    ),
    hints=(
        "Start with d_model 2. Which four numbers take (sin a, cos a) to (sin(a+b), cos(a+b))?",
        "sin(a+b) = cos b · sin a + sin b · cos a, and cos(a+b) = -sin b · sin a + cos b · cos a.",
        "Each pair puts its block [[cos b, sin b], [-sin b, cos b]] on the diagonal, with "
        "b = k * 10000 ** (-2i / d_model).",
    ),
)
