# %% [markdown]
# # Notebooks that take too much of time, memory, output or disk
#
# `resources.py` above this folder makes those that are long.

# %% [markdown]
# ## an endless loop in a bare except in a cell
#
# - quick

# %%
while True:
    try:
        while True:
            pass
    except BaseException:
        pass

# %% [markdown]
# ## a cell that sleeps
#
# - quick

# %%
import time

time.sleep(10**6)

# %% [markdown]
# ## a loop in C
#
# - quick

# %%
sum(range(10**13))

# %% [markdown]
# ## an endless loop in an answer
#
# - causal_mask: timeout
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    while True:
        pass
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## an endless loop in a bare except
#
# - causal_mask: timeout
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## an answer that sleeps
#
# - causal_mask: timeout
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    import time

    time.sleep(10**6)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## an answer that loops in C
#
# - causal_mask: timeout
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    sum(range(10**13))
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## recursion
#
# - causal_mask: error
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    causal_mask(queries, keys)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## slow but right


# %% causal_mask
def causal_mask(queries, keys):
    import time

    time.sleep(0.2)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## a million lines from an answer


# %% causal_mask
def causal_mask(queries, keys):
    for i in range(200_000):
        print(i)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## a million lines from a shell

# %%
# !seq 1000000

# %%
import os

os.system("seq 9999")

# %% [markdown]
# ## a large file

# %%
with open("large", "wb") as f:
    for _ in range(300):
        f.write(bytes(2**20))

# %% [markdown]
# ## thousands of files

# %%
for i in range(3000):
    open(f"{i}.txt", "w").write("x")

# %% [markdown]
# ## memory that is given back

# %%
x = bytearray(2**28)
del x

# %% [markdown]
# ## many tensors


# %% attend
def attend(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


y = torch.ones(2**24)
