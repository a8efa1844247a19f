"""attention.causal_mask and attention.padding_mask, in other styles."""

from functools import partial

import numpy as np
import torch
from torch import Tensor


def lower_triangle(queries: int, keys: int) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool).tril(diagonal=keys - queries)


def nothing_above_the_diagonal(queries: int, keys: int) -> Tensor:
    return ~torch.ones(queries, keys).triu(keys - queries + 1).bool()


def nested_lists(queries: int, keys: int) -> list[list[bool]]:
    return [[k - q <= keys - queries for k in range(keys)] for q in range(queries)]


def numpys_triangle(queries: int, keys: int) -> np.ndarray:
    return np.tri(queries, keys, keys - queries, dtype=bool)


def last_rows_of_a_square(queries: int, keys: int, *, device: str = "cpu") -> Tensor:
    places = torch.arange(keys, device=device)
    return places.unsqueeze(1).ge(places)[keys - queries :]


def row_by_row(queries: int, keys: int) -> Tensor:
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for row in range(queries):
        mask[row, : keys - queries + row + 1] = True
    return mask


def unsqueezed_twice(tokens: Tensor, padding_id: int) -> Tensor:
    return tokens.ne(padding_id).unsqueeze(1).unsqueeze(2)


def viewed(tokens: Tensor, padding_id: int) -> Tensor:
    return torch.logical_not(tokens.eq(padding_id)).view(len(tokens), 1, 1, -1)


def padding_in_lists(tokens: Tensor, padding_id: int) -> list[list[list[list[bool]]]]:
    return [[[[token != padding_id for token in row]]] for row in tokens.tolist()]


def padding_in_numpy(tokens: Tensor, padding_id: int) -> np.ndarray:
    return (tokens.numpy() != padding_id)[:, np.newaxis, np.newaxis]


def difference_is_not_zero(tokens: Tensor, padding_id: int) -> Tensor:
    return (tokens - padding_id).bool().reshape(tokens.shape[0], 1, 1, tokens.shape[1])


def _not_among(invert: bool, tokens: Tensor, padding_id: int) -> Tensor:
    return torch.isin(tokens, torch.tensor([padding_id]), invert=invert)[:, None, None]


STYLES = {
    "attention.causal_mask": (
        lower_triangle,
        nothing_above_the_diagonal,
        nested_lists,
        numpys_triangle,
        last_rows_of_a_square,
        row_by_row,
    ),
    "attention.padding_mask": (
        unsqueezed_twice,
        viewed,
        padding_in_lists,
        padding_in_numpy,
        difference_is_not_zero,
        partial(_not_among, True),
    ),
}
