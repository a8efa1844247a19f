import numpy as np
import torch


def nested_lists(queries, keys):
    return [[k - q <= keys - queries for k in range(keys)] for q in range(queries)]


def numpys_triangle(queries, keys):
    return np.tri(queries, keys, keys - queries, dtype=bool)


def row_by_row(queries, keys):
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for row in range(queries):
        mask[row, : keys - queries + row + 1] = True
    return mask


STYLES = {"attention.causal_mask": (nested_lists, numpys_triangle, row_by_row)}
