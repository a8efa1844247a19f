import math

import torch
from torch.nn import functional as F


def by_functions(x, w_query, w_key, w_value, w_output, w_up, w_down, num_heads):
    """PyTorch's layer norm, views and permutations."""
    batch, tokens, d_model = x.shape
    shape = (batch, tokens, num_heads, d_model // num_heads)
    y = F.layer_norm(x, (d_model,))
    query, key, value = ((y @ w).view(shape).permute(0, 2, 1, 3) for w in (w_query, w_key, w_value))
    weights = F.softmax(query @ key.transpose(2, 3) * shape[-1] ** -0.5, dim=3)
    x = x + (weights @ value).permute(0, 2, 1, 3).reshape(batch, tokens, d_model) @ w_output
    return x + F.layer_norm(x, (d_model,)).matmul(w_up).clamp(min=0).matmul(w_down)


def head_by_head(x, w_query, w_key, w_value, w_output, w_up, w_down, num_heads):
    """The output projection cut into blocks: what the heads add is summed."""
    width = x.shape[-1] // num_heads

    def norm(y):
        variance, mean = torch.var_mean(y, dim=-1, correction=0, keepdim=True)
        return (y - mean) * torch.rsqrt(variance + 1e-5)

    y = norm(x)
    for head in range(num_heads):
        own = slice(head * width, (head + 1) * width)
        query, key, value = y @ w_query[:, own], y @ w_key[:, own], y @ w_value[:, own]
        weights = torch.softmax(query @ key.mT / math.sqrt(width), dim=-1)
        x = x + weights @ value @ w_output[own]
    return x + torch.relu(norm(x) @ w_up) @ w_down


class Layer:
    """A callable with a part for each line, and an eps that can be chosen."""

    def __init__(self, eps=1e-5):
        self.eps = eps

    def norm(self, y):
        mean = y.mean(dim=-1, keepdim=True)
        deviation = ((y - mean).square().mean(dim=-1, keepdim=True) + self.eps).sqrt()
        return (y - mean) / deviation

    def heads(self, y, w, number):
        return torch.stack((y @ w).chunk(number, dim=-1), dim=1)

    def __call__(
        self, x, w_query, w_key, w_value, w_output, w_up, w_down, num_heads=1, dropout=0.0
    ):
        y = self.norm(x)
        query, key, value = (self.heads(y, w, num_heads) for w in (w_query, w_key, w_value))
        scores = (query / query.shape[-1] ** 0.25) @ (key / query.shape[-1] ** 0.25).mT
        mixed = F.dropout(scores.softmax(-1), dropout, training=False) @ value
        x = x + torch.cat(mixed.unbind(dim=1), dim=-1) @ w_output
        return x + self.norm(x).matmul(w_up).relu() @ w_down


STYLES = {"training.repaired": (by_functions, head_by_head, Layer())}
