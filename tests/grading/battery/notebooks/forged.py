# %% [markdown]
# # Replies that answers forge: each costs its own exercise, and no other

# %% [markdown]
# ## values that are none
#
# A value of nobody, no values, a number in the place of an array.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    forge({"twice": tensor(), "total": tensor()})
    return 2 * x


# %% total
def total(x):
    forge({})
    return x.sum(-1)


# %% weights
def weights(x):
    forge({"weights": float("nan")})
    return x


# %% [markdown]
# ## sizes that are none
#
# NaN as a size, a size without end, a million axes.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    forge({"twice": tensor(shape=[2, float("nan")])})
    return 2 * x


# %% total
def total(x):
    forge({"total": tensor(shape=[10**4000, 0])})
    return x.sum(-1)


# %% weights
def weights(x):
    forge({"weights": tensor(shape=[1] * 10**6, order=list(range(10**6)))})
    return x


# %% [markdown]
# ## numbers and texts that are none
#
# A kind of number that is none, bytes for another kind, a text that is none.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    forge({"twice": tensor(dtype="object")})
    return 2 * x


# %% total
def total(x):
    forge({"total": tensor(dtype="float64")})
    return x.sum(-1)


# %% weights
def weights(x):
    forge({"weights": tensor()}, error=[["x"] * 1000] * 1000)
    return x


# %% [markdown]
# ## replies without end
#
# Names, nesting and lists without end.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    forge({"twice": tensor()}, changed=["x"] * 10**6)
    return 2 * x


# %% total
def total(x):
    send("[" * 10**6 + "\n")
    return x.sum(-1)


# %% weights
def weights(x):
    send("[" + "[]," * 5_000_000 + "[]]\n")
    return x


# %% [markdown]
# ## lines that are none
#
# No object, no text, the reply to another request.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    send("[]\n")
    return 2 * x


# %% total
def total(x):
    os.write(found("replies").fileno(), bytes([255, 254, 10]))
    return x.sum(-1)


# %% weights
def weights(x):
    send('{"outcome": {}, "id": "0", "at": 0}\n')
    return x


# %% [markdown]
# ## half a connection
#
# Half a line, too long a line, a closed connection.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - all say: the connection to the grader or ended the process with exit code
# - after: forging


# %% double
def double(x):
    send('{"outcome": ')
    os._exit(0)
    return 2 * x


# %% total
def total(x):
    [send("x" * 2**20) for _ in range(20)]
    return x.sum(-1)


# %% weights
def weights(x):
    os.closerange(3, 64)
    return x


# %% [markdown]
# ## what follows a forged reply
#
# No reply, half a reply, the end of the process.
#
# - double: crashed
# - total: crashed
# - weights: crashed
# - after: forging
# - quick


# %% double
def double(x):
    forge({}, 100, error="forged")
    send("no reply\n")
    return 2 * x


# %% total
def total(x):
    forge({}, 100, error="forged")
    send("{")
    return x.sum(-1)


# %% weights
def weights(x):
    forge({}, 100, error="forged")
    os._exit(3)
    return x


# %% [markdown]
# ## a process that is stopped behind a forged reply
#
# - double: crashed
# - after: forging
# - quick


# %% double
def double(x):
    forge({}, 100, error="forged")
    os.kill(os.getpid(), 19)
    return 2 * x


# %% [markdown]
# ## a reply that a cell forges costs no other cell
#
# The machine has time for the last cell, or not.
#
# - ends: timeout or crashed
# - after: forging
# - quick


# %% double
reply({"error": "", "late": False})


def double(x):
    return 2 * x


# %% ends
while True:
    pass


def ends(x):
    return x.amin(-1), x.amax(-1)
