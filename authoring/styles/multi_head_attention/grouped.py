import math

import torch


def head_by_head(x, w_query, w_key, w_value, w_output, num_heads, num_kv_heads):
    group = num_heads // num_kv_heads

    def shared(matrix):
        heads = matrix.chunk(num_heads, dim=1)
        return [sum(heads[g : g + group]) / group for g in range(0, num_heads, group)]

    keys, values = shared(w_key), shared(w_value)
    outputs = []
    for head, query in enumerate(w_query.chunk(num_heads, dim=1)):
        scores = x @ query @ (x @ keys[head // group]).mT * query.shape[1] ** -0.5
        outputs.append(scores.softmax(-1) @ x @ values[head // group])
    return torch.cat(outputs, -1) @ w_output, torch.cat(keys, 1), torch.cat(values, 1)


def queries_of_a_group_in_a_row(x, w_query, w_key, w_value, w_output, num_heads, num_kv_heads):
    """The queries of a group ask its keys together, as if there were more tokens."""
    (batch, length, d_model), group = x.shape, num_heads // num_kv_heads
    w_key = w_key.reshape(d_model, num_kv_heads, group, -1).mean(-2).reshape(d_model, -1)
    w_value = w_value.reshape(d_model, num_kv_heads, group, -1).mean(-2).reshape(d_model, -1)
    query = (x @ w_query).view(batch, length, num_heads, -1).transpose(1, 2)
    query = query.reshape(batch, num_kv_heads, group * length, -1)
    key = (x @ w_key).view(batch, length, num_kv_heads, -1).permute(0, 2, 3, 1)
    value = (x @ w_value).view(batch, length, num_kv_heads, -1).transpose(1, 2)
    weights = (query / query.shape[-1] ** 0.5 @ key).softmax(3)
    mixed = (weights @ value).reshape(batch, num_heads, length, -1)
    return mixed.movedim(1, 2).flatten(2) @ w_output, w_key, w_value


def by_averaging_matrix(x, w_query, w_key, w_value, w_output, num_heads, num_kv_heads):
    """Shared matrices as products with a matrix that averages, expanded by another."""
    group = num_heads // num_kv_heads
    owner = torch.kron(torch.eye(num_kv_heads), torch.ones(1, group))  # (shared heads, heads)

    def convert(w):
        wide = torch.eye(w.shape[1] // num_heads)
        shared = w @ torch.kron(owner / group, wide).T
        return shared, shared @ torch.kron(owner, wide)

    (w_key, each_key), (w_value, each_value) = convert(w_key), convert(w_value)
    query, key, value = (
        torch.stack((x @ w).chunk(num_heads, -1), 1) for w in (w_query, each_key, each_value)
    )
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    rows = w_output.view(num_heads, -1, x.shape[-1])
    return (weights @ (value @ rows)).sum(1), w_key, w_value


STYLES = {"heads.grouped": (head_by_head, queries_of_a_group_in_a_row, by_averaging_matrix)}
