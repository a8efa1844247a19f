"""bert.mask, in other styles."""

import numpy as np
import torch
from torch import Tensor


def by_positions(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    places = torch.arange(tokens.shape[1])
    order = places[:, None] >= places if causal else places[:, None] >= -1 - 0 * places
    return torch.logical_and(tokens.ne(padding_id)[:, None, None], order)


def pair_by_pair(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    length = tokens.shape[1]
    rows = [
        [
            [
                [token != padding_id and (key <= query or not causal) for key, token in pairs]
                for query in range(length)
            ]
        ]
        for pairs in (list(enumerate(row)) for row in tokens.tolist())
    ]
    return torch.tensor(rows)


def by_filling(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    batch, length = tokens.shape
    mask = torch.ones(batch, 1, length, length, dtype=torch.bool)
    if causal:
        mask = torch.tril(mask)
    return mask.masked_fill((tokens == padding_id)[:, None, None, :], False)


def by_numpy(tokens: Tensor, padding_id: int, causal: bool):  # type: ignore[no-untyped-def]
    real = tokens.numpy() != padding_id
    square = np.ones((real.shape[1], real.shape[1]), dtype=bool)
    order = np.tril(square) if causal else square
    return (real[:, None, :] & order)[:, None]


class AdditiveThenTested:
    """A callable that adds scores of minus infinity, and asks at the end which are finite."""

    def __call__(self, tokens: Tensor, padding_id: int = 0, causal: bool = False) -> Tensor:
        length = tokens.shape[1]
        scores = torch.zeros(len(tokens), 1, length, length)
        scores += torch.where(tokens == padding_id, -torch.inf, 0.0)[:, None, None]
        if causal:
            scores += torch.full((length, length), -torch.inf).triu(1)
        return scores.isfinite()


STYLES = {
    "bert.mask": (by_positions, pair_by_pair, by_filling, by_numpy, AdditiveThenTested()),
}
