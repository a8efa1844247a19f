"""translation.paired, in other styles."""

import math
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor


def _score(rows: list[list[int]]) -> float:
    matched, written, wanted = (sum(column) for column in zip(*rows, strict=True))
    return matched / written * (math.exp(1 - wanted / written) if written < wanted else 1.0)


def set_by_set(a: Tensor, b: Tensor, draws: Tensor) -> tuple[float, float, int]:
    rows_a, rows_b, won, lost = a.tolist(), b.tolist(), 0, 0
    for chosen in draws.tolist():
        of_a, of_b = (_score([rows[i] for i in chosen]) for rows in (rows_a, rows_b))
        won += of_b > of_a
        lost += of_a > of_b
    better = 0
    if won / len(draws) > 0.95:
        better = 1
    elif lost / len(draws) > 0.95:
        better = -1
    return _score(rows_b) - _score(rows_a), won / len(draws), better


def in_numpy(a: Tensor, b: Tensor, draws: Tensor) -> tuple[np.floating, np.floating, int]:
    def score(rows: np.ndarray) -> np.ndarray:
        matched, written, wanted = np.moveaxis(rows.sum(axis=-2).astype(float), -1, 0)
        return matched * np.exp(np.minimum(0, 1 - wanted / written)) / written

    of_a, of_b = (score(rows.numpy()[draws.numpy()]) for rows in (a, b))
    signs = np.sign(of_b - of_a)
    leading = [sign for sign in (1, -1) if (signs == sign).mean() >= 0.95]
    return score(b.numpy()) - score(a.numpy()), (signs == 1).mean(), sum(leading)


def how_often_each_sentence_is_drawn(
    a: Tensor, b: Tensor, draws: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A drawn set as a vector of counts: sums are products of matrices."""
    times = torch.zeros(len(draws) + 1, len(a), dtype=torch.float64)
    times[0] = 1  # the test set itself
    times[1:].scatter_add_(1, draws, torch.ones(draws.shape, dtype=torch.float64))

    def scores(rows: Tensor) -> Tensor:
        matched, written, wanted = (times @ rows.double()).T
        short = written < wanted
        return torch.where(short, torch.exp(1 - wanted / written), 1.0) * matched / written

    ahead = scores(b) - scores(a)
    shares = torch.stack([(ahead[1:] > 0), (ahead[1:] < 0)]).float().mean(1)
    return ahead[0], shares[0], ((shares > 0.95).int() * torch.tensor([1, -1])).sum()


def by_logarithms(a: Tensor, b: Tensor, draws: Tensor) -> tuple[float, float, int]:
    def logarithm(rows: Tensor) -> float:
        matched, written, wanted = rows.sum(0).tolist()
        if matched == 0:
            return -math.inf
        return math.log(matched) - math.log(written) + min(0.0, 1 - wanted / written)

    signs = []
    for chosen in draws:
        ours, theirs = logarithm(b[chosen]), logarithm(a[chosen])
        signs.append((ours > theirs) - (ours < theirs))
    wins = signs.count(1) / len(signs)
    better = (wins >= 0.95) - (signs.count(-1) / len(signs) >= 0.95)
    return math.exp(logarithm(b)) - math.exp(logarithm(a)), wins, better


def with_sorted_signs(a: Tensor, b: Tensor, draws: Tensor) -> tuple[float, float, int]:
    """The sign that all but a twentieth of the sets share, read off the sorted signs."""
    pairs = [(_score(b[chosen].tolist()), _score(a[chosen].tolist())) for chosen in draws.tolist()]
    signs = sorted((ours > theirs) - (ours < theirs) for ours, theirs in pairs)
    few = len(signs) // 20
    lower, upper = signs[few], signs[-1 - few]
    better = lower if lower == 1 else upper if upper == -1 else 0
    difference = _score(b.tolist()) - _score(a.tolist())
    return difference, float(Fraction(signs.count(1), len(signs))), better


STYLES = {
    "translation.paired": (
        set_by_set,
        in_numpy,
        how_often_each_sentence_is_drawn,
        by_logarithms,
        with_sorted_signs,
    )
}
