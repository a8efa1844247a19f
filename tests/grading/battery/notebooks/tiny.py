# %% [markdown]
# # Notebooks of the tiny course, which the same grader grades

# %% [markdown]
# ## an answer that is gone is explained
#
# - double: not attempted
# - total: error
# - ends: error
# - total says: `total` is a int; expected a function
# - ends says: the cell `def ends(x):` raised IndentationError

# %% double
def double(x):
    return 2 * x


del double


# %% total
def total(x):
    return x.sum(-1)


total = 3

# %% weights
undefined_name


def weights(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# %% ends [raw]
# def ends(x):
#     return x.amin(-1), x.amax(-1)
#   bad indent

# %% [markdown]
# ## a cell that ends or never ends costs its own answers
#
# - total: crashed
# - weights: timeout
# - total says: ended the process with SIGSEGV
# - weights says: ran longer than 3 s
# - quick

# %% total
os.kill(os.getpid(), 11)


def total(x):
    return x.sum(-1)


# %% weights
while True:
    pass


def weights(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# %% last
sys.exit()

# %% last
exit()

# %% [markdown]
# ## lying inside the worker gives nothing
#
# - double: wrong
# - total: wrong
# - weights: error
# - ends: crashed
# - ends says: broke the connection to the grader

# %%
torch.allclose = torch.equal = lambda *a, **k: True
torch.isclose = lambda a, *_, **__: torch.ones_like(a, dtype=torch.bool)


# %% double
class Liar(torch.Tensor):
    def __eq__(self, other):
        return True

    __hash__ = None

    def detach(self):
        return self


def double(x):
    return (3 * x).as_subclass(Liar)


# %%
torch.Tensor.sum = lambda self, *_: self.mean(-1)


# %% weights
class Anything:
    def __eq__(self, other):
        return True


def weights(x):
    return Anything()


# %% ends
import notebook_judge.checks.calls as calls


def forged(*_, **__):
    return calls.Outcome(values={"low": torch.zeros(2)})


def ends(x):
    calls.call = forged
    return x.amin(-1), x.amax(-1)


# %% [markdown]
# ## strange results are errors
#
# - double: error
# - total: error
# - weights: error
# - ends: error
# - total says: shape (1000000000000,); expected far fewer numbers
# - weights says: complex64
# - ends says: low is a object; expected a tensor


# %% double
class Liar(torch.Tensor):
    def __eq__(self, other):
        return True

    __hash__ = None

    def detach(self):
        return self

    def permute(self, *_):
        raise SystemExit


def double(x):
    return (3 * x).as_subclass(Liar)


# %% total
def total(x):
    return torch.zeros(1).expand(10**12)


# %% weights
def weights(x):
    return x.to(torch.complex64)


# %% ends
def ends(x):
    return object(), x


# %% [markdown]
# ## a forged reply that is well formed gives no points
#
# - double: wrong
# - total: error
# - after: forging


# %% double
def double(x):
    forge({"twice": tensor()})
    return 2 * x


# %% total
def total(x):
    forge({}, error="\x1b[31m" + "x" * 10**4)
    return x.sum(-1)


# %% [markdown]
# ## half a reply is waited for no longer than any
#
# - double: timeout
# - quick
# - after: forging


# %% double
def double(x):
    send("{")
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass


# %% [markdown]
# ## results larger than a message are an error
#
# - double: error
# - ends: wrong
# - total: error
# - double says: larger than 4 MiB


# %% double
def double(x):
    return torch.zeros(2**21)


# %% ends
def ends(x):
    return [torch.zeros(2**20 - 1)] * 2


# %% total
def total(x):
    raise ValueError("x" * 10**8)


# %% [markdown]
# ## an error is carried forward
#
# - double: wrong
# - total: follows
# - total says: it follows from `tiny.double`


# %% double
def double(x):
    return 2 * x + 1


# %% total
def total(x):
    return double(x).sum(-1) / 2


# %% [markdown]
# ## an error of its own is not carried forward
#
# - double: wrong
# - total: wrong


# %% double
def double(x):
    return 2 * x + 1


# %% total
def helper(x):
    return double(x)


def total(x):
    return helper(x).sum(-1)


# %% [markdown]
# ## too much memory is an error of that exercise
#
# - double: error
# - total: error
# - weights: error
# - double says: allocate memory
# - weights says: MemoryError
# - tight


# %% double
def double(x):
    return torch.zeros(10 * 2**30, dtype=torch.uint8)


# %% total
def total(x):
    return bytearray(10 * 2**30)


# %% weights
def weights(x):
    kept = []
    while True:
        kept.append(bytearray(2**20))


# %% [markdown]
# ## large files and many open ones are errors
#
# - double: error
# - total: error
# - double says: File too large
# - total says: Too many open files
# - tight


# %% double
def double(x):
    open("large", "wb").write(bytes(2 * 2**20))
    return x


# %% total
def total(x):
    kept = [open(os.devnull) for _ in range(1000)]
    return x.sum(-1)


# %% [markdown]
# ## a million lines cost nothing

# %%
for _ in range(1_000_000):
    print("a line")

# %% double
import sys

sys.stderr.write("x" * 10**8)


def double(x):
    return 2 * x


# %%
"x" * 10**8

# %% [markdown]
# ## a cell that is out of computing time is left out, its copy is not
#
# - a second of computing

# %%
while True:
    pass


def double(x):
    return 2 * x
