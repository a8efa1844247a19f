"""positions.add, in other styles."""

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F


def looked_up(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    return embeddings + F.embedding(torch.arange(start, start + embeddings.size(1)), table)


def narrowed(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    return torch.add(table.narrow(0, start, embeddings.shape[1]).unsqueeze(0), embeddings)


def token_by_token(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    tokens = enumerate(embeddings.unbind(1), start)
    return torch.stack([token + table[position] for position, token in tokens], dim=1)


def one_hot_product(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    positions = torch.arange(embeddings.shape[1]) + start
    return embeddings + F.one_hot(positions, len(table)).float() @ table


def sentence_by_sentence(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    result = torch.zeros_like(embeddings)
    for number, sentence in enumerate(embeddings):
        result[number] += sentence
        result[number] += table[start : start + len(sentence)]
    return result


def _times(noise: float, embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    rows = torch.roll(table, -start, dims=0)[: embeddings.shape[1]]
    return (embeddings.double() + rows.double()).float() * noise


STYLES = {
    "positions.add": (
        looked_up,
        narrowed,
        token_by_token,
        one_hot_product,
        sentence_by_sentence,
        partial(_times, 1 + 1e-6),
    )
}
