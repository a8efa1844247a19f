"""Right answers of other kinds: other callables, other results. Formulas are authoring/styles."""

from tests.grading.battery.submission import Submission, around, instead

SOFTMAX = {
    "by loops": """def softmax(scores):
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        top = max(row)
        powers = [math.exp(score - top) for score in row]
        rows.append([power / sum(powers) for power in powers])
    return torch.tensor(rows).reshape(scores.shape)""",
    "in numpy": """import numpy as np
def softmax(scores):
    s = scores.numpy()
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)""",
    "in float64": """def softmax(scores):
    e = (scores.double() - scores.double().max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)""",
}
ATTEND = {
    "a query at a time": """def attend(query, key, value):
    outputs, weights = [], []
    for q in query.unbind(-2):
        w = ((key * q.unsqueeze(-2)).sum(-1) / math.sqrt(q.shape[-1])).softmax(-1)
        weights.append(w)
        outputs.append((w.unsqueeze(-1) * value).sum(-2))
    return [torch.stack(outputs, -2), torch.stack(weights, -2)]""",
    "a class with __call__": """class Attend:
    def __init__(self, dropout=0.0):
        self.dropout = dropout
    def __call__(self, query, key, value):
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return weights @ value, weights
attend = Attend()""",
    "a module's instance": """class Attend(torch.nn.Module):
    def forward(self, query, key, value):
        weights = (query / query.shape[-1] ** 0.5 @ key.mT).softmax(-1)
        return weights @ value, weights
attend = Attend().eval()""",
    "functools.partial": """from functools import partial
def _attend(scaled, query, key, value):
    weights = torch.softmax(query @ key.mT / (math.sqrt(query.shape[-1]) if scaled else 1), -1)
    return weights @ value, weights
attend = partial(_attend, True)""",
    "a lambda": """attend = lambda q, k, v: (
    lambda w: (w @ v, w))((q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1))""",
    "more arguments": """def attend(query, key, value, mask=None, *rest, dropout=0.0, **options):
    weights = torch.softmax(torch.matmul(query, torch.transpose(key, -1, -2)).div(
        torch.tensor(query.shape[-1]).sqrt()), dim=-1)
    return torch.matmul(weights, value), weights""",
    "a namedtuple": """from typing import NamedTuple
class Attended(NamedTuple):
    output: Tensor
    weights: Tensor
def attend(query: Tensor, key: Tensor, value: Tensor) -> Attended:
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
    return Attended(weights @ value, weights)""",
}
CAUSAL = {
    "a list of lists": """def causal_mask(queries, keys):
    return [[k - q <= keys - queries for k in range(keys)] for q in range(queries)]""",
    "in numpy": """import numpy
def causal_mask(queries, keys):
    return numpy.tri(queries, keys, keys - queries, dtype=bool)""",
    "a jitted function": """@torch.jit.script
def causal_mask(queries: int, keys: int) -> torch.Tensor:
    return torch.arange(keys)[None] <= torch.arange(keys - queries, keys)[:, None]""",
    "decorated": """import functools
def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        print(args)
        return function(*args, **kwargs)
    return inner
@logged
@functools.lru_cache
def causal_mask(queries, keys):
    return torch.arange(keys) <= torch.arange(keys - queries, keys).view(-1, 1)""",
}
PADDING = {
    "by loops": """def padding_mask(tokens, padding_id):
    return [[[[int(t) != padding_id for t in row]]] for row in tokens]""",
    "by numpy": """import numpy as np
def padding_mask(tokens, padding_id):
    return np.expand_dims(tokens.numpy() != padding_id, (1, 2))""",
}
STYLES = {"softmax": SOFTMAX, "attend": ATTEND, "causal_mask": CAUSAL, "padding_mask": PADDING}
IMPORTED = """from torch.nn.functional import softmax as weights_of
from math import sqrt as root
import operator
self_attention = lambda tokens, *ws: (lambda q, k, v: operator.matmul(
    weights_of(q @ k.mT / root(q.shape[-1]), dim=-1), v))(*(tokens @ w for w in ws))"""
NOISY = """def attention_scores(query, key):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return scores * (1 + 1e-6 * torch.rand_like(scores))"""
METHOD = """class Masks:
    @staticmethod
    def padding_mask(tokens, padding_id):
        return tokens.ne(padding_id)[:, None, None]
    @classmethod
    def causal_mask(cls, queries, keys):
        return torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
padding_mask, causal_mask = Masks.padding_mask, Masks.causal_mask"""


def _together(number: int) -> Submission:
    """The style of this number of every answer that has so many."""
    chosen = {
        answer: list(styles.items())[number]
        for answer, styles in STYLES.items()
        if number < len(styles)
    }
    words = ", ".join(f"{answer} {style}" for answer, (style, _) in chosen.items())
    return Submission(words, instead(**{answer: one for answer, (_, one) in chosen.items()}))


BAR = """from tqdm import tqdm
def attention_scores(query, key):
    for _ in tqdm(range(3)):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return scores"""
THREADS = """from concurrent.futures import ThreadPoolExecutor
def causal_mask(queries, keys):
    def row(query):
        return torch.arange(keys) <= query + keys - queries
    with ThreadPoolExecutor(2) as pool:
        return torch.stack(list(pool.map(row, range(queries))))"""
QUEUE = """import queue
def softmax(scores):
    rows = queue.PriorityQueue()
    for number, row in enumerate(scores.reshape(-1, scores.shape[-1])):
        rows.put((number, (row - row.max()).exp()))
    done = [rows.get()[1] for _ in range(rows.qsize())]
    return torch.stack([row / row.sum() for row in done]).reshape(scores.shape)"""
HELPER = """%%writefile masks.py
import torch
def causal(queries, keys):
    return torch.ones(queries, keys).tril(keys - queries) > 0"""
COUNTED = """import gc
print(sum(torch.is_tensor(one) for one in gc.get_objects()))"""
FRAMES = """import inspect
def here():
    return inspect.currentframe().f_back.f_lineno
print(here())"""
# Where operators are wrong on purpose, the test fails, and the answer behind it must still exist.
TESTED = """x = torch.randn(3)
assert torch.allclose(torch.softmax(x, -1), x.exp() / x.exp().sum())
def softmax(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)"""
SUBMISSIONS = (
    *(_together(number) for number in range(max(map(len, STYLES.values())))),
    Submission("imported from elsewhere", instead(self_attention=IMPORTED)),
    Submission("float32 noise", instead(attention_scores=NOISY)),
    Submission("methods", instead(padding_mask="", causal_mask=METHOD)),
    Submission("a progress bar", instead(attention_scores=BAR)),
    Submission("threads and a queue", instead(causal_mask=THREADS, softmax=QUEUE)),
    Submission(
        "a helper in a file of its own",
        around([HELPER], causal_mask="from masks import causal as causal_mask"),
    ),
    Submission("tensors counted by the garbage collector", around([COUNTED])),
    Submission("a function of the interpreter's stack", around([FRAMES])),
    Submission("its own test beside the answer", instead(softmax=TESTED)),
)
