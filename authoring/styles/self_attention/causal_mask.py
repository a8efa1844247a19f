"""attention.causal_mask, in other styles."""

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


STYLES = {
    "attention.causal_mask": (
        lower_triangle,
        nothing_above_the_diagonal,
        nested_lists,
        numpys_triangle,
        last_rows_of_a_square,
        row_by_row,
    )
}
