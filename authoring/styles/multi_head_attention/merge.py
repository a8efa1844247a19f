"""heads.merge, in other styles."""

import numpy as np
import torch
from torch import Tensor


def merge_side_by_side(heads: Tensor) -> Tensor:
    return torch.cat([heads[:, head] for head in range(heads.shape[1])], dim=2)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(start_dim=2)


def merge_contiguous(heads: Tensor) -> Tensor:
    batch, _, length, _ = heads.size()
    return heads.permute(0, 2, 1, 3).contiguous().view(batch, length, -1)


def merge_in_numpy(heads: Tensor) -> np.ndarray:
    return np.concatenate(list(heads.numpy().swapaxes(0, 1)), axis=-1)


def merge_by_copying(heads: Tensor) -> Tensor:
    batch, num_heads, length, width = heads.shape
    tokens = heads.new_zeros(batch, length, num_heads * width)
    for column in range(num_heads * width):
        tokens[:, :, column] = heads[:, column // width, :, column % width]
    return tokens


def merge_token_by_token(heads: Tensor) -> Tensor:
    return torch.stack(
        [torch.stack([token.flatten() for token in sentence.unbind(1)]) for sentence in heads]
    )


STYLES = {
    "heads.merge": (
        merge_side_by_side,
        merge_by_flatten,
        merge_contiguous,
        merge_in_numpy,
        merge_by_copying,
        merge_token_by_token,
    ),
}
