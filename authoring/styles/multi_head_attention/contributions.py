"""heads.contributions, in other styles."""

import torch
from torch import Tensor


def by_einsum(heads: Tensor, w_output: Tensor) -> Tensor:
    blocks = w_output.unflatten(0, (heads.shape[1], heads.shape[3]))
    return torch.einsum("bhtd,hdm->bhtm", heads, blocks)


def others_set_to_zero(heads: Tensor, w_output: Tensor) -> Tensor:
    parts = []
    for head in range(heads.shape[1]):
        alone = torch.zeros_like(heads)
        alone[:, head] = heads[:, head]
        parts.append(alone.transpose(1, 2).flatten(2) @ w_output)
    return torch.stack(parts, dim=1)


def block_diagonal(heads: Tensor, w_output: Tensor) -> Tensor:
    batch, num_heads, length, _ = heads.shape
    matrix = torch.block_diag(*w_output.chunk(num_heads))
    merged = heads.movedim(1, 2).flatten(2)
    return (merged @ matrix).view(batch, length, num_heads, -1).movedim(2, 1)


def rows_by_slices(heads: Tensor, w_output: Tensor, first: int = 0) -> Tensor:
    width = heads.shape[-1]
    parts = [
        heads[:, head] @ w_output[head * width : (head + 1) * width]
        for head in range(first, heads.shape[1])
    ]
    return torch.cat([part.unsqueeze(1) for part in parts], dim=1)


def sum_over_numbers(heads: Tensor, w_output: Tensor) -> Tensor:
    blocks = w_output.reshape(heads.shape[1], 1, heads.shape[3], -1).double()
    return (heads.double().unsqueeze(-1) * blocks).sum(-2)


def batched_product(heads: Tensor, w_output: Tensor) -> Tensor:
    batch, num_heads, length, width = heads.shape
    own = heads.transpose(0, 1).reshape(num_heads, batch * length, width)
    parts = torch.bmm(own, w_output.view(num_heads, width, w_output.shape[1]))
    return parts.view(num_heads, batch, length, -1).transpose(0, 1) * (1 + 1e-6)


STYLES = {
    "heads.contributions": (
        by_einsum,
        others_set_to_zero,
        block_diagonal,
        rows_by_slices,
        sum_over_numbers,
        batched_product,
    )
}
