import math

import torch


def matrix_exponential(k, d_model):
    frequencies = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    generator = torch.kron(torch.diag(frequencies), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    return torch.matrix_exp(generator * k)


def three_diagonals(k, d_model):
    angles = k * torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
    cosine = torch.diag(angles.cos().repeat_interleave(2))
    beside = torch.stack((angles.sin(), torch.zeros_like(angles)), dim=1).flatten()[:-1]
    return cosine + torch.diag(beside, 1) - torch.diag(beside, -1)


# Both: too small a tolerance would refuse the second alone.
STYLES = {"positions.rotation": (matrix_exponential, three_diagonals)}
