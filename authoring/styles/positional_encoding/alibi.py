import math

import numpy as np
import torch


def _published(num_heads):
    """As the authors of ALiBi wrote it."""

    def of_a_power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(num_heads).is_integer():
        return of_a_power(num_heads)
    closest = 2 ** math.floor(math.log2(num_heads))
    return of_a_power(closest) + _published(2 * closest)[0::2][: num_heads - closest]


def powers_of_two_tensors(num_heads, query_positions, key_positions):
    power = 1 << (num_heads.bit_length() - 1)
    exponents = torch.arange(1, power + 1) * 8 / power
    between = torch.arange(1, 2 * power, 2) * 4 / power
    slopes = torch.exp2(-torch.cat((exponents, between))[:num_heads])
    distance = (key_positions - query_positions.unsqueeze(-1)).abs().float()
    return torch.einsum("h,qk->hqk", -slopes, distance)


def numpy_outer(num_heads, query_positions, key_positions):
    power = 2 ** int(np.log2(num_heads))
    steps = np.concatenate((np.arange(1, power + 1), np.arange(0.5, power, 1.0)))[:num_heads]
    distance = np.abs(np.subtract.outer(query_positions.numpy(), key_positions.numpy()))
    return np.multiply.outer(-(2.0 ** (-8 * steps / power)), distance)


def larger_minus_smaller(num_heads, query_positions, key_positions):
    queries, keys = query_positions[:, None], key_positions[None]
    nearness = torch.minimum(queries, keys) - torch.maximum(queries, keys)
    return torch.stack([nearness * slope for slope in _published(num_heads)])


STYLES = {"positions.alibi": (powers_of_two_tensors, numpy_outer, larger_minus_smaller)}
