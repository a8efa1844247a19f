import math

import torch
from torch.nn import functional as F


def loops_and_sorted(vectors, index, count):
    rows = vectors.tolist()
    own = math.hypot(*rows[index])
    found = []
    for i, row in enumerate(rows):
        if i != index:
            product = sum(a * b for a, b in zip(row, rows[index], strict=True))
            found.append((product / (math.hypot(*row) * own or 1.0), i))
    cosines, indices = zip(*sorted(found, reverse=True)[:count], strict=True)
    return indices, cosines


def whole_matrix_of_cosines(vectors, index, count):
    units = F.normalize(vectors)
    cosines = (units @ units.T).fill_diagonal_(-2.0)
    values, indices = cosines.sort(dim=1, descending=True)
    return indices[index, :count], values[index, :count]


def others_only(vectors, index, count):
    others = torch.tensor([i for i in range(len(vectors)) if i != index])
    products = vectors[others].double() @ vectors[index].double()
    squares = vectors.double().square().sum(1).clamp(min=1e-12)
    cosines = products * (squares[others] * squares[index]).rsqrt()
    best = cosines.argsort(descending=True)[:count]
    return [others[best], cosines[best]]


STYLES = {"tokens.nearest": (loops_and_sorted, whole_matrix_of_cosines, others_only)}
