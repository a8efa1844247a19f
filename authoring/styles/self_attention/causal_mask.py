"""attention.causal_mask, in other styles."""

import numpy as np
import torch
from torch import Tensor


def nested_lists(queries: int, keys: int) -> list[list[bool]]:
    return [[k - q <= keys - queries for k in range(keys)] for q in range(queries)]


def numpys_triangle(queries: int, keys: int) -> np.ndarray:
    return np.tri(queries, keys, keys - queries, dtype=bool)


def row_by_row(queries: int, keys: int) -> Tensor:
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for row in range(queries):
        mask[row, : keys - queries + row + 1] = True
    return mask


STYLES = {"attention.causal_mask": (nested_lists, numpys_triangle, row_by_row)}
