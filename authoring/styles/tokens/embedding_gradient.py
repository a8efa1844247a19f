"""tokens.embedding_gradient, in other styles."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F


def autograd(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    table = torch.zeros(vocab_size, upstream.shape[-1], requires_grad=True)
    F.embedding(ids, table).backward(upstream)
    assert table.grad is not None
    return table.grad


def one_hot_product(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    one_hot = (ids.reshape(-1, 1) == torch.arange(vocab_size)).float()
    return one_hot.T @ upstream.reshape(len(one_hot), -1)


def loop_over_tokens(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    gradient = torch.zeros(vocab_size, upstream.shape[2])
    for sentence in range(ids.shape[0]):
        for place in range(ids.shape[1]):
            gradient[ids[sentence, place]] += upstream[sentence, place]
    return gradient


def sum_for_each_word(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return torch.stack([upstream[ids == word].sum(0) for word in range(vocab_size)])


def numpy_add_at(ids: Tensor, upstream: Tensor, vocab_size: int) -> np.ndarray:
    gradient = np.zeros((vocab_size, upstream.shape[-1]), dtype=np.float32)
    np.add.at(gradient, ids.numpy(), upstream.numpy())
    return gradient


def scattered(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    flat = upstream.flatten(0, 1)
    rows = ids.flatten().unsqueeze(1).expand_as(flat)
    return flat.new_zeros(vocab_size, flat.shape[1]).scatter_add(0, rows, flat) * (1 + 1e-6)


STYLES = {
    "tokens.embedding_gradient": (
        autograd,
        one_hot_product,
        loop_over_tokens,
        sum_for_each_word,
        numpy_add_at,
        scattered,
    )
}
