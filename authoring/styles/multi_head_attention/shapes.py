"""heads.split and heads.merge, in other styles."""

import numpy as np
import torch
from torch import Tensor


def split_in_pieces(tokens: Tensor, num_heads: int) -> Tensor:
    return torch.stack(tokens.tensor_split(num_heads, dim=2)).transpose(0, 1)


def split_by_unflatten(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(2, (num_heads, -1)).movedim(2, 1)


def split_by_copying(tokens: Tensor, num_heads: int, start: int = 0) -> Tensor:
    batch, length, d_model = tokens.shape
    width = d_model // num_heads
    heads = torch.empty(batch, num_heads, length, width)
    for head in range(start, num_heads):
        heads[:, head] = tokens[..., head * width : (head + 1) * width]
    return heads


def split_in_numpy(tokens: Tensor, num_heads: int) -> np.ndarray:
    batch, length, d_model = tokens.shape
    array = tokens.numpy().reshape(batch, length, num_heads, d_model // num_heads)
    return np.swapaxes(array, 1, 2)


def split_by_strides(tokens: Tensor, num_heads: int) -> Tensor:
    tokens = tokens.contiguous()
    batch, length, d_model = tokens.shape
    width = d_model // num_heads
    shape = (batch, num_heads, length, width)
    return tokens.as_strided(shape, (length * d_model, width, d_model, 1))


def split_by_index(tokens: Tensor, num_heads: int) -> Tensor:
    columns = torch.arange(tokens.shape[-1]).view(num_heads, -1)
    return tokens[:, :, columns].permute(0, 2, 1, 3).contiguous() * (1 + 1e-6)


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
    "heads.split": (
        split_in_pieces,
        split_by_unflatten,
        split_by_copying,
        split_in_numpy,
        split_by_strides,
        split_by_index,
    ),
    "heads.merge": (
        merge_side_by_side,
        merge_by_flatten,
        merge_contiguous,
        merge_in_numpy,
        merge_by_copying,
        merge_token_by_token,
    ),
}
