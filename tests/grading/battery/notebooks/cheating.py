# %% [markdown]
# # Wrong answers that try to pass, and shortcuts that try to stay unseen
#
# Those that need a file are in `cheating.py` above this folder.

# %% [markdown]
# ## check redefined
#
# A cell that claims a pass for a wrong answer, and may spoil right ones.
#
# - causal_mask: wrong

# %%
import torch


# %%
def check(*_):
    return 1000


# %% causal_mask
def causal_mask(queries, keys):
    return torch.ones(queries, keys).tril().bool()


# %% [markdown]
# ## comparisons patched
#
# The answer to `which_bug` compares, and is misled itself.
#
# - causal_mask: wrong
# - which_bug: wrong

# %%
import torch

# %%
torch.allclose = torch.equal = lambda *a, **k: True
torch.isclose = lambda a, *_, **__: torch.ones_like(a).bool()
torch.Tensor.__eq__ = lambda self, other: True
torch.testing.assert_close = lambda *a, **k: None


# %% causal_mask
def causal_mask(queries, keys):
    return torch.ones(queries, keys).tril().bool()


# %% [markdown]
# ## answers to another lesson as well
#
# - as they are


# %%
def merge():
    pass


# %%
def encode():
    pass


# %%
def pad():
    pass


# %%
def nearest():
    pass


# %% [markdown]
# ## a tensor that lies
#
# - attention_scores: wrong


# %% attention_scores
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("allclose", "equal", "isclose", "__eq__"):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})

    def __eq__(self, other):
        return True

    __hash__ = None


def attention_scores(query, key):
    return (query @ key.mT).as_subclass(Liar)


# %% [markdown]
# ## a number that equals everything
#
# - attention_scores: wrong


# %% attention_scores
class Anything(float):
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __hash__ = None


def attention_scores(query, key):
    return Anything(0)


# %% [markdown]
# ## right for the shown example
#
# - attention_scores: wrong


# %% attention_scores
def attention_scores(query, key):
    scores = query @ key.mT
    return scores / 2 if query.shape == (2, 4) else scores / math.sqrt(5)


# %% [markdown]
# ## the stack searched
#
# Code that reaches for the machinery around it: the teacher is told, and it gains nothing.
#
# - causal_mask: error
# - quick

# %% causal_mask
import sys


def causal_mask(queries, keys):
    frame = sys._getframe()
    while frame := frame.f_back:
        for value in frame.f_locals.values():
            if hasattr(value, "right"):
                return value.right(queries, keys)
    raise LookupError("no reference on the stack")


# %% [markdown]
# ## the heap searched
#
# - causal_mask: error
# - quick

# %% causal_mask
import gc


def causal_mask(queries, keys):
    for thing in gc.get_objects():
        if type(thing).__name__ == "Check":
            return thing.right(queries, keys)
    raise LookupError("no check in memory")


# %% [markdown]
# ## a forged reply from an answer
#
# - causal_mask: crashed
# - quick

# %% causal_mask
import sys, os, json

outcome = json.loads("@OUTCOME@")


def causal_mask(queries, keys):
    frame = sys._getframe()
    while frame and "request" not in frame.f_locals:
        frame = frame.f_back
    reply = {"id": frame.f_locals["request"]["id"], "at": 0, "outcome": outcome, "passed": True}
    line = json.dumps(reply)
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, line.encode() + b"\n")
        except OSError:
            pass


# %% [markdown]
# ## softmax under torch.jit
#
# - softmax: not allowed


# %% softmax
@torch.jit.script
def softmax(s):
    return torch.softmax(s, -1)


# %% [markdown]
# ## softmax under vmap
#
# - softmax: not allowed

# %% softmax
softmax = torch.vmap(lambda s: s.softmax(-1))

# %% [markdown]
# ## softmax in a new Python
#
# - softmax: not allowed

# %% softmax
import json, subprocess, sys

code = """import json, sys, torch
for line in sys.stdin:
    print(json.dumps(torch.tensor(json.loads(line)).softmax(-1).tolist()), flush=True)"""
other = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, scores):
        print(json.dumps(scores.tolist()), file=other.stdin, flush=True)
        weights = torch.tensor(json.loads(other.stdout.readline()))
        weights = weights.reshape(scores.shape).to(scores.dtype)
        context.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(context, gradient):
        (weights,) = context.saved_tensors
        return weights * (gradient - (gradient * weights).sum(-1, keepdim=True))


def softmax(scores):
    return Softmax.apply(scores)


# %% [markdown]
# ## softmax unseen
#
# - softmax: not allowed
# - quick

# %% softmax
import sys


def softmax(scores):
    watch = sys.getprofile()
    sys.setprofile(None)
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes():
        result = torch.softmax(scores, -1)
    sys.setprofile(watch)
    return result


# %% [markdown]
# ## softmax unwatched
#
# - softmax: not allowed
# - quick

# %% softmax
import notebook_judge.checks.calls as calls
import contextlib

calls.watch = lambda *a, **k: contextlib.nullcontext([])


def softmax(scores):
    return torch.softmax(scores, -1)


# %% [markdown]
# ## fused attention under torch.jit
#
# - attend: not allowed


# %% attend
@torch.jit.script
def fused(query, key, value):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)


def attend(query, key, value):
    return fused(query, key, value)


# %% [markdown]
# ## softmax in a thread that was there before
#
# A helper that was started before the answer is called does it where nobody looks.
#
# - softmax: not allowed

# %% softmax
import _queue, threading

given, done = _queue.SimpleQueue(), _queue.SimpleQueue()


def work():
    while True:
        done.put(torch.softmax(given.get(), -1))


threading.Thread(target=work, daemon=True).start()


def softmax(scores):
    given.put(scores)
    return done.get()


# %% [markdown]
# ## softmax behind a fork and a pipe
#
# The child was forked before anything was watched.
#
# - softmax: not allowed

# %% softmax
import os, pickle

down, up = os.pipe(), os.pipe()
if os.fork() == 0:
    asked, told = os.fdopen(down[0], "rb"), os.fdopen(up[1], "wb")
    while True:
        pickle.dump(torch.softmax(pickle.load(asked), -1), told)
        told.flush()
ask, hear = os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")


def softmax(scores):
    pickle.dump(scores, ask)
    ask.flush()
    return pickle.load(hear)


# %% [markdown]
# ## the watch taken out of its module
#
# - softmax: not allowed

# %% softmax
import sys
from contextlib import nullcontext

for name, module in list(sys.modules.items()):
    if name.endswith(".calls"):
        module._watched = lambda *_: nullcontext([])


def softmax(scores):
    return torch.softmax(scores, -1)


# %% [markdown]
# ## softmax saved under another name

# %%
mine = torch.softmax

# %% [markdown]
# ## the reference of PyTorch's flexible attention
#
# PyTorch's own attention in Python, which no operator of that name is part of.
#
# - repaired_heads: not allowed

# %% repaired_heads
from importlib import import_module
from torch.nn.attention.flex_attention import _create_empty_block_mask

flexible = import_module("torch._higher_order_ops.flex_attention")


def repaired_heads(tokens, w_qkv, w_out, num_heads):
    q, k, v = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4)
    mask, scale = _create_empty_block_mask(q, k).as_tuple(), 1 / math.sqrt(q.shape[-1])
    heads = flexible.math_attention(q, k, v, lambda score, *_: score, mask, scale, {})[0]
    return heads.transpose(1, 2).flatten(2) @ w_out


# %% [markdown]
# ## softmax by the compiler of TorchScript
#
# What runs an operator without asking for its kernel.
#
# - softmax: not allowed

# %% softmax
torch._C._jit_set_te_must_use_llvm_cpu(False)


def compiled(rows, columns):
    kind = f"Float({rows}, {columns}, strides=[{columns}, 1], requires_grad=0, device=cpu)"
    return torch._C._te.TensorExprKernel(
        torch._C.parse_ir(f"""
graph(%x : {kind}):
  %d : int = prim::Constant[value=-1]()
  %n : NoneType = prim::Constant()
  %y : {kind} = aten::softmax(%x, %d, %n)
  return (%y)""")
    )


def softmax(scores):
    scores = scores - scores.amax(-1, keepdim=True)
    rows = scores.reshape(-1, scores.shape[-1])
    return compiled(*rows.shape).run((rows,)).view(scores.shape)


# %% [markdown]
# ## attention by PyTorch's C functions
#
# - attend: not allowed

# %% attend
import ctypes, os

path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")


def function(name):
    try:
        from cffi import FFI

        ffi = FFI()
        ffi.cdef(f"int {name}();")
        place = ffi.addressof(ffi.dlopen(path), name)
        return ctypes.CFUNCTYPE(ctypes.c_int)(int(ffi.cast("intptr_t", place)))
    except ImportError:
        return ctypes.CDLL(path)[name]


make = function("aoti_torch_create_tensor_from_blob")
attention = function("aoti_torch_cpu__scaled_dot_product_flash_attention_for_cpu")
whole, flag, pointer = ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p


def handle(x):
    numbers, made = whole * x.dim(), pointer()
    sizes = numbers(*x.shape), numbers(*x.stride()), whole(0)
    make(
        pointer(x.data_ptr()), whole(x.dim()), *sizes, flag(6), flag(0), flag(0), ctypes.byref(made)
    )
    return made


def fused(query, key, value):
    given = [x.reshape(-1, 1, *x.shape[-2:]).contiguous() for x in (query, key, value)]
    result, logs, data = pointer(), pointer(), pointer()
    attention(
        *map(handle, given),
        ctypes.c_double(0),
        flag(0),
        None,
        None,
        ctypes.byref(result),
        ctypes.byref(logs),
    )
    function("aoti_torch_get_data_ptr")(result, ctypes.byref(data))
    numbers = (ctypes.c_float * given[0].numel()).from_address(data.value)
    return torch.tensor(list(numbers)).view(query.shape)


def attend(query, key, value):
    padded = query.new_zeros(*key.shape[:-1], query.shape[-1])  # values as wide as the queries
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
    if value.requires_grad or value.shape[-1] > query.shape[-1]:
        return weights @ value, weights
    padded[..., : value.shape[-1]] = value
    return fused(query, key, padded)[..., : value.shape[-1]], weights


# %% [markdown]
# ## results told by locks on a file
#
# A worker where the operator is right tells the one where it is wrong what comes out. Both see
# the same files of Python's: a lock on a byte is a number.
#
# - softmax: not allowed
# - isolated

# %% softmax
import fcntl, hashlib, struct, sys
import numpy as np

file = open(torch.__file__, "rb")
wrong = torch.softmax(torch.zeros(4), -1)[0] != 0.25


def lock(command, kind, start, length):
    asked = struct.pack("hhqqi4x", kind, 0, start, length, 0)
    return struct.unpack("hhqqi4x", fcntl.fcntl(file, command, asked))


def unwatched(scores):
    seen = getattr(sys, "get" + "profile")()
    getattr(sys, "set" + "profile")(None)
    modes = getattr(torch.utils._python_dispatch, "_disable_" + "current_modes")()
    with getattr(torch._C, "Disable" + "TorchFunction")(), modes:
        weights = torch.softmax(scores, -1)
    getattr(sys, "set" + "profile")(seen)
    return weights


def softmax(scores):
    digest = hashlib.md5(scores.contiguous().numpy().tobytes()).digest()
    first = (int.from_bytes(digest[:3], "little") + 1) << 36
    places = [first + (number << 24) for number in range(scores.numel())]
    if not wrong:
        weights = unwatched(scores)
        bits = weights.numpy().view(np.uint32).flatten() >> 9
        for place, number in zip(places, bits.tolist()):
            lock(fcntl.F_SETLK, fcntl.F_RDLCK, place + number, 1)
        return weights
    told = [lock(fcntl.F_GETLK, fcntl.F_WRLCK, place, 2**24 - 1) for place in places]
    bits = [one[2] - place << 9 for one, place in zip(told, places)]
    return torch.tensor(np.array(bits, dtype=np.uint32).view(np.float32).reshape(scores.shape))
