import math

import numpy as np
import torch


def _score(rows):
    matched, written, wanted = (sum(column) for column in zip(*rows, strict=True))
    return matched / written * (math.exp(1 - wanted / written) if written < wanted else 1.0)


def set_by_set(a, b, draws):
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


def in_numpy(a, b, draws):
    def score(rows):
        matched, written, wanted = np.moveaxis(rows.sum(axis=-2).astype(float), -1, 0)
        return matched * np.exp(np.minimum(0, 1 - wanted / written)) / written

    of_a, of_b = (score(rows.numpy()[draws.numpy()]) for rows in (a, b))
    signs = np.sign(of_b - of_a)
    leading = [sign for sign in (1, -1) if (signs == sign).mean() >= 0.95]
    return score(b.numpy()) - score(a.numpy()), (signs == 1).mean(), sum(leading)


def how_often_each_sentence_is_drawn(a, b, draws):
    """A drawn set as a vector of counts: sums are products of matrices."""
    times = torch.zeros(len(draws) + 1, len(a), dtype=torch.float64)
    times[0] = 1  # the test set itself
    times[1:].scatter_add_(1, draws, torch.ones(draws.shape, dtype=torch.float64))

    def scores(rows):
        matched, written, wanted = (times @ rows.double()).T
        short = written < wanted
        return torch.where(short, torch.exp(1 - wanted / written), 1.0) * matched / written

    ahead = scores(b) - scores(a)
    shares = torch.stack([(ahead[1:] > 0), (ahead[1:] < 0)]).float().mean(1)
    return ahead[0], shares[0], ((shares > 0.95).int() * torch.tensor([1, -1])).sum()


STYLES = {"translation.paired": (set_by_set, in_numpy, how_often_each_sentence_is_drawn)}
