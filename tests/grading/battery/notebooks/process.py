# %% [markdown]
# # Notebooks that turn on their process, on others, or leave something behind

# %% [markdown]
# ## os._exit in a cell
#
# - quick

# %%
import os

os._exit(0)

# %% [markdown]
# ## sys.exit in a cell
#
# - quick

# %%
import sys

sys.exit(1)

# %%
exit()

# %%
quit()

# %% [markdown]
# ## SystemExit in a cell
#
# - quick

# %%
raise SystemExit

# %%
raise KeyboardInterrupt

# %% [markdown]
# ## a segfault in a cell
#
# - quick

# %%
import ctypes

ctypes.string_at(0)

# %% [markdown]
# ## stops itself
#
# - quick

# %%
import os, signal

os.kill(os.getpid(), signal.SIGSTOP)

# %% [markdown]
# ## kills its process group
#
# - quick

# %%
import os

os.killpg(0, 9)

# %% [markdown]
# ## kills its parent
#
# - quick
# - isolated

# %%
import os, signal

try:
    walled = os.readlink("/proc/self/ns/pid") != "@PID@"
except OSError:
    walled = False
if walled:
    os.kill(os.getppid(), 9)

# %% [markdown]
# ## kills everything
#
# - quick
# - isolated

# %%
import os, signal

try:
    walled = os.readlink("/proc/self/ns/pid") != "@PID@"
except OSError:
    walled = False
if walled:
    os.kill(-1, 9)

# %% [markdown]
# ## another program in its place
#
# - quick

# %%
import os

os.execvp("sleep", ["sleep", "600"])

# %% [markdown]
# ## forks and goes on
#
# - quick

# %%
import os

os.fork()

# %% [markdown]
# ## a shell in the background
#
# - quick

# %%
# !sleep 600 &

# %%
import os

os.system("sleep 600 &")

# %% [markdown]
# ## multiprocessing
#
# - quick

# %%
import multiprocessing as m

p = m.Process(target=print)
p.start()
p.join()

# %% [markdown]
# ## threads left running
#
# - quick

# %%
import threading, time

threading.Thread(target=time.sleep, args=(600,)).start()

# %% [markdown]
# ## atexit that hangs
#
# - quick

# %%
import atexit, time

atexit.register(time.sleep, 600)

# %% [markdown]
# ## deaf to all signals
#
# - quick

# %%
import signal

for s in set(signal.Signals) - {9, 19}:
    try:
        signal.signal(s, signal.SIG_IGN)
    except OSError:
        pass

# %% [markdown]
# ## files deleted
#
# - quick

# %%
import shutil, os

shutil.rmtree(os.getcwd())

# %% [markdown]
# ## closes all files
#
# - quick

# %%
import os

os.closerange(0, 256)

# %% [markdown]
# ## closes standard files
#
# - quick

# %%
import sys

sys.stdout.close()
sys.stderr = None

# %% [markdown]
# ## a raised umask and nice
#
# - quick

# %%
import os

os.umask(0o777)
os.nice(5)

# %% [markdown]
# ## an empty environment
#
# - quick

# %%
import os

os.environ.clear()

# %% [markdown]
# ## no modules
#
# - all: crashed
# - quick

# %%
import sys

sys.modules.clear()

# %% [markdown]
# ## builtins replaced
#
# - quick

# %%
import builtins

builtins.open = builtins.isinstance = None

# %% [markdown]
# ## a trace function
#
# - quick

# %%
import sys

sys.settrace(lambda *a: None)

# %% [markdown]
# ## os._exit in an answer
#
# - causal_mask: crashed
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    import os

    os._exit(3)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## sys.exit in an answer
#
# - causal_mask: error
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    import sys

    sys.exit(0)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## stopped in an answer
#
# - causal_mask: timeout
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    import os, signal

    os.kill(os.getpid(), signal.SIGSTOP)
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## KeyboardInterrupt in an answer
#
# - causal_mask: error
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    raise KeyboardInterrupt
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## a generator in an answer
#
# - causal_mask: error
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    yield 3
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries


# %% [markdown]
# ## a fork in an answer
#
# - quick


# %% causal_mask
def causal_mask(queries, keys):
    import os

    os.fork()
    return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
