"""One step with a cache in other styles."""

import torch
from torch import Tensor
from torch.nn import functional as F

Result = tuple[Tensor, Tensor, Tensor]


def by_einsum(
    new: Tensor, keys: Tensor, values: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor
) -> Result:
    """The matrices cut into heads instead of the rows."""
    batch, heads, _, width = keys.shape
    query, key, value = (
        torch.einsum("btm,mhd->bhtd", new, w.view(-1, heads, width))
        for w in (w_query, w_key, w_value)
    )
    keys, values = torch.concat((keys, key), -2), torch.concat((values, value), -2)
    weights = torch.einsum("bhqd,bhkd->bhqk", query * width**-0.5, keys).softmax(dim=3)
    return torch.einsum("bhqk,bhkd->bqhd", weights, values).reshape(batch, 1, -1), keys, values


def head_by_head(
    new: Tensor, keys: Tensor, values: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor
) -> Result:
    """Loops over sentences and heads."""
    batch, heads, past, width = keys.shape
    output, all_keys, all_values = [], [], []
    for row in range(batch):
        for head in range(heads):
            own = slice(head * width, (head + 1) * width)
            key = torch.vstack([keys[row, head], new[row] @ w_key[:, own]])
            value = torch.vstack([values[row, head], new[row] @ w_value[:, own]])
            query = (new[row] @ w_query[:, own])[0]
            scores = key @ query / width**0.5
            weights = torch.exp(scores - torch.logsumexp(scores, 0))
            output.append(weights @ value)
            all_keys.append(key)
            all_values.append(value)
    shape = (batch, heads, past + 1, width)
    return (
        torch.stack(output).view(batch, 1, heads * width),
        torch.stack(all_keys).view(shape),
        torch.stack(all_values).view(shape),
    )


def into_one_place_more(
    new: Tensor, keys: Tensor, values: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor
) -> Result:
    """Room for one more token, then written into."""
    batch, heads, past, width = keys.shape
    projected = new @ torch.hstack([w_query, w_key, w_value])
    query, key, value = projected.view(batch, 3, heads, width).unbind(1)
    keys, values = F.pad(keys, (0, 0, 0, 1)), F.pad(values, (0, 0, 0, 1))
    keys[:, :, past], values[:, :, past] = key, value
    scores = (keys @ query[..., None])[..., 0] / width**0.5
    weights = scores.softmax(-1)
    return (values.mT @ weights[..., None]).view(batch, 1, heads * width), keys, values


def past_and_new_apart(
    new: Tensor,
    keys: Tensor,
    values: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    eps: float = 0.0,
) -> Result:
    """What the past gives and what the token itself gives, merged as in flash attention."""
    batch, heads, _, width = keys.shape

    def split(w: Tensor) -> Tensor:
        return (new @ w).reshape(batch, heads, 1, width)

    query, key, value = split(w_query) / width**0.5, split(w_key), split(w_value)
    before, itself = query @ keys.mT, (query * key).sum(-1, keepdim=True)
    maximum = torch.cat([before, itself], -1).amax(-1, keepdim=True)
    before, itself = (before - maximum).exp(), (itself - maximum).exp()
    total = before.sum(-1, keepdim=True) + itself + eps
    output = (before @ values + itself * value) / total
    keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
    return output.permute(0, 2, 1, 3).reshape(new.shape), keys, values


class HeadsInTheBatch:
    """A callable that moves the heads into the batch, with a mask that hides nothing."""

    def __call__(
        self,
        new: Tensor,
        keys: Tensor,
        values: Tensor,
        w_query: Tensor,
        w_key: Tensor,
        w_value: Tensor,
    ) -> Result:
        self.heads = keys.shape[1]
        query, key, value = self.split(new @ w_query), self.split(new @ w_key), new @ w_value
        keys = torch.cat([keys.flatten(0, 1), key], dim=1)
        values = torch.cat([values.flatten(0, 1), self.split(value)], dim=1)
        seen = torch.ones(1, keys.shape[1]).tril(keys.shape[1] - 1).bool()
        scores = torch.bmm(query, keys.mT).div(keys.shape[-1] ** 0.5).where(seen, -torch.inf)
        output = torch.bmm(F.softmax(scores, dim=-1), values).view(len(new), 1, -1)
        shape = (len(new), self.heads, *keys.shape[1:])
        return output * (1 + 1e-6), keys.view(shape), values.view(shape)

    def split(self, row: Tensor) -> Tensor:
        return torch.cat(row.split(row.shape[-1] // self.heads, -1), 1).flatten(0, 1)[:, None]


STYLES = {
    "decoder.cached_step": (
        by_einsum,
        head_by_head,
        into_one_place_more,
        past_and_new_apart,
        HeadsInTheBatch(),
    ),
}
