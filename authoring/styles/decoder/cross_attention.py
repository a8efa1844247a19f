from functools import partial

import torch


def _by_log_sum_exp(target, memory, source, padding_id, w_query, w_key, w_value, *, hidden):
    """Keys hidden by a bias on their scores."""
    query = (target @ w_query) / w_query.size(-1) ** 0.5
    scores = query.bmm((memory @ w_key).transpose(1, 2))
    padding = (source == padding_id)[:, None]
    scores = scores + torch.zeros_like(scores).masked_fill(padding, hidden)
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)).masked_fill(padding, 0.0)
    return weights.bmm(memory @ w_value), weights


STYLES = {"decoder.cross_attention": (partial(_by_log_sum_exp, hidden=-1e30),)}
