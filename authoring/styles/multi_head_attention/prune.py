"""heads.prune, in other styles."""

import numpy as np
import torch
from torch import Tensor


def by_slices(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    width = w_value.shape[1] // num_heads
    slices = [slice(head * width, head * width + width) for head in kept]
    return torch.hstack([w_value[:, s] for s in slices]), torch.vstack(
        [w_output[s] for s in slices]
    )


def by_index(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    numbers = torch.arange(len(w_output)).view(num_heads, -1)[kept].flatten()
    return w_value.index_select(1, numbers), w_output.index_select(0, numbers)


def heads_as_an_axis(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> list[Tensor]:
    columns = w_value.unflatten(1, (num_heads, -1))[:, kept].flatten(1)
    return [columns, w_output.unflatten(0, (num_heads, -1))[kept].flatten(0, 1)]


def in_numpy(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    columns = np.split(w_value.numpy(), num_heads, axis=1)
    rows = np.split(w_output.numpy(), num_heads)
    return np.hstack([columns[h] for h in kept]), np.concatenate([rows[h] for h in kept])


def by_selecting_matrix(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    chosen = torch.eye(num_heads)[kept]
    select = torch.kron(chosen, torch.eye(w_value.shape[1] // num_heads))
    return w_value @ select.T, select @ w_output * (1 + 1e-6)


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


STYLES = {
    "heads.prune": (
        by_slices,
        by_index,
        heads_as_an_axis,
        in_numpy,
        by_selecting_matrix,
        column_by_column,
    )
}
