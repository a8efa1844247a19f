"""heads.prune, in other styles."""

import torch
from torch import Tensor


def heads_as_an_axis(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> list[Tensor]:
    columns = w_value.unflatten(1, (num_heads, -1))[:, kept].flatten(1)
    return [columns, w_output.unflatten(0, (num_heads, -1))[kept].flatten(0, 1)]


def by_selecting_matrix(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    chosen = torch.eye(num_heads)[kept]
    select = torch.kron(chosen, torch.eye(w_value.shape[1] // num_heads))
    return w_value @ select.T, select @ w_output


def column_by_column(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    columns, rows = [], []
    width = len(w_output) // num_heads
    for head in kept:
        for number in range(width):
            columns.append(w_value[:, head * width + number])
            rows.append(w_output[head * width + number])
    return torch.stack(columns, dim=1), torch.stack(rows)


STYLES = {"heads.prune": (heads_as_an_axis, by_selecting_matrix, column_by_column)}
