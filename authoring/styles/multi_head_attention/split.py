"""heads.split, in other styles."""

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


STYLES = {
    "heads.split": (
        split_in_pieces,
        split_by_unflatten,
        split_by_copying,
        split_in_numpy,
        split_by_strides,
        split_by_index,
    ),
}
