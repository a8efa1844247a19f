# %% [markdown]
# # Wrong answers that nobody foresaw

# %% [markdown]
# ## wrong in the third call
#
# - padding_mask: wrong

# %% padding_mask
calls = 0


def padding_mask(tokens, padding_id):
    global calls
    calls += 1
    return ((tokens != padding_id) & (calls != 3))[:, None, None, :]


# %% [markdown]
# ## a cache that spoils
#
# - causal_mask: wrong

# %% causal_mask
known = {}


def causal_mask(queries, keys):
    if queries in known:
        return known[queries].zero_()
    known[queries] = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    return known[queries]


# %% [markdown]
# ## right only once
#
# - causal_mask: wrong

# %% causal_mask
seen = []


def causal_mask(queries, keys):
    again = (queries, keys) in seen
    seen.append((queries, keys))
    return (torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries) ^ again


# %% [markdown]
# ## chance
#
# - causal_mask: wrong


# %% causal_mask
def causal_mask(queries, keys):
    mask = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    return mask & (torch.rand(queries, keys) < 0.9)


# %% [markdown]
# ## answers of other kinds
#
# - causal_mask: wrong
# - attend: not allowed
# - self_attention: error


# %% causal_mask
def causal_mask(queries, keys):
    return torch.ones(keys, keys).tril().bool()[:queries, :queries]


# %% attend
from torch.nn.functional import scaled_dot_product_attention


def attend(query, key, value):
    return scaled_dot_product_attention(query, key, value), query @ key.mT


# %% self_attention
class self_attention(torch.nn.Module):
    pass
