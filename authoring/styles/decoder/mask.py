import numpy as np
import torch


def pair_by_pair(tokens, padding_id):
    return [
        [[[k <= q and int(row[k]) != padding_id for k in range(len(row))] for q in range(len(row))]]
        for row in tokens
    ]


def with_numpy(tokens, padding_id):
    ids = tokens.numpy()
    future = np.triu(np.ones((ids.shape[1], ids.shape[1]), dtype=bool), k=1)
    return ~np.logical_or(future, np.equal(ids, padding_id)[:, np.newaxis, np.newaxis])


class RowByRow:
    """A query sees what the one before it saw, and itself."""

    def __call__(self, tokens, padding_id, heads=1):
        rows = [torch.zeros_like(tokens, dtype=torch.bool)]
        for place in range(tokens.shape[1]):
            row = rows[-1].clone()
            row[:, place] = tokens[:, place] != padding_id
            rows.append(row)
        return torch.stack(rows[1:], dim=1)[:, None].expand(-1, heads, -1, -1)


STYLES = {"decoder.mask": (pair_by_pair, with_numpy, RowByRow())}
