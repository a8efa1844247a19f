"""Right answers, written as somebody else would."""

from tests.grading.battery.submission import Submission, around, instead

SOFTMAX = {
    "by a logarithm": """def softmax(scores):
    shifted = scores - scores.amax(-1, keepdim=True)
    return (shifted - shifted.exp().sum(-1, keepdim=True).log()).exp()""",
    "by logaddexp": """def softmax(scores):
    total = scores[..., :1]
    for i in range(1, scores.shape[-1]):
        total = torch.logaddexp(total, scores[..., i : i + 1])
    return torch.exp(scores - total)""",
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
    "by powers of two": """def softmax(scores):
    e = torch.exp2((scores - scores.amax(-1, keepdim=True)) * math.log2(math.e))
    return e / e.sum(-1, keepdim=True)""",
    "by pairwise differences": """def softmax(scores):
    return 1 / torch.exp(scores[..., None, :] - scores[..., :, None]).sum(-1)""",
    "online": """def softmax(scores):
    top, total = torch.full_like(scores[..., 0], -torch.inf), torch.zeros_like(scores[..., 0])
    for score in scores.unbind(-1):
        new = torch.maximum(top, score)
        total = total * torch.exp(top - new) + torch.exp(score - new)
        top = new
    return torch.exp(scores - top[..., None]) / total[..., None]""",
}
ATTEND = {
    "by einsum": """def attend(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    weights = torch.nn.functional.softmax(scores, -1)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights""",
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
    "by tril": """def causal_mask(queries, keys):
    return torch.ones(queries, keys, dtype=torch.bool).tril(diagonal=keys - queries)""",
    "by loops": """def causal_mask(queries, keys):
    mask = torch.zeros(queries, keys).bool()
    for i in range(queries):
        for j in range(i + keys - queries + 1):
            mask[i, j] = True
    return mask""",
    "a list of lists": """def causal_mask(queries, keys):
    return [[k - q <= keys - queries for k in range(keys)] for q in range(queries)]""",
    "in numpy": """import numpy
def causal_mask(queries, keys):
    return numpy.tri(queries, keys, keys - queries, dtype=bool)""",
    "rows of a square": """def causal_mask(queries, keys):
    return ~torch.full((keys, keys), True).triu(1)[-queries:]""",
    "by a cumulative sum": """def causal_mask(queries, keys):
    mask = torch.zeros(queries, keys, dtype=torch.int)
    for row in range(queries):
        mask[row, : keys - queries + 1 + row] = 1
    return mask > 0""",
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
MASKED = {
    "by torch.where": """def masked_attention(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = torch.where(mask, scores, torch.tensor(-3e38))
    weights = torch.where(mask, scores.softmax(-1), torch.zeros(()))
    return weights @ value, weights""",
    "-inf, with empty rows opened": """def masked_attention(query, key, value, mask):
    empty = ~mask.any(-1, keepdim=True)
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~(mask | empty), -torch.inf)
    weights = scores.softmax(-1) * ~empty
    return weights @ value, weights""",
    "exponentials by hand": """def masked_attention(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    top = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True).detach()
    powers = torch.where(mask, torch.where(mask, scores - top, 0.0).exp(), 0.0)
    weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights @ value, weights""",
    "an additive mask": """def masked_attention(query, key, value, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min / 4)
    weights = (query @ key.mT / query.shape[-1] ** 0.5 + bias).softmax(-1) * mask
    return weights @ value, weights""",
}
PADDING = {
    "by loops": """def padding_mask(tokens, padding_id):
    return [[[[int(t) != padding_id for t in row]]] for row in tokens]""",
    "by view": """def padding_mask(tokens, padding_id):
    batch, length = tokens.shape
    return torch.not_equal(tokens, padding_id).view(batch, 1, 1, length)""",
    "by logic": """def padding_mask(tokens, padding_id):
    return torch.logical_not(tokens == padding_id).unsqueeze(-2).unsqueeze(-2)""",
    "by numpy": """import numpy as np
def padding_mask(tokens, padding_id):
    return np.expand_dims(tokens.numpy() != padding_id, (1, 2))""",
}
HEADS = {
    "a head at a time": """def repaired_heads(tokens, w_qkv, w_out, num_heads):
    width = tokens.shape[-1] // num_heads
    q, k, v = (tokens @ w_qkv).split(tokens.shape[-1], -1)
    parts = []
    for head in range(num_heads):
        here = slice(head * width, (head + 1) * width)
        w = (q[..., here] @ k[..., here].mT / math.sqrt(width)).softmax(-1)
        parts.append(w @ v[..., here])
    return torch.cat(parts, -1) @ w_out""",
    "by einsum and unflatten": """def repaired_heads(tokens, w_qkv, w_out, num_heads):
    q, k, v = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).unbind(2)
    w = torch.einsum("bqhd,bkhd->bhqk", q, k).div(math.sqrt(q.shape[-1])).softmax(-1)
    return torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2) @ w_out""",
    "the heads' outputs summed": """def repaired_heads(tokens, w_qkv, w_out, num_heads):
    q, k, v = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4)
    w = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
    return ((w @ v) @ w_out.unflatten(0, (num_heads, -1))).sum(1)""",
}
STYLES = {
    "softmax": SOFTMAX,
    "attend": ATTEND,
    "causal_mask": CAUSAL,
    "masked_attention": MASKED,
    "padding_mask": PADDING,
    "repaired_heads": HEADS,
}
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
