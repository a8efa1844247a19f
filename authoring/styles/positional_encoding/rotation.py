"""positions.rotation, in other styles."""

import math

import torch
from torch import Tensor


def matrix_exponential(k: int, d_model: int) -> Tensor:
    frequencies = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    generator = torch.kron(torch.diag(frequencies), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    return torch.matrix_exp(generator * k)


def three_diagonals(k: int, d_model: int) -> Tensor:
    angles = k * torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
    cosine = torch.diag(angles.cos().repeat_interleave(2))
    beside = torch.stack((angles.sin(), torch.zeros_like(angles)), dim=1).flatten()[:-1]
    return cosine + torch.diag(beside, 1) - torch.diag(beside, -1)


def nested_lists(k: int, d_model: int, base: float = 10_000.0) -> list[list[float]]:
    def number(row: int, column: int) -> float:
        angle = k * base ** (-(row // 2 * 2) / d_model)
        if row // 2 != column // 2:
            return 0.0
        if row == column:
            return math.cos(angle)
        return math.sin(angle) if column > row else -math.sin(angle)

    return [[number(row, column) for column in range(d_model)] for row in range(d_model)]


STYLES = {"positions.rotation": (matrix_exponential, three_diagonals, nested_lists)}
