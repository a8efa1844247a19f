import torch


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


STYLES = {"flash.key_gradients": (keys_first,)}
