import math

import numpy as np
import torch
from torch import nn


def three_streams(stream, added, taken_from, w_query, w_key, w_value, gain, bias):
    norm = nn.LayerNorm(stream.shape[-1])
    norm.weight.data, norm.bias.data = gain, bias
    streams = torch.stack([stream, stream, stream])
    streams[("query", "key", "value").index(taken_from)] -= added
    with torch.no_grad():
        query, key, value = norm(streams)
    scores = torch.einsum("bqd,bkd->bqk", query @ w_query, key @ w_key) * w_key.shape[1] ** -0.5
    weights = (scores + torch.full_like(scores, -torch.inf).triu(1)).softmax(2)
    return weights, torch.einsum("bqk,bkd->bqd", weights, value) @ w_value


def in_numpy(stream, added, taken_from, w_query, w_key, w_value, gain, bias):
    def normed(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain.numpy() + bias.numpy()

    whole = stream.double().numpy()
    inputs = dict.fromkeys(("query", "key", "value"), normed(whole))
    inputs[taken_from] = normed(whole - added.double().numpy())
    query, key = inputs["query"] @ w_query.numpy(), inputs["key"] @ w_key.numpy()
    scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
    seen = np.tri(stream.shape[1], dtype=bool)
    weights = np.exp(scores - np.where(seen, scores, -np.inf).max(-1, keepdims=True)) * seen
    weights /= weights.sum(-1, keepdims=True)
    return weights, weights @ (inputs["value"] @ w_value.numpy())


def query_by_query(stream, added, taken_from, w_query, w_key, w_value, gain, bias):
    """A branch for each input, and each query by itself."""

    def read(x, matrix):
        size = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        return ((x - x.mean(-1, keepdim=True)) * size * gain + bias) @ matrix

    less = stream.clone().sub_(added)
    query, key, value = read(stream, w_query), read(stream, w_key), read(stream, w_value)
    if taken_from == "query":
        query = read(less, w_query)
    elif taken_from == "key":
        key = read(less, w_key)
    else:
        value = read(less, w_value)
    weights = torch.zeros(len(stream), stream.shape[1], stream.shape[1])
    for at in range(stream.shape[1]):
        scores = (key[:, : at + 1] @ query[:, at, :, None]).squeeze(-1)
        weights[:, at, : at + 1] = torch.softmax(scores / math.sqrt(key.shape[-1]), dim=-1)
    return weights, weights @ value


STYLES = {"inside.composition": (three_streams, in_numpy, query_by_query)}
