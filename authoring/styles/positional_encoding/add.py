"""positions.add, in other styles."""

import torch
from torch import Tensor


def narrowed(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    return torch.add(table.narrow(0, start, embeddings.shape[1]).unsqueeze(0), embeddings)


def token_by_token(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    tokens = enumerate(embeddings.unbind(1), start)
    return torch.stack([token + table[position] for position, token in tokens], dim=1)


def sentence_by_sentence(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    result = torch.zeros_like(embeddings)
    for number, sentence in enumerate(embeddings):
        result[number] += sentence
        result[number] += table[start : start + len(sentence)]
    return result


STYLES = {"positions.add": (narrowed, token_by_token, sentence_by_sentence)}
