"""positions.sinusoidal: the table of sines and cosines."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(max_tokens: int, d_model: int, base: float) -> Tensor:
    def number(position: int, column: int) -> float:
        angle = position / base ** (column // 2 * 2 / d_model)
        return math.cos(angle) if column % 2 else math.sin(angle)

    rows = [[number(p, column) for column in range(d_model)] for p in range(max_tokens)]
    return torch.tensor(rows, dtype=torch.float64)


def _draw(generator: Generator) -> list[Case]:
    positions = int(torch.randint(30, 60, (), generator=generator))
    pairs = int(torch.randint(4, 12, (), generator=generator))
    sizes = [
        (3, 4, 10_000.0),
        (4, 6, 10_000.0),
        (3, 4, 100.0),
        (4, 5, 10_000.0),
        (positions, 2 * pairs, 10_000.0),
        (2, 1, 10_000.0),
        (20, 33, 500.0),
    ]
    return [
        Case(f"{p} positions, d_model {d}, base {base:g}", dict(max_tokens=p, d_model=d, base=base))
        for p, d, base in sizes
    ]


def _table(sine: Tensor, cosine: Tensor | None = None) -> Tensor:
    """Lay out the sines and cosines of angles ``(positions, pairs)`` as the exercise asks."""
    cosine = sine if cosine is None else cosine
    return torch.stack((sine.sin(), cosine.cos()), -1).flatten(1)


def _angles(max_tokens: int, exponents: Tensor, base: float) -> Tensor:
    return torch.arange(max_tokens)[:, None] * base**-exponents


def _columns(d_model: int) -> Tensor:
    """The first column of each pair, as ``2i`` in the formula."""
    return torch.arange(0, d_model, 2, dtype=torch.float64)


def _with(exponents: Callable[[int], Tensor]) -> Callable[[int, int, float], Tensor]:
    """A table whose pairs have other exponents."""
    return lambda p, d, base: _table(_angles(p, exponents(d), base))[:, :d]


def _cosine_on_its_own(max_tokens: int, d_model: int, base: float) -> Tensor:
    sine = _angles(max_tokens, _columns(d_model) / d_model, base)
    cosine = _angles(max_tokens, (_columns(d_model) + 1) / d_model, base)
    return _table(sine, cosine)[:, :d_model]


def _copied(max_tokens: int, d_model: int, base: float) -> Tensor:
    sine = _angles(max_tokens, 2 * _columns(d_model) / d_model, base)
    cosine = _angles(max_tokens, 2 * (_columns(d_model) + 1) / d_model, base)
    return _table(sine, cosine)[:, :d_model]


def _ends_at_the_base(max_tokens: int, d_model: int, base: float) -> Tensor:
    pairs = (d_model + 1) // 2
    exponents = torch.linspace(0, 1, pairs, dtype=torch.float64)
    return _table(_angles(max_tokens, exponents, base))[:, :d_model]


def _halves(max_tokens: int, d_model: int, base: float) -> Tensor:
    table = _reference(max_tokens, d_model, base)
    return torch.cat((table[:, 0::2], table[:, 1::2]), dim=1)


def _swapped(max_tokens: int, d_model: int, base: float) -> Tensor:
    angles = _angles(max_tokens, _columns(d_model) / d_model, base)
    return torch.stack((angles.cos(), angles.sin()), -1).flatten(1)[:, :d_model]


def _from_one(max_tokens: int, d_model: int, base: float) -> Tensor:
    return _reference(max_tokens + 1, d_model, base)[1:]


def _even_only(max_tokens: int, d_model: int, base: float) -> Tensor:
    if d_model % 2:
        raise ValueError("the cosines do not fit")
    return _reference(max_tokens, d_model, base)


def _one_wider(max_tokens: int, d_model: int, base: float) -> Tensor:
    return _table(_angles(max_tokens, _columns(d_model) / d_model, base))


def _growing(max_tokens: int, d_model: int, base: float) -> Tensor:
    return _table(_angles(max_tokens, -_columns(d_model) / d_model, base))[:, :d_model]


SINUSOIDAL = Check(
    name="positions.sinusoidal",
    lesson="04_positional_encoding",
    title="The sinusoidal table",
    answer="sinusoidal_table",
    returns=("table",),
    points=2,
    difficulty=2,
    importance=5,
    minutes=12,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "exponent doubled",
            _with(lambda d: 2 * _columns(d) / d),
            "the exponent is doubled: the second pair is far too slow",
            "If your i counts 0, 2, 4, …, it is already the 2i of the formula.",
        ),
        Misconception(
            "exponent doubled, and the cosine on its own angle",
            _copied,
            "the exponent is doubled, and a cosine has another angle than its sine",
            "Both columns of a pair share one angle, and 0, 2, 4, … is already 2i.",
        ),
        Misconception(
            "exponent halved",
            _with(lambda d: _columns(d) / 2 / d),
            "the exponent is i / d_model instead of 2i / d_model: the slow pairs are too fast",
            "With d_model 4 the second pair has the frequency base ** (-2 / 4).",
        ),
        Misconception(
            "last pair at 1/base",
            _ends_at_the_base,
            "the exponents run up to 1: the last pair has the frequency 1/base",
            "2i / d_model never reaches 1. With d_model 4 the exponents are 0 and 2/4.",
        ),
        Misconception(
            "cosine on its own angle",
            _cosine_on_its_own,
            "a cosine has another angle than its sine: sin² + cos² is not 1",
            "Columns 2i and 2i + 1 are one pair. They share one angle.",
        ),
        Misconception(
            "sines first, cosines after them",
            _halves,
            "all sines come first, then all cosines: the same numbers in another order",
            "A model would learn from it as well. Here sine and cosine of a pair stand side by "
            "side.",
        ),
        Misconception(
            "sine and cosine swapped",
            _swapped,
            "sine and cosine are swapped",
            "The row of position 0 begins with sin 0 = 0.",
        ),
        Misconception(
            "base fixed",
            lambda p, d, base: _reference(p, d, 10_000.0),
            "the base is always 10000",
            "The base is an argument: use it.",
        ),
        Misconception(
            "positions from 1",
            _from_one,
            "the first row belongs to position 1",
            "Position 0 has the row 0, 1, 0, 1, …",
        ),
        Misconception(
            "even widths only",
            _even_only,
            "an odd d_model fails: there is one cosine fewer than there are sines",
            "The last column of an odd width is a sine without its cosine. Cut the cosines.",
        ),
        Misconception(
            "one column too many",
            _one_wider,
            "an odd d_model gives one column too many",
            "The last column of an odd width is a sine without its cosine.",
        ),
        Misconception(
            "frequencies that grow",
            _growing,
            "the sign of the exponent is missing: later pairs turn faster, not slower",
            "The first pair has the frequency 1, and each pair is slower than the one before.",
        ),
        Misconception(
            "one frequency for all",
            lambda p, d, base: _table(
                torch.arange(p)[:, None] * torch.ones((d + 1) // 2, dtype=torch.float64)
            )[:, :d],
            "every pair turns at the same speed",
            "The frequency depends on the pair: base ** (-2i / d_model).",
        ),
        Misconception(
            "the other way round",
            lambda p, d, base: _reference(p, d, base).T.contiguous(),
            "the table is transposed",
            "One row for each position, one column for each number in it.",
        ),
    ),
    hints=(
        "First the angles: a column of positions times a row of frequencies.",
        "The exponents are `torch.arange(0, d_model, 2) / d_model`. An odd width has one more sine "
        "than cosines.",
        "Fill an empty table: `table[:, 0::2] = angles.sin()`, and the odd columns with the first "
        "`d_model // 2` cosines.",
    ),
)
