# %% [markdown]
# # Right answers of other kinds: other callables, other results
#
# Formulas are in `authoring/styles/`.

# %% [markdown]
# ## softmax in numpy, attend a class with __call__, causal_mask in numpy, padding_mask by numpy

# %% softmax
import numpy as np


def softmax(scores):
    s = scores.numpy()
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% attend
class Attend:
    def __init__(self, dropout=0.0):
        self.dropout = dropout

    def __call__(self, query, key, value):
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return weights @ value, weights


attend = Attend()

# %% causal_mask
import numpy


def causal_mask(queries, keys):
    return numpy.tri(queries, keys, keys - queries, dtype=bool)


# %% padding_mask
import numpy as np


def padding_mask(tokens, padding_id):
    return np.expand_dims(tokens.numpy() != padding_id, (1, 2))


# %% [markdown]
# ## softmax in float64, attend a module's instance, causal_mask a jitted function


# %% softmax
def softmax(scores):
    e = (scores.double() - scores.double().max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


# %% attend
class Attend(torch.nn.Module):
    def forward(self, query, key, value):
        weights = (query / query.shape[-1] ** 0.5 @ key.mT).softmax(-1)
        return weights @ value, weights


attend = Attend().eval()


# %% causal_mask
@torch.jit.script
def causal_mask(queries: int, keys: int) -> torch.Tensor:
    return torch.arange(keys)[None] <= torch.arange(keys - queries, keys)[:, None]


# %% [markdown]
# ## attend a namedtuple

# %% attend
from typing import NamedTuple


class Attended(NamedTuple):
    output: Tensor
    weights: Tensor


def attend(query: Tensor, key: Tensor, value: Tensor) -> Attended:
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
    return Attended(weights @ value, weights)


# %% [markdown]
# ## imported from elsewhere

# %% self_attention
from torch.nn.functional import softmax as weights_of
from math import sqrt as root
import operator

self_attention = lambda tokens, *ws: (
    lambda q, k, v: operator.matmul(weights_of(q @ k.mT / root(q.shape[-1]), dim=-1), v)
)(*(tokens @ w for w in ws))

# %% [markdown]
# ## methods

# %% padding_mask


# %% causal_mask
class Masks:
    @staticmethod
    def padding_mask(tokens, padding_id):
        return tokens.ne(padding_id)[:, None, None]

    @classmethod
    def causal_mask(cls, queries, keys):
        return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


padding_mask, causal_mask = Masks.padding_mask, Masks.causal_mask

# %% [markdown]
# ## a progress bar

# %% attention_scores
from tqdm import tqdm


def attention_scores(query, key):
    for _ in tqdm(range(3)):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return scores


# %% [markdown]
# ## threads and a queue

# %% causal_mask
from concurrent.futures import ThreadPoolExecutor


def causal_mask(queries, keys):
    def row(query):
        return torch.arange(keys) <= query + keys - queries

    with ThreadPoolExecutor(2) as pool:
        return torch.stack(list(pool.map(row, range(queries))))


# %% softmax
import queue


def softmax(scores):
    rows = queue.PriorityQueue()
    for number, row in enumerate(scores.reshape(-1, scores.shape[-1])):
        rows.put((number, (row - row.max()).exp()))
    done = [rows.get()[1] for _ in range(rows.qsize())]
    return torch.stack([row / row.sum() for row in done]).reshape(scores.shape)


# %% [markdown]
# ## a helper in a file of its own

# %%
# %%writefile masks.py
import torch


def causal(queries, keys):
    return torch.ones(queries, keys).tril(keys - queries) > 0


# %% causal_mask
from masks import causal as causal_mask

# %% [markdown]
# ## tensors counted by the garbage collector

# %%
import gc

print(sum(torch.is_tensor(one) for one in gc.get_objects()))

# %% [markdown]
# ## a function of the interpreter's stack

# %%
import inspect


def here():
    return inspect.currentframe().f_back.f_lineno


print(here())

# %% [markdown]
# ## its own test beside the answer
#
# Where operators are wrong on purpose, the test fails, and the answer behind it must still exist.

# %% softmax
x = torch.randn(3)
assert torch.allclose(torch.softmax(x, -1), x.exp() / x.exp().sum())


def softmax(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
