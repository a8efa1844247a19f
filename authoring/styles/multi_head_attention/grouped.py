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


STYLES = {"heads.grouped": (queries_of_a_group_in_a_row,)}
