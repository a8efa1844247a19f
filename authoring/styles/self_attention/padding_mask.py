"""attention.padding_mask, in other styles."""

from functools import partial

import numpy as np
import torch
from torch import Tensor


def unsqueezed_twice(tokens: Tensor, padding_id: int) -> Tensor:
    return tokens.ne(padding_id).unsqueeze(1).unsqueeze(2)


def viewed(tokens: Tensor, padding_id: int) -> Tensor:
    return torch.logical_not(tokens.eq(padding_id)).view(len(tokens), 1, 1, -1)


def padding_in_lists(tokens: Tensor, padding_id: int) -> list[list[list[list[bool]]]]:
    return [[[[token != padding_id for token in row]]] for row in tokens.tolist()]


def padding_in_numpy(tokens: Tensor, padding_id: int) -> np.ndarray:
    return (tokens.numpy() != padding_id)[:, np.newaxis, np.newaxis]


def difference_is_not_zero(tokens: Tensor, padding_id: int) -> Tensor:
    return (tokens - padding_id).bool().reshape(tokens.shape[0], 1, 1, tokens.shape[1])


def _not_among(invert: bool, tokens: Tensor, padding_id: int) -> Tensor:
    return torch.isin(tokens, torch.tensor([padding_id]), invert=invert)[:, None, None]


STYLES = {
    "attention.padding_mask": (
        unsqueezed_twice,
        viewed,
        padding_in_lists,
        padding_in_numpy,
        difference_is_not_zero,
        partial(_not_among, True),
    )
}
