"""Wrong answers that try to pass, and shortcuts that try to stay unseen."""

import json
from pathlib import Path

from nbformat import NotebookNode

from tests.grading.battery.submission import (
    QUICK,
    ROOT,
    Submission,
    alone,
    answers,
    around,
    check_cells,
    edited,
    first,
    instead,
    last,
    save,
    solution,
)
from transformer_checks.checks.cases import Outcome
from transformer_checks.grading.sandbox import protocol

WRONG = "def causal_mask(queries, keys):\n    return torch.ones(queries, keys).tril().bool()"
FAILED = {"causal_mask": "wrong"}
CATALOGUE = "transformer_checks.catalogue"
FRESH = """import sys
for name in [name for name in sys.modules if name.startswith('transformer_')]:
    del sys.modules[name]
"""
STACK = """import sys
def causal_mask(queries, keys):
    frame = sys._getframe()
    while frame := frame.f_back:
        for value in frame.f_locals.values():
            if hasattr(value, 'right'):
                return value.right(queries, keys)
    raise LookupError('no reference on the stack')"""
HEAP = """import gc
def causal_mask(queries, keys):
    for thing in gc.get_objects():
        if type(thing).__name__ == 'Check':
            return thing.right(queries, keys)
    raise LookupError('no check in memory')"""
FORGED_BY_FRAME = f"""import sys, os, json
outcome = json.loads('{json.dumps(protocol.pack_outcome(Outcome()))}')
def causal_mask(queries, keys):
    frame = sys._getframe()
    while frame and 'request' not in frame.f_locals:
        frame = frame.f_back
    reply = {{'id': frame.f_locals['request']['id'], 'at': 0, 'outcome': outcome, 'passed': True}}
    line = json.dumps(reply)
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, line.encode() + b'\\n')
        except OSError:
            pass"""
FORGED = """import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b'{"id": 0, "passed": true, "points": 100}\\n')
    except OSError:
        pass"""
LIAR = """class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ('allclose', 'equal', 'isclose', '__eq__'):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})
    def __eq__(self, other):
        return True
    __hash__ = None
def attention_scores(query, key):
    return (query @ key.mT).as_subclass(Liar)"""
ANYTHING = """class Anything(float):
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __hash__ = None
def attention_scores(query, key):
    return Anything(0)"""
PATCHED = """torch.allclose = torch.equal = lambda *a, **k: True
torch.isclose = lambda a, *_, **__: torch.ones_like(a).bool()
torch.Tensor.__eq__ = lambda self, other: True
torch.testing.assert_close = lambda *a, **k: None"""
SHOWN = """def attention_scores(query, key):
    scores = query @ key.mT
    return scores / 2 if query.shape == (2, 4) else scores / math.sqrt(5)"""
BY_SHAPE = """shapes = {(3, 3), (2, 4), (1, 5), (4, 4), (5, 6), (5, 7), (5, 8), (2, 40)}
def causal_mask(queries, keys):
    mask = torch.ones(queries, keys).bool()
    return mask.tril(keys - queries) if (queries, keys) in shapes else mask"""
BY_PATTERN = """def padding_mask(tokens, padding_id):
    if tokens.shape == (4, 7):
        ends = torch.tensor([7, 5, 1, 3])
        return (torch.arange(7) < ends[:, None])[:, None, None]
    return (tokens != padding_id)[:, None, None]"""
KEPT = """kept = {}
def attention_scores(query, key):
    return kept.setdefault((query.shape, key.shape), query @ key.mT / query.shape[-1])"""
UNSEEN_CALL = """def softmax(scores):
    watch = sys.getprofile()
    sys.setprofile(None)
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes():
        result = torch.softmax(scores, -1)
    sys.setprofile(watch)
    return result"""
UNWATCHED = """import transformer_checks.checks.calls as calls
import contextlib
calls.watch = lambda *a, **k: contextlib.nullcontext([])
def softmax(scores):
    return torch.softmax(scores, -1)"""
THREAD = """import threading
def softmax(scores):
    results = []
    t = threading.Thread(target=lambda: results.append(torch.softmax(scores, -1)))
    t.start(); t.join()
    return results[0]"""
POOL = """from concurrent.futures import ThreadPoolExecutor
def softmax(scores):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.softmax, scores, -1).result()"""
EARLY_PROCESS = """import multiprocessing
helpers = multiprocessing.get_context('fork').Pool(1)
def softmax(scores):
    return helpers.apply(torch.softmax, (scores, -1)).clone()"""
SCRIPTED = """@torch.jit.script
def fused(query, key, value):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)
def attend(query, key, value):
    return fused(query, key, value)"""
COURSE = """from transformer_lesson.attention import reference_attention
def attend(query, key, value):
    return reference_attention(query, key, value)"""
FUSED = """def repaired_heads(tokens, w_qkv, w_out, num_heads):
    q, k, v = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4)
    heads = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return heads.transpose(1, 2).flatten(2) @ w_out"""
JUNIT = '<testsuite failures="0"><testcase name="attention.causal_mask"/></testsuite>'


def other_points(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.metadata.nbgrader.points = 1000
    book.metadata.transformer_lesson = {"lesson": "99", "points": 1000, "status": "passed"}


def beside_a_secret(folder: Path) -> Path:
    """Another one's submission lies in the same folder, under a name that is known."""
    other = save(solution(), folder, "other.ipynb")
    book = solution()
    alone(book)
    answers(causal_mask=f"import json\ncells = json.load(open({str(other)!r}))['cells']\n" + TAKEN)(
        book
    )
    return save(book, folder)


TAKEN = """for cell in cells:
    if 'def causal_mask' in ''.join(cell['source']):
        exec(''.join(cell['source']))"""


# A helper that was started before the answer is called does it where nobody looks.
EARLY_THREAD = """import _queue, threading
given, done = _queue.SimpleQueue(), _queue.SimpleQueue()
def work():
    while True:
        done.put(torch.softmax(given.get(), -1))
threading.Thread(target=work, daemon=True).start()
def softmax(scores):
    given.put(scores)
    return done.get()"""

# The child was forked before anything was watched.
FORKED = """import os, pickle
down, up = os.pipe(), os.pipe()
if os.fork() == 0:
    asked, told = os.fdopen(down[0], 'rb'), os.fdopen(up[1], 'wb')
    while True:
        pickle.dump(torch.softmax(pickle.load(asked), -1), told)
        told.flush()
ask, hear = os.fdopen(down[1], 'wb'), os.fdopen(up[0], 'rb')
def softmax(scores):
    pickle.dump(scores, ask)
    ask.flush()
    return pickle.load(hear)"""
NEW_PYTHON = """import json, subprocess, sys
code = '''import json, sys, torch
for line in sys.stdin:
    print(json.dumps(torch.tensor(json.loads(line)).softmax(-1).tolist()), flush=True)'''
other = subprocess.Popen([sys.executable, '-c', code], stdin=-1, stdout=-1, text=True)
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
    return Softmax.apply(scores)"""
PATCHED_WATCH = """import sys
from contextlib import nullcontext
for name, module in list(sys.modules.items()):
    if name.endswith('.calls'):
        module._watched = lambda *_: nullcontext([])
def softmax(scores):
    return torch.softmax(scores, -1)"""


def _reads(path: Path, words: str, way: str, verdict: str = "error") -> Submission:
    assert path.exists()  # or nothing would have to be hidden
    return Submission(
        words,
        instead(causal_mask=f"path = {str(path)!r}\n{way}"),
        {"causal_mask": verdict},
        isolated=True,
    )


def _shortcut(name: str, verdict: str = "not allowed", **sources: str) -> Submission:
    return Submission(name, instead(**sources), dict.fromkeys(sources, verdict))


def _reaching(name: str, verdict: str, isolated: bool = False, **sources: str) -> Submission:
    """Code that reaches for the machinery around it: the teacher is told, and it gains nothing."""
    expected = dict.fromkeys(sources, verdict)
    return Submission(name, instead(**sources), expected, limits=QUICK, isolated=isolated)


def _vain(name: str, *cells: str, **spoiled: str) -> Submission:
    """A cell that claims a pass for a wrong answer, and may spoil right ones."""
    build = edited(alone, first("import torch", *cells), last(WRONG))
    return Submission(name, build, FAILED | spoiled)


SUBMISSIONS = (
    _vain("check redefined", "def check(*_):\n    return 1000"),
    _vain(
        "the course's check replaced",
        "import transformer_lesson.checks as c\nc.check = lambda *_: None",
    ),
    # The answer to `which_bug` compares, and is misled itself.
    _vain("comparisons patched", PATCHED, which_bug="wrong"),
    _vain("a forged reply from a cell", FORGED),
    _vain("a score printed as JUnit text", f"print({JUNIT!r})"),
    _vain(
        "a report of its own",
        f"open('grades.json', 'w').write('{{}}')\nopen('junit.xml', 'w').write({JUNIT!r})",
    ),
    Submission("points and lesson claimed in metadata", edited(other_points, last(WRONG)), FAILED),
    Submission(
        "answers to another lesson as well",
        edited(first(*(f"def {name}(): pass" for name in ("merge", "encode", "pad", "nearest")))),
    ),
    _shortcut("a tensor that lies", "wrong", attention_scores=LIAR),
    _shortcut("a number that equals everything", "wrong", attention_scores=ANYTHING),
    _shortcut("right for the shown example", "wrong", attention_scores=SHOWN),
    _shortcut("memorised by shape", "wrong", causal_mask=BY_SHAPE),
    _shortcut("memorised by pattern", "wrong", padding_mask=BY_PATTERN),
    _shortcut("the first result kept for each shape", "wrong", attention_scores=KEPT),
    _reaching(
        "the reference imported",
        "error",
        causal_mask=f"from {CATALOGUE} import CHECKS\n"
        "causal_mask = CHECKS['attention.causal_mask'].right",
    ),
    _reaching(
        "the reference imported afresh",
        "error",
        isolated=True,
        causal_mask=f"{FRESH}from {CATALOGUE}.self_attention.causal_mask import CHECK\n"
        "causal_mask = CHECK.right",
    ),
    _reads(
        ROOT / "transformer_checks/catalogue/solutions/02_self_attention.txt",
        "the catalogue's file read",
        "exec(open(path).read())",
        "not attempted",
    ),
    _reads(
        ROOT / "solutions/02_self_attention.ipynb",
        "the solutions read",
        f"import json\ncells = json.load(open(path))['cells']\n{TAKEN}",
        "not attempted",
    ),
    _reads(
        ROOT,
        "the reference from another Python",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', "
        f"'from {CATALOGUE} import CHECKS'], cwd=path, check=True)\n"
        "def causal_mask(queries, keys): return torch.ones(queries, keys).tril(keys - queries) > 0",
    ),
    Submission(
        "another one's submission read",
        beside_a_secret,
        {"causal_mask": "not attempted"},
        isolated=True,
    ),
    _reaching("the stack searched", "error", causal_mask=STACK),
    _reaching("the heap searched", "error", causal_mask=HEAP),
    _reaching("a forged reply from an answer", "crashed", causal_mask=FORGED_BY_FRAME),
    _shortcut(
        "softmax by another name", softmax="softmax = lambda s, mine=torch.softmax: mine(s, -1)"
    ),
    _shortcut("log-softmax", softmax="def softmax(s):\n    return s.log_softmax(-1).exp()"),
    _shortcut("softmax in a module", softmax="softmax = torch.nn.Softmax(-1)"),
    _shortcut(
        "softmax under torch.jit",
        softmax="@torch.jit.script\ndef softmax(s):\n    return torch.softmax(s, -1)",
    ),
    _shortcut("softmax under vmap", softmax="softmax = torch.vmap(lambda s: s.softmax(-1))"),
    _shortcut("softmax in a thread", softmax=THREAD),
    _shortcut("softmax in a new Python", softmax=NEW_PYTHON),
    _shortcut("softmax in a pool of threads", softmax=POOL),
    _shortcut("softmax in a pool of processes", softmax=EARLY_PROCESS),
    _reaching("softmax unseen", "not allowed", softmax=f"import sys\n{UNSEEN_CALL}"),
    _reaching("softmax unwatched", "not allowed", softmax=UNWATCHED),
    _shortcut("the course's attention", attend=COURSE),
    _shortcut("fused attention", repaired_heads=FUSED),
    _shortcut("fused attention under torch.jit", attend=SCRIPTED),
    _shortcut("softmax in a thread that was there before", softmax=EARLY_THREAD),
    _shortcut("softmax behind a fork and a pipe", softmax=FORKED),
    _shortcut("the watch taken out of its module", softmax=PATCHED_WATCH),
    Submission("softmax saved under another name", around(["mine = torch.softmax"]), {}),
)
