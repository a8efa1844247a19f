import torch


def sum_of_contributions(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = (
        torch.stack((x @ w).chunk(num_heads, -1), 1) for w in (w_query, w_key, w_value)
    )
    scores = (query * query.shape[-1] ** -0.5) @ key.mT
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    blocks = w_output.reshape(num_heads, value.shape[-1], -1)
    return [(weights @ (value @ blocks)).sum(1), weights]


STYLES = {"heads.attend": (sum_of_contributions,)}
