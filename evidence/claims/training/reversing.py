"""The model of lesson 07's bug hunt: nine functions, and mistakes as edits of their text.

It says a sentence of five to eight words backwards. Shorter sentences end in padding, and said
backwards they begin with it: no loss is taken there.
"""

import inspect
import math
from collections.abc import Mapping
from types import SimpleNamespace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.training import TrainingConfig, summed_cross_entropy, train
from transformer_lesson.training.losses import Loss

PAD, WORDS = 0, 10  # the words are ids 1 to 10
WIDTH, LENGTH, HEADS = 32, 8, 4
PARTS = ("query", "key", "value", "output")
Weights = Mapping[str, Tensor]  # by part


def embedding(generator: torch.Generator) -> Tensor:
    return torch.randn(1 + WORDS, WIDTH, generator=generator) / math.sqrt(WIDTH)


def positions() -> Tensor:
    angle = torch.arange(LENGTH)[:, None] / 10_000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def norm(x: Tensor) -> Tensor:
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt(centered.square().mean(-1, keepdim=True) + 1e-5)


def attention_weights(query: Tensor, key: Tensor, real: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~real[:, None, None, :], -1e9)
    return scores.softmax(dim=-1)


def split(y: Tensor) -> Tensor:
    return y.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def attend(x: Tensor, w: Weights, real: Tensor) -> Tensor:
    query, key, value = (split(x @ w[name]) for name in ("query", "key", "value"))
    heads = attention_weights(query, key, real) @ value
    return heads.transpose(1, 2).flatten(-2) @ w["output"]


def layer(x: Tensor, w: Weights, real: Tensor) -> Tensor:
    x = x + attend(norm(x), w, real)
    return x + F.relu(norm(x) @ w["up"]) @ w["down"]


def hidden(tokens: Tensor, word: Tensor, w: Weights) -> Tensor:
    x = math.sqrt(WIDTH) * word[tokens] + positions()
    return norm(layer(x, w, tokens != PAD))


def loss_of(logits: Tensor, targets: Tensor) -> Loss:
    return summed_cross_entropy(logits, targets, padding_id=PAD)


FUNCTIONS = (
    embedding, positions, norm, attention_weights, split, attend, layer, hidden, loss_of,
)  # fmt: skip
ROOT = "math.sqrt(query.shape[-1])"
SPLIT = {"y.unflatten(-1, (HEADS, -1)).transpose(1, 2)": "y.view(len(y), HEADS, LENGTH, -1)"}
MERGED = {"heads.transpose(1, 2).flatten(-2)": "heads.reshape(x.shape)"}
BUGS = {
    "divided by √d_model": {ROOT: "math.sqrt(WIDTH)"},
    "softmax over the queries": {"softmax(dim=-1)": "softmax(dim=-2)"},
    "padding not masked": {".masked_fill(~real[:, None, None, :], -1e9)": ""},
    "split by view": SPLIT,
    "merged by view": MERGED,
    "split and merged by view": SPLIT | MERGED,
    "no output projection": {' @ w["output"]': ""},
    "norm over the tokens": {"(-1, keepdim=True)": "(1, keepdim=True)"},
    "residual from the norm": {"x = x + attend": "x = norm(x) + attend", "x + F": "norm(x) + F"},
    "no positions": {" + positions()": ""},
    "embeddings √d too loud": {" / math.sqrt(WIDTH)": ""},
    "loss on probabilities": {"cross_entropy(logits": "cross_entropy(logits.softmax(-1)"},
}


def code_of(bug: str) -> SimpleNamespace:
    """Return the functions as if a bug, or ``"no bug"``, had been typed."""
    code = "\n\n".join(inspect.getsource(function) for function in FUNCTIONS)
    for old, new in BUGS.get(bug, {}).items():
        if old not in code:
            raise ValueError(f"{bug}: the code does not hold {old!r}")
        code = code.replace(old, new)
    names = dict(globals())
    exec(code, names)
    return SimpleNamespace(**names)


class Reverser(nn.Module):
    """One layer of the functions in ``code``, with weights drawn from a seed."""

    def __init__(self, code: SimpleNamespace, seed: int) -> None:
        super().__init__()
        self.code, generator = code, seeded(seed)

        def matrix(rows: int, columns: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns, generator=generator) / math.sqrt(rows))

        self.word = nn.Parameter(code.embedding(generator))
        self.output = matrix(WIDTH, 1 + WORDS)
        sizes = dict.fromkeys(PARTS, (WIDTH, WIDTH))
        sizes |= {"up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
        self.w = nn.ParameterDict({name: matrix(*size) for name, size in sizes.items()})

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits ``(batch, LENGTH, 1 + WORDS)``."""
        x: Tensor = self.code.hidden(tokens, self.word, self.w)
        return x @ self.output


def random_sentences(number: int, rows: int = 64) -> Tensor:
    """Return sentences of five to eight random words, filled up with padding."""
    generator = seeded(number)
    words = torch.randint(1, 1 + WORDS, (rows, LENGTH), generator=generator)
    lengths = torch.randint(5, LENGTH + 1, (rows, 1), generator=generator)
    return words.masked_fill(torch.arange(LENGTH) >= lengths, PAD)


def share_right(bug: str, seed: int, steps: int) -> float:
    """Train one model, and return the share of words that it says rightly in 500 new sentences."""
    code = code_of(bug)
    model = Reverser(code, seed)

    def objective(model: nn.Module, tokens: Tensor) -> Loss:
        loss: Loss = code.loss_of(model(tokens), tokens.flip(1))
        return loss

    def batches(number: int) -> Tensor:
        return random_sentences(number + 10_000 * seed)

    config = TrainingConfig(steps=steps, learning_rate=1e-2, warmup_steps=30)
    train(model, objective, batches, config, progress=False)
    unseen = random_sentences(10**6, 500)
    with torch.no_grad():
        said = model(unseen)[..., 1:].argmax(-1) + 1
    wanted = unseen.flip(1)
    real = wanted != PAD
    return (said == wanted)[real].float().mean().item()
