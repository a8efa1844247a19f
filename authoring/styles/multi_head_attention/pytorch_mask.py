"""heads.pytorch_mask, in other styles."""

import numpy as np
import torch
from torch import Tensor


def expanded_and_reshaped(real: Tensor, num_heads: int, queries: int) -> Tensor:
    batch, keys = real.shape
    blocked = torch.logical_not(real)[:, None, None, :].expand(batch, num_heads, queries, keys)
    return blocked.reshape(batch * num_heads, queries, keys)


def nested_lists(real: Tensor, num_heads: int, queries: int) -> list[list[list[bool]]]:
    rows = [[not token for token in sentence] for sentence in real.tolist()]
    return [[row] * queries for row in rows for _ in range(num_heads)]


def numpy_repeat(real: Tensor, num_heads: int, queries: int) -> np.ndarray:
    blocked = np.invert(real.numpy())[:, np.newaxis]
    return blocked.repeat(queries, axis=1).repeat(num_heads, axis=0)


def filled_mask_by_mask(real: Tensor, num_heads: int, queries: int) -> Tensor:
    blocked = torch.zeros(len(real) * num_heads, queries, real.shape[1], dtype=torch.bool)
    for number in range(len(blocked)):
        blocked[number] = real[number // num_heads] == False  # noqa: E712
    return blocked


def kronecker_product(real: Tensor, num_heads: int, queries: int) -> Tensor:
    ones = torch.ones(num_heads, queries, 1)
    return torch.kron(1 - real[:, None].float(), ones).bool()


def indexed(real: Tensor, num_heads: int, queries: int) -> Tensor:
    sentence = torch.arange(len(real)).repeat_interleave(num_heads)
    return real.ne(True)[sentence].unsqueeze(1).repeat(1, queries, 1)


STYLES = {
    "heads.pytorch_mask": (
        expanded_and_reshaped,
        nested_lists,
        numpy_repeat,
        filled_mask_by_mask,
        kronecker_product,
        indexed,
    )
}
