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


STYLES = {"training.repaired": (by_functions,)}
