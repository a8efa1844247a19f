"""positions.rotation, in other styles."""

import math

import numpy as np
import torch
from torch import Tensor


def block_diagonal(k: int, d_model: int) -> Tensor:
    blocks = []
    for i in range(d_model // 2):
        b = torch.tensor(k / 10_000 ** (2 * i / d_model))
        blocks.append(torch.stack((b.cos(), b.sin(), -b.sin(), b.cos())).view(2, 2))
    return torch.block_diag(*blocks)


def matrix_exponential(k: int, d_model: int) -> Tensor:
    frequencies = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    generator = torch.kron(torch.diag(frequencies), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    return torch.matrix_exp(generator * k)


def three_diagonals(k: int, d_model: int) -> Tensor:
    angles = k * torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
    cosine = torch.diag(angles.cos().repeat_interleave(2))
    beside = torch.stack((angles.sin(), torch.zeros_like(angles)), dim=1).flatten()[:-1]
    return cosine + torch.diag(beside, 1) - torch.diag(beside, -1)


def filled_by_slices(k: int, d_model: int) -> np.ndarray:
    angles = k * 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    matrix = np.zeros((d_model, d_model), dtype=np.float32)
    even, odd = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix[even, even] = matrix[odd, odd] = np.cos(angles)
    matrix[even, odd], matrix[odd, even] = np.sin(angles), -np.sin(angles)
    return matrix


def nested_lists(k: int, d_model: int, base: float = 10_000.0) -> list[list[float]]:
    def number(row: int, column: int) -> float:
        angle = k * base ** (-(row // 2 * 2) / d_model)
        if row // 2 != column // 2:
            return 0.0
        if row == column:
            return math.cos(angle)
        return math.sin(angle) if column > row else -math.sin(angle)

    return [[number(row, column) for column in range(d_model)] for row in range(d_model)]


def one_step_to_the_kth_power(k: int, d_model: int) -> Tensor:
    angles = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    pairs = torch.stack((angles.cos(), angles.sin(), -angles.sin(), angles.cos()), dim=1)
    step = torch.block_diag(*pairs.view(-1, 2, 2))
    return torch.linalg.matrix_power(step if k >= 0 else step.T, abs(k)).float() * (1 + 1e-6)


STYLES = {
    "positions.rotation": (
        block_diagonal,
        matrix_exponential,
        three_diagonals,
        filled_by_slices,
        nested_lists,
        one_step_to_the_kth_power,
    )
}
