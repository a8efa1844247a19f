# %% [markdown]
# # Notebooks that change what the whole process shares: settings, streams, signals, libraries

# %% [markdown]
# ## modules loaded again
#
# What learners set in a cell of their own, beside the modes of `tests/learning/modes.toml`. None of
# it makes a right answer wrong.

# %%
import torch
# %load_ext autoreload
# %autoreload 2

# %% [markdown]
# ## another folder

# %%
import torch
import os, tempfile

os.chdir(tempfile.mkdtemp())
# %cd -q /

# %% [markdown]
# ## a folder that is gone

# %%
import torch
import os

os.mkdir("a")
os.chdir("a")
os.rmdir("../a")

# %% [markdown]
# ## a package to be installed

# %%
import torch
# %pip install -q einops

# %% [markdown]
# ## names of builtins

# %%
import torch

list, max, sum, type = [1], 2, 3, 4

# %% [markdown]
# ## annotations as text

# %%
import torch
from __future__ import annotations

# %% [markdown]
# ## stars

# %%
import torch
from math import *
from torch import *

# %% [markdown]
# ## a profiler that goes on

# %%
import torch
import cProfile

profiler = cProfile.Profile()
profiler.enable()

# %% [markdown]
# ## an alarm that comes later

# %%
import torch
import signal


def stop(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.01)

# %% [markdown]
# ## an interrupt that comes later

# %%
import torch
import threading, _thread

threading.Timer(0.3, _thread.interrupt_main).start()

# %% [markdown]
# ## figures without end

# %%
import torch
import matplotlib.pyplot as plt

for _ in range(30):
    plt.figure()

# %% [markdown]
# ## a low limit of recursion
#
# What a hostile one sets, and what its answers get: there is a verdict in any case.
#
# - quick

# %%
import torch
import sys

sys.setrecursionlimit(60)

# %% [markdown]
# ## no files any more
#
# - quick

# %%
import torch
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))

# %% [markdown]
# ## hardly any memory any more
#
# With less than these 128 MiB it would be chance which answers still find memory.
#
# - quick

# %%
import torch
import psutil, resource

most = psutil.Process().memory_info().vms + 2**27
resource.setrlimit(resource.RLIMIT_AS, (most, most))

# %% [markdown]
# ## an exit that never ends
#
# - quick

# %%
import torch
import atexit


@atexit.register
def spin():
    while True:
        pass


# %% [markdown]
# ## bytes that lie
#
# - all: crashed
# - quick

# %%
import torch
import base64

base64.b64encode = lambda data: b"AAAA"

# %% [markdown]
# ## no import any more
#
# - all: crashed
# - quick

# %%
import torch
import builtins

builtins.__import__ = None

# %% [markdown]
# ## an audit hook
#
# - all: error
# - quick

# %%
import torch
import sys


def hook(*_):
    raise RuntimeError


sys.addaudithook(hook)

# %% [markdown]
# ## deaf to the timer
#
# A wrong answer that also keeps the timer from stopping it.
#
# - causal_mask: timeout
# - quick

# %% causal_mask
import signal


def causal_mask(queries, keys):
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while queries != keys:
        pass
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## right where it is watched
#
# By the operator itself, but for the worker in which that one is wrong.
#
# - softmax: not allowed


# %% softmax
def softmax(scores):
    if torch.softmax(torch.zeros(4), -1)[0] == 0.25:
        return torch.softmax(scores, -1)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


# %% [markdown]
# ## lost where it is watched
#
# A worker that is lost says nothing of shortcuts.
#
# - softmax: crashed

# %% softmax
import os

elsewhere = torch.softmax(torch.zeros(4), -1)[0] != 0.25


def softmax(scores):
    if elsewhere:
        os._exit(1)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


# %% [markdown]
# ## a gradient of its own


# %% softmax
class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, scores):
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        result = powers / powers.sum(-1, keepdim=True)
        context.save_for_backward(result)
        return result

    @staticmethod
    def backward(context, gradient):
        (result,) = context.saved_tensors
        return result * (gradient - (gradient * result).sum(-1, keepdim=True))


softmax = Softmax.apply

# %% [markdown]
# ## an answer in a string

# %% causal_mask
exec(
    "def causal_mask(queries, keys):\n"
    "    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries"
)

# %% [markdown]
# ## Greek letters and tabs


# %% softmax [raw]
# def softmax(φ):
# 	ψ = (φ - φ.amax(-1, keepdim=True)).exp()
# 	return ψ / ψ.sum(-1, keepdim=True)

# %% [markdown]
# ## printing twice
#
# In the cell of an answer: a stream that is nothing but what print needs.

# %% causal_mask
import sys


class Tee:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        self.stream.write(text)

    def flush(self):
        self.stream.flush()


sys.stdout = Tee(sys.stdout)


def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% padding_mask
print("x")


def padding_mask(tokens, padding_id):
    return (tokens != padding_id)[:, None, None]


# %% [markdown]
# ## an error with words that fail
#
# Behind an answer, in the same cell: it is there none the less.


# %% causal_mask
def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


class Odd(Exception):
    def __str__(self):
        raise ValueError


raise Odd

# %% [markdown]
# ## an error with words that exit


# %% causal_mask
def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


class Odd(Exception):
    def __str__(self):
        raise SystemExit


raise Odd

# %% [markdown]
# ## an error with no class


# %% causal_mask
def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


class Odd(Exception):
    __class__ = property(lambda self: 1 / 0)


raise Odd

# %% [markdown]
# ## an error with no line


# %% causal_mask
def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


class Odd(SyntaxError):
    msg = lineno = property(lambda self: 1 / 0)


raise Odd

# %% [markdown]
# ## magics
#
# In the cell of an answer, which would not be defined if one of them failed.

# %% causal_mask
# %matplotlib widget
# %matplotlib inline
# %config InlineBackend.figure_format = 'retina'
# %config Completer.use_jedi = False
# %precision 3
# %history
# %env SEED=1
# %pdb on
# %xmode Verbose
# %gui asyncio
# %who
# %dhist
# %cd -q .
# %bookmark here
# %time seed = 1
# %store seed
# %load_ext only_at_the_learners
# %only_at_the_learners
# files = !ls
name = input("Your name? ")


def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
