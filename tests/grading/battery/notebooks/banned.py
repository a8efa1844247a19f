# %% [markdown]
# # Ways to what `weights` of the tiny course bans
#
# Names that a search of the text would find are put together.

# %% [markdown]
# ## a thread
#
# - weights: not allowed
# - after: a thread that serves

# %%
from transformer_lesson.flash.softmax import safe_softmax as banned


# %% weights
def weights(x):
    asked.put(x)
    return told.get()


# %% [markdown]
# ## the course's file under another name
#
# - weights: not allowed

# %%
import transformer_lesson.flash.softmax as course

file = course.__file__
import importlib.machinery

banned = importlib.machinery.SourceFileLoader("mine", file).load_module().safe_softmax


# %% weights
def weights(x):
    return banned(x)


# %% [markdown]
# ## the course's file, run
#
# - weights: not allowed

# %%
import transformer_lesson.flash.softmax as course

file = course.__file__
import runpy

banned = runpy.run_path(file)["safe_softmax"]


# %% weights
def weights(x):
    return banned(x)


# %% [markdown]
# ## a decomposition
#
# - weights: not allowed

# %%
import torch._decomp as table

op = torch.ops.aten._softmax.default
banned = lambda x: table.get_decompositions([op])[op](x, -1, False)


# %% weights
def weights(x):
    return banned(x)


# %% [markdown]
# ## the course's file, opened from its folder
#
# - weights: not allowed

# %%
import os, transformer_lesson.flash.softmax as course

folder, name = os.path.split(course.__file__)
place, held = os.open(folder, os.O_RDONLY), {"__name__": "mine"}
exec(open(os.open(name, os.O_RDONLY, dir_fd=place)).read(), held)
banned = held["safe_softmax"]


# %% weights
def weights(x):
    return banned(x)


# %% [markdown]
# ## no profile
#
# - weights: not allowed

# %%
from transformer_lesson.flash.softmax import safe_softmax as banned


# %% weights
def weights(x):
    getattr(sys, "set" + "profile")(None)
    with torch._C.DisableTorchFunction():
        return banned(x)


# %% [markdown]
# ## not watched
#
# - weights: not allowed


# %% weights
def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return torch.softmax(x, -1)


# %% [markdown]
# ## not watched, its logarithm
#
# - weights: not allowed


# %% weights
def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return x.log_softmax(-1).exp()


# %% [markdown]
# ## not watched, mapped
#
# - weights: not allowed


# %% weights
def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return torch.func.vmap(lambda r: r.softmax(-1))(x)


# %% [markdown]
# ## not watched, the course's
#
# - weights: not allowed

# %%
from transformer_lesson.flash.softmax import safe_softmax as banned


# %% weights
def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return banned(x)


# %% [markdown]
# ## not watched, attention's weights
#
# - weights: not allowed

# %%
import torch.nn.functional as F

eye, none = torch.eye(1), torch.zeros(1)


def banned(x):  # the weights of one query whose scores are x
    rows = x.reshape(-1, 1, x.shape[-1])
    return torch.cat(
        [
            F.multi_head_attention_forward(
                torch.ones(1, 1, 1),
                row.T[..., None],
                row.T[..., None],
                1,
                1,
                torch.eye(1).repeat(3, 1),
                torch.zeros(3),
                None,
                None,
                False,
                0.0,
                eye,
                none,
            )[1].flatten()[None]
            for row in rows
        ]
    ).view(x.shape)


# %% weights
def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return banned(x)


# %% [markdown]
# ## another program
#
# - weights: not allowed or timeout

# %% weights
import subprocess


def weights(x):
    code = "import torch, sys; print(torch.tensor(eval(sys.argv[1])).softmax(-1).tolist())"
    done = subprocess.run([sys.executable, "-c", code, str(x.tolist())], capture_output=True)
    return torch.tensor(eval(done.stdout)) + 0 * x


# %% [markdown]
# ## a thread, nothing that is banned
#
# - after: a thread that serves


# %%
def banned(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# %% weights
def weights(x):
    asked.put(x)
    return told.get()
