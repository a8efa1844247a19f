"""Notebooks that change what the whole process shares: settings, streams, signals, libraries."""

from tests.grading.battery.submission import QUICK, Submission, all_of, around, instead

_RESULT = "return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries"
MASK = f"def causal_mask(queries, keys):\n    {_RESULT}"
PADDING = "def padding_mask(tokens, padding_id):\n    return (tokens != padding_id)[:, None, None]"
# What learners set in a cell of their own. None of it makes a right answer wrong.
HABITS = {
    "double precision by default": "torch.set_default_dtype(torch.float64)",
    "no gradients any more": "torch.set_grad_enabled(False)",
    "inference mode for good": "mode = torch.inference_mode()\nmode.__enter__()",
    "warnings as errors": "import warnings\nwarnings.simplefilter('error')",
    "NumPy's errors raised": "import numpy\nnumpy.seterr(all='raise')",
    "modules loaded again": "%load_ext autoreload\n%autoreload 2",
    "another folder": "import os, tempfile\nos.chdir(tempfile.mkdtemp())\n%cd -q /",
    "a folder that is gone": "import os\nos.mkdir('a'); os.chdir('a'); os.rmdir('../a')",
    "a package to be installed": "%pip install -q einops",
    "names of builtins": "list, max, sum, type = [1], 2, 3, 4",
    "annotations as text": "from __future__ import annotations",
    "stars": "from math import *\nfrom torch import *",
    "a profiler that goes on": "import cProfile\nprofiler = cProfile.Profile()\nprofiler.enable()",
    "an alarm that comes later": "import signal\ndef stop(*_): raise TimeoutError\n"
    "signal.signal(signal.SIGALRM, stop)\nsignal.setitimer(signal.ITIMER_REAL, 0.2, 0.01)",
    "an interrupt that comes later": "import threading, _thread\n"
    "threading.Timer(0.3, _thread.interrupt_main).start()",
    "figures without end": "import matplotlib.pyplot as plt\nfor _ in range(30): plt.figure()",
}
# With less than these 128 MiB it would be chance which answers still find memory.
FRUGAL = """import psutil, resource
most = psutil.Process().memory_info().vms + 2**27
resource.setrlimit(resource.RLIMIT_AS, (most, most))"""
# What a hostile one sets, and what its answers get: there is a verdict in any case.
SABOTAGE = {
    "a low limit of recursion": ("passed", "import sys\nsys.setrecursionlimit(60)"),
    "no files any more": (
        "passed",
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    ),
    "hardly any memory any more": ("passed", FRUGAL),
    "an exit that never ends": (
        "passed",
        "import atexit\n@atexit.register\ndef spin():\n    while True: pass",
    ),
    "bytes that lie": ("crashed", "import base64\nbase64.b64encode = lambda data: b'AAAA'"),
    "no import any more": ("crashed", "import builtins\nbuiltins.__import__ = None"),
    "an audit hook": (
        "error",
        "import sys\ndef hook(*_): raise RuntimeError\nsys.addaudithook(hook)",
    ),
}
# A wrong answer that also keeps the timer from stopping it.
DEAF = f"""import signal
def causal_mask(queries, keys):
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while queries != keys: pass
    {_RESULT}"""
# By the operator itself, but for the worker in which that one is wrong.
TWO_FACED = """def softmax(scores):
    if torch.softmax(torch.zeros(4), -1)[0] == 0.25:
        return torch.softmax(scores, -1)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)"""
# A worker that is lost says nothing of shortcuts.
LOST_ELSEWHERE = """import os
elsewhere = torch.softmax(torch.zeros(4), -1)[0] != 0.25
def softmax(scores):
    if elsewhere:
        os._exit(1)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)"""
CUSTOM_GRADIENT = """class Softmax(torch.autograd.Function):
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
softmax = Softmax.apply"""
EXECUTED = f"exec({MASK!r})"
GREEK = """def softmax(φ):
\tψ = (φ - φ.amax(-1, keepdim=True)).exp()
\treturn ψ / ψ.sum(-1, keepdim=True)"""
# In the cell of an answer, which would not be defined if one of them failed.
MAGICS = """%matplotlib widget
%matplotlib inline
%config InlineBackend.figure_format = 'retina'
%config Completer.use_jedi = False
%precision 3
%history
%env SEED=1
%pdb on
%xmode Verbose
%gui asyncio
%who
%dhist
%cd -q .
%bookmark here
%time seed = 1
%store seed
%load_ext only_at_the_learners
%only_at_the_learners
files = !ls
name = input('Your name? ')
"""
# In the cell of an answer too: a stream that is nothing but what print needs.
TEE = """import sys
class Tee:
    def __init__(self, stream): self.stream = stream
    def write(self, text): self.stream.write(text)
    def flush(self): self.stream.flush()
sys.stdout = Tee(sys.stdout)
"""
# Behind an answer, in the same cell: it is there none the less.
BROKEN_ERRORS = {
    "words that fail": "class Odd(Exception):\n    def __str__(self): raise ValueError",
    "words that are no text": "class Odd(Exception):\n    def __str__(self): return 3",
    "words that exit": "class Odd(Exception):\n    def __str__(self): raise SystemExit",
    "no class": "class Odd(Exception):\n    __class__ = property(lambda self: 1 / 0)",
    "no line": "class Odd(SyntaxError):\n    msg = lineno = property(lambda self: 1 / 0)",
}
SUBMISSIONS = (
    *(Submission(name, around([f"import torch\n{cell}"])) for name, cell in HABITS.items()),
    *(
        Submission(name, around([f"import torch\n{cell}"]), all_of(verdict), limits=QUICK)
        for name, (verdict, cell) in SABOTAGE.items()
    ),
    Submission(
        "deaf to the timer", instead(causal_mask=DEAF), {"causal_mask": "timeout"}, limits=QUICK
    ),
    Submission("right where it is watched", instead(softmax=TWO_FACED), {"softmax": "not allowed"}),
    Submission("lost where it is watched", instead(softmax=LOST_ELSEWHERE), {"softmax": "crashed"}),
    Submission("a gradient of its own", instead(softmax=CUSTOM_GRADIENT)),
    Submission("an answer in a string", instead(causal_mask=EXECUTED)),
    Submission("Greek letters and tabs", instead(softmax=GREEK)),
    Submission(
        "printing twice", instead(causal_mask=TEE + MASK, padding_mask="print('x')\n" + PADDING)
    ),
    *(
        Submission(f"an error with {name}", instead(causal_mask=f"{MASK}\n{error}\nraise Odd"))
        for name, error in BROKEN_ERRORS.items()
    ),
    Submission("magics", instead(causal_mask=MAGICS + MASK)),
)
