"""tokens.nearest, in other styles."""

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F


def pytorchs_cosine_similarity(vectors: Tensor, index: int, count: int) -> tuple[Tensor, Tensor]:
    cosines = F.cosine_similarity(vectors, vectors[index].expand_as(vectors), dim=1)
    cosines[index] = -torch.inf
    values, indices = torch.topk(cosines, count)
    return indices, values


def loops_and_sorted(
    vectors: Tensor, index: int, count: int
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    rows = vectors.tolist()
    own = math.hypot(*rows[index])
    found = []
    for i, row in enumerate(rows):
        if i != index:
            product = sum(a * b for a, b in zip(row, rows[index], strict=True))
            found.append((product / (math.hypot(*row) * own or 1.0), i))
    cosines, indices = zip(*sorted(found, reverse=True)[:count], strict=True)
    return indices, cosines


def numpy_argsort(vectors: Tensor, index: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rows = vectors.numpy()
    lengths = np.linalg.norm(rows, axis=1)
    cosines = rows @ rows[index] / np.maximum(lengths * lengths[index], 1e-12)
    order = np.argsort(-cosines)
    order = order[order != index][:count]
    return order, cosines[order]


def whole_matrix_of_cosines(vectors: Tensor, index: int, count: int) -> tuple[Tensor, Tensor]:
    units = F.normalize(vectors)
    cosines = (units @ units.T).fill_diagonal_(-2.0)
    values, indices = cosines.sort(dim=1, descending=True)
    return indices[index, :count], values[index, :count]


def others_only(vectors: Tensor, index: int, count: int) -> list[Tensor]:
    others = torch.tensor([i for i in range(len(vectors)) if i != index])
    products = vectors[others].double() @ vectors[index].double()
    squares = vectors.double().square().sum(1).clamp(min=1e-12)
    cosines = products * (squares[others] * squares[index]).rsqrt()
    best = cosines.argsort(descending=True)[:count]
    return [others[best], cosines[best]]


def largest_again_and_again(vectors: Tensor, index: int, count: int) -> tuple[Tensor, Tensor]:
    lengths = vectors.norm(dim=1)
    cosines = (vectors * vectors[index]).sum(1) / (lengths * lengths[index] + 1e-9)
    taken, chosen = {index}, []
    for _ in range(count):
        chosen.append(max(set(range(len(vectors))) - taken, key=lambda i: cosines[i].item()))
        taken.add(chosen[-1])
    return torch.tensor(chosen), cosines[chosen]


STYLES = {
    "tokens.nearest": (
        pytorchs_cosine_similarity,
        loops_and_sorted,
        numpy_argsort,
        whole_matrix_of_cosines,
        others_only,
        largest_again_and_again,
    )
}
