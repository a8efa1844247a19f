import numpy as np
import torch


def as_one_row(matrix, bias, max_norm):
    row = torch.cat([matrix.flatten(), bias.flatten()])
    norm = torch.linalg.vector_norm(row)
    if norm > max_norm:
        row = row * (max_norm / norm)
    return row[: matrix.numel()].view_as(matrix), row[matrix.numel() :].view_as(bias), norm


def by_pytorch(matrix, bias, max_norm):
    parameters = [torch.nn.Parameter(torch.zeros_like(part)) for part in (matrix, bias)]
    for parameter, gradient in zip(parameters, (matrix, bias), strict=True):
        parameter.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    first, second = (parameter.grad for parameter in parameters)
    return first, second, norm


def by_numpy(matrix, bias, max_norm):
    parts = [part.numpy().astype(np.float64) for part in (matrix, bias)]
    norm = sum(float((part**2).sum()) for part in parts) ** 0.5
    first, second = (part * np.minimum(1.0, max_norm / max(norm, max_norm)) for part in parts)
    return first, second, norm


STYLES = {"training.clip": (as_one_row, by_pytorch, by_numpy)}
