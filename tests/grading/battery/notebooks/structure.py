# %% [markdown]
# # Unusual cells around right answers
#
# What is unusual in the notebook itself is made in `structure.py` above this folder.

# %% [markdown]
# ## as it is
#
# - as they are


# %% [markdown]
# ## a wrong answer above the right one
#
# - as they are

# %%
import torch


# %%
def causal_mask(queries, keys):
    return torch.ones(queries, keys).tril().bool()


# %% [markdown]
# ## a wrong answer below the right one, behind its check
#
# - as they are


# %% last
def causal_mask(queries, keys):
    return torch.ones(queries, keys).tril().bool()


# %% [markdown]
# ## an answer deleted
#
# - causal_mask: not attempted
# - as they are

# %% causal_mask

# %% [markdown]
# ## an answer with a slip of the keyboard
#
# - causal_mask: error
# - as they are

# %% causal_mask [raw]
# def causal_mask(queries, keys)
#     return 3

# %% [markdown]
# ## a name used again for a number
#
# - as they are

# %% last
attend = 3

# %% [markdown]
# ## names reset at the end
#
# - as they are

# %% last
# %reset -f

# %% [markdown]
# ## cells of every kind around the answers
#
# None of these changes what an answer gives, whether or not it can be run here.
#
# - as they are

# %%

# %%
# a comment

# %%


# %%
"a string"

# %%
# %matplotlib inline

# %%
# %matplotlib widget

# %%
# %matplotlib

# %%
# torch.einsum?

# %%
# ?print

# %%
# len??

# %%
# %lsmagic

# %%
# !ls
# !echo hello

# %%
# files = !ls

# %%
# %cd ~

# %%
# %env A=1

# %% language="bash"
# echo x

# %% language="html"
# <b>x</b>

# %% language="javascript"
# let x

# %%
# %no_such_magic

# %%
# %%no_such_cell_magic
x

# %%
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.show()

# %%
import seaborn as sns

sns.heatmap([[1, 2]])

# %%
import ipywidgets as w

w.interact(lambda x: x, x=3)
w.IntText()

# %%
import asyncio

await asyncio.sleep(0)
x = 3

# %%
name = input("Your name? ")

# %%
from IPython.display import HTML, Image, clear_output

display(HTML("<b>x</b>"))

# %%
1 + 1

# %%
print(_)

# %%
print(Out[1], In[0])

# %%
from tqdm.auto import tqdm

for _ in tqdm(range(3)):
    pass

# %%
1 / 0

# %%
# %debug

# %%
breakpoint()

# %%
import pdb

pdb.set_trace()


# %% last
def helper(x):
    return x


# %% last
class Other:
    pass


# %% [markdown]
# ## prints, warnings and stderr
#
# - as they are

# %%
import sys, warnings, logging

# %%
print("points: 100")
print("x", file=sys.stderr)
warnings.warn("careful")

# %%
logging.basicConfig(level=0)
logging.getLogger().error("hm")


# %% causal_mask
def causal_mask(queries, keys):
    print("called", queries, file=sys.stderr)
    warnings.warn("again")
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
