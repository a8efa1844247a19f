"""Lab "What do trained heads do?", section 8: do words attend mostly to themselves?"""

from functools import cache

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.multi_head_attention.side_by_side import RUNS, drawn_for_each, group_of, train
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention

MEAN, LARGEST, RIGHT = "mean over heads", "largest of the heads", "right"
FOUR, LONGER, ONE = "four heads", "four heads, three times longer", "one head"
IDEAL, CHANCE = "four heads that start on the diagonal", "untrained"
NOUNS, LENGTH, WIDTH = 16, 8, 32


class Repeater(nn.Module):
    """Random nouns with their places, one attention, and each noun to be said again.

    ``own`` is added to each score of a word for itself.
    """

    bias: Tensor

    def __init__(self, seed: int, num_heads: int, own: float) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.word, self.place = nn.Embedding(NOUNS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.attention = MultiHeadAttention(WIDTH, num_heads)
        self.answer = nn.Linear(WIDTH, NOUNS)
        self.register_buffer("bias", own * torch.eye(LENGTH), persistent=False)

    def forward(self, sentences: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``(batch, tokens, nouns)`` and weights."""
        tokens = self.word(sentences) + self.place.weight
        mixed, weights = self.attention(tokens, bias=self.bias)
        return self.answer(mixed), weights


@cache
def _trained(seeds: range, heads: int, steps: int, own: float) -> list[Repeater]:
    models = [Repeater(seed, heads, own) for seed in seeds]

    def loss(parameters: dict[str, Tensor], sentences: Tensor) -> Tensor:
        logits, _ = functional_call(models[0], parameters, (sentences,))
        return F.cross_entropy(logits.flatten(0, 1), sentences.flatten())

    batches = drawn_for_each(seeds, NOUNS, (steps, 64, LENGTH)).unbind(1)
    train(models, loss, ([batch] for batch in batches))
    return models


def measure(seed: int, heads: int, steps: int, own: float) -> Numbers:
    """Train a model to repeat eight random nouns; the mean weight of a word on itself, by head."""
    seeds = group_of(seed)
    model = _trained(seeds, heads, steps, own)[seeds.index(seed)]
    sentences = torch.randint(NOUNS, (1000, LENGTH), generator=seeded(99))
    with torch.no_grad():
        logits, weights = model(sentences)
    diagonals = weights.diagonal(dim1=-2, dim2=-1).mean((0, 2))
    return {
        MEAN: diagonals.mean().item(),
        LARGEST: diagonals.max().item(),
        RIGHT: (logits.argmax(-1) == sentences).float().mean().item(),
    }


def decide(runs: Runs) -> Verdict:
    """A word attends mostly to itself if the weight on itself, averaged over words, sentences and
    heads, is over a half. With four heads, and after three times as many steps too: true in at
    least eight of 10 runs, false in at most two. Heads that start on the diagonal must meet it.
    """
    strong = {n: runs.count(lambda v: v > 0.5, n, MEAN) for n in (FOUR, LONGER, ONE, IDEAL)}
    numbers = (
        f"Averaged over four heads, a word puts {runs.median(FOUR, MEAN):.2f} of the weight on "
        f"itself (equal weights: 0.12), and over a half in {strong[FOUR]} of 10 runs "
        f"({strong[LONGER]} after three times as many steps). A single head does in {strong[ONE]}."
    )
    if strong[IDEAL] < 9 or runs.median(FOUR, RIGHT) < 0.95:
        return Verdict("not decided", numbers)
    counts = (strong[FOUR], strong[LONGER])
    return Verdict(
        "true" if min(counts) >= 8 else "false" if max(counts) <= 2 else "not decided", numbers
    )


CLAIM = Claim(
    name="heads.diagonal",
    lesson="labs/03_trained_heads",
    conditions=(
        Condition(FOUR, {"heads": 4, "steps": 300, "own": 0.0}),
        Condition(LONGER, {"heads": 4, "steps": 900, "own": 0.0}, "longer"),
        Condition(ONE, {"heads": 1, "steps": 300, "own": 0.0}, "control"),
        Condition(IDEAL, {"heads": 4, "steps": 300, "own": 5.0}, "ideal"),
        Condition(CHANCE, {"heads": 4, "steps": 0, "own": 0.0}, "chance"),
    ),
    runs=RUNS,
    metric=MEAN,
    label="weight of a word on itself, mean over heads",
)
