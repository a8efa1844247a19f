import math
from functools import partial

import torch


def without_the_padding(target, memory, source, padding_id, w_query, w_key, w_value):
    """Sentence by sentence, with the real source tokens alone."""
    outputs, weights = [], []
    for x, read, ids in zip(target, memory, source, strict=True):
        real = (ids != padding_id).nonzero().flatten()
        scores = (x @ w_query) @ (read[real] @ w_key).T / math.sqrt(w_query.shape[1])
        shares = torch.softmax(scores, dim=1)
        weights.append(x.new_zeros(len(x), len(ids)).index_copy(1, real, shares))
        outputs.append(shares @ (read[real] @ w_value))
    return torch.stack(outputs), torch.stack(weights)


def by_einsum(target, memory, source, padding_id, w_query, w_key, w_value, eps=1e-30):
    """The two matrices meet first; exponentials by hand."""
    between = torch.einsum("mh,nh->mn", w_query, w_key) * w_key.shape[-1] ** -0.5
    scores = torch.einsum("btm,mn,bsn->bts", target, between, memory)
    real = (source != padding_id).unsqueeze(1)
    maximum = torch.where(real, scores, -1e30).amax(-1, keepdim=True)
    exponentials = torch.exp((scores - maximum).clamp(max=0.0)) * real
    weights = exponentials / (exponentials.sum(-1, keepdim=True) + eps)
    return torch.einsum("bts,bsm,mv->btv", weights, memory, w_value), weights


def _by_log_sum_exp(target, memory, source, padding_id, w_query, w_key, w_value, *, hidden):
    """Keys hidden by a bias on their scores."""
    query = (target @ w_query) / w_query.size(-1) ** 0.5
    scores = query.bmm((memory @ w_key).transpose(1, 2))
    padding = (source == padding_id)[:, None]
    scores = scores + torch.zeros_like(scores).masked_fill(padding, hidden)
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)).masked_fill(padding, 0.0)
    return weights.bmm(memory @ w_value), weights


STYLES = {
    "decoder.cross_attention": (
        without_the_padding,
        by_einsum,
        partial(_by_log_sum_exp, hidden=-1e30),
    )
}
