import torch


def head_by_head(x, w_query, w_key, w_value, w_output, num_heads):
    outputs, maps = [], []
    width, d_value = w_query.shape[1] // num_heads, w_value.shape[1] // num_heads
    for head in range(num_heads):
        own = slice(head * width, (head + 1) * width)
        scores = (x @ w_query[:, own]) @ (x @ w_key[:, own]).mT / width**0.5
        maps.append(scores.softmax(-1))
        outputs.append(maps[-1] @ x @ w_value[:, head * d_value : (head + 1) * d_value])
    return torch.cat(outputs, dim=-1) @ w_output, torch.stack(maps, dim=1)


def sum_of_contributions(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = (
        torch.stack((x @ w).chunk(num_heads, -1), 1) for w in (w_query, w_key, w_value)
    )
    scores = (query * query.shape[-1] ** -0.5) @ key.mT
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    blocks = w_output.reshape(num_heads, value.shape[-1], -1)
    return [(weights @ (value @ blocks)).sum(1), weights]


def heads_in_the_batch(x, w_query, w_key, w_value, w_output, num_heads):
    batch, length, _ = x.shape

    def split(tokens):
        heads = tokens.view(batch, length, num_heads, -1).permute(0, 2, 1, 3)
        return heads.reshape(batch * num_heads, length, -1)

    query, key, value = split(x @ w_query), split(x @ w_key), split(x @ w_value)
    scores = torch.baddbmm(torch.zeros(()), query, key.mT, beta=0, alpha=query.shape[-1] ** -0.5)
    weights = scores.softmax(2)
    mixed = torch.bmm(weights, value).view(batch, num_heads, length, -1)
    return mixed.transpose(1, 2).flatten(2) @ w_output, weights.view(batch, num_heads, length, -1)


STYLES = {"heads.attend": (head_by_head, sum_of_contributions, heads_in_the_batch)}
