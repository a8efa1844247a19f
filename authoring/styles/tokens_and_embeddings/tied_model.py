import torch
from torch import nn
from torch.nn import functional as F


class Functional(nn.Module):
    def __init__(self, vocab_size, d_model, init_scale=0.02):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=init_scale)
        self.scale = d_model**0.5

    def forward(self, ids, positions):
        rows = F.embedding(ids, self.embedding.weight)
        return F.linear(torch.add(positions, rows, alpha=self.scale), self.embedding.weight)


class WordByWord(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids, positions):
        matrix = self.embedding.weight
        rows = matrix.index_select(0, ids.flatten()).view(*ids.shape, -1)
        hidden = rows * torch.tensor(matrix.shape[1]).sqrt() + positions
        return torch.stack([(hidden * word).sum(-1) for word in matrix], dim=-1)


class _Rows(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocab_size, d_model))


class OwnEmbedding(nn.Module):
    """Its own module in the place of nn.Embedding, and a product distributed over the sum."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = _Rows(vocab_size, d_model)

    def forward(self, ids, positions):
        matrix = self.embedding.weight.double()
        between_words = matrix @ matrix.T * matrix.shape[1] ** 0.5
        return (between_words[ids] + positions.double() @ matrix.T).float()


STYLES = {"tokens.tied_model": (Functional, WordByWord, OwnEmbedding)}
