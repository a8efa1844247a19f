import numpy as np
import torch


def of_two_triangles(queries, keys, window):
    """A causal triangle without the one that is too far back."""
    ones = torch.ones(queries, keys, dtype=torch.bool)
    last = keys - queries
    return ones.tril(last) ^ ones.tril(last - window)


def pair_by_pair(queries, keys, window):
    return [
        [max(0, end - window) <= key < end for key in range(keys)]
        for end in range(keys - queries + 1, keys + 1)
    ]


class RowByRow:
    """A callable that opens a piece of each row, in numpy."""

    def __call__(self, queries, keys, window):
        self.mask = np.zeros((keys, keys), dtype=bool)
        for place in range(keys):
            self.mask[place, max(place - window + 1, 0) : place + 1] = True
        return self.mask[-queries:]


STYLES = {"modern.window": (of_two_triangles, pair_by_pair, RowByRow())}
