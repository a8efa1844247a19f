import math
from functools import partial

import torch
from torch import Tensor

Gradients = tuple[Tensor, Tensor]


def query_by_query(query, key, value, d_output, log_sum_exp, row_term, seen):
    """Each query adds what it contributes; a query that sees nothing is left out."""
    d_key, d_value = torch.zeros_like(key), torch.zeros_like(value)
    for row in range(len(query)):
        places = seen[row].nonzero()[:, 0]
        if not len(places):
            continue
        scores = key[places] @ query[row] / math.sqrt(query.shape[1])
        weights = torch.exp(scores - log_sum_exp[row])
        d_scores = weights * (value[places] @ d_output[row] - row_term[row])
        d_key[places] += torch.outer(d_scores, query[row]) / math.sqrt(query.shape[1])
        d_value[places] += torch.outer(weights, d_output[row])
    return d_key, d_value


def _by_einsum(query, key, value, d_output, log_sum_exp, row_term, seen, *, hidden):
    """The scale goes into the queries, once for both places."""
    scaled = query / query.shape[-1] ** 0.5
    exponents = torch.einsum("qd,kd->qk", scaled, key) - log_sum_exp.unsqueeze(1)
    weights = exponents.masked_fill(seen.logical_not(), hidden).exp()
    d_weights = torch.einsum("qd,kd->qk", d_output, value)
    d_key = torch.einsum("qk,qk,qd->kd", weights, d_weights - row_term.unsqueeze(1), scaled)
    return d_key, torch.einsum("qk,qd->kd", weights, d_output)


def keys_first(query, key, value, d_output, log_sum_exp, row_term, seen, tile=3):
    """Everything transposed, and the queries in tiles of their own."""
    d_key, d_value = torch.zeros_like(key), torch.zeros_like(value)
    for here in torch.arange(len(query)).split(tile):
        q, d_o = query[here], d_output[here]
        scores = torch.mm(key, q.t()) * key.shape[1] ** -0.5
        # A query without keys has a log-sum-exp of -inf: here it becomes a large number.
        weights = torch.exp((scores - log_sum_exp[here]).clamp(max=30.0)) * seen[here].t()
        d_weights = torch.addmm(row_term[here], value, d_o.t(), beta=-1)
        d_key.addmm_(weights.mul(d_weights), q, alpha=key.shape[1] ** -0.5)
        d_value.addmm_(weights, d_o)
    return d_key, d_value


STYLES = {
    "flash.key_gradients": (query_by_query, partial(_by_einsum, hidden=float("-inf")), keys_first)
}
