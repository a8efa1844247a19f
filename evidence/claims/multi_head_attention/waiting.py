"""Lab "Attention, recurrence, convolution", section 2: does a recurrent layer lose time waiting?"""

from collections.abc import Callable
from statistics import median
from time import process_time

import torch
from torch import Tensor, nn

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention

RATIO = "recurrent / attention"
SHORT, LONG = "64 tokens", "1,024 tokens"
WAITING, FREE = "64 tokens, a loop that waits", "64 tokens, a loop that does not wait"
TOGETHER, MANY = "64 tokens, all at once", "64 tokens, 64 sentences"
WIDTH, REPEATS = 64, 25


def measure(seed: int, tokens: int, way: str = "layer", sentences: int = 1) -> Numbers:
    """Processor time of a recurrent layer over that of attention, taken in turn.

    ``"waits"`` and ``"free"`` are a loop over the tokens: each step begins with the state of the
    one before, or with zeros, so that no step waits. ``"at once"`` gives the layer the tokens as
    sequences of one token each: the same multiplications in one product.
    """
    torch.manual_seed(seed)
    recurrent, cell = nn.RNN(WIDTH, WIDTH, batch_first=True), nn.RNNCell(WIDTH, WIDTH)
    attention = MultiHeadAttention(WIDTH, 4, generator=seeded(seed))
    x = torch.randn(sentences, tokens, WIDTH, generator=seeded(seed))
    zeros = torch.zeros(sentences, WIDTH)

    def run(x: Tensor) -> object:
        if way == "layer":
            return recurrent(x)
        if way == "at once":
            return recurrent(x.transpose(0, 1))
        states = [zeros]
        for t in range(tokens):
            states.append(cell(x[:, t], states[-1] if way == "waits" else zeros))
        return torch.stack(states[1:], 1)

    times: list[tuple[float, float]] = []
    with torch.no_grad():
        for _ in range(REPEATS + 1):
            times.append((_seconds(run, x), _seconds(attention, x)))
    slow, fast = map(median, zip(*times[1:], strict=True))  # the first one warms up
    return {RATIO: slow / fast, "ms of attention": 1000 * fast}


def _seconds(layer: Callable[[Tensor], object], x: Tensor) -> float:
    start = process_time()
    layer(x)
    return process_time() - start


def decide(runs: Runs) -> Verdict:
    """On one core, at width 64 and 64 tokens, the recurrent layer takes longer than attention in at
    least nine of 10 runs. False if in all 10 pairs a loop in which no step waits takes more than
    half as long as one in which each does: then most of a step's time is not waiting. If it takes
    less than half in all, the waiting is the reason: true if the layer is slower at 1,024 tokens
    too, otherwise true here.
    """
    short, long, waiting, free, many = (
        runs.median(name, RATIO) for name in (SHORT, LONG, WAITING, FREE, MANY)
    )
    share = [b / a for a, b in runs.pairs(WAITING, FREE, RATIO)]
    numbers = (
        f"At 64 tokens the recurrent layer takes {short:.1f} times as long as attention, and "
        f"{many:.2f} times with 64 sentences at once. A loop in which each step waits takes "
        f"{waiting:.1f} times as long, one in which none does {free:.1f} times: {min(share):.2f} "
        f"to {max(share):.2f} of that in each pair."
    )
    slower = runs.count(lambda value: value > 1, SHORT, RATIO)
    if slower >= 9 and min(share) > 0.5:
        return Verdict("false", numbers)
    if slower >= 9 and max(share) < 0.5:
        return Verdict("true" if long > 1 else "true here", numbers)
    return Verdict("not decided", numbers)


CLAIM = Claim(
    name="architectures.waiting",
    lesson="labs/03_architectures",
    conditions=(
        Condition(SHORT, {"tokens": 64}),
        Condition(LONG, {"tokens": 1024}, "longer"),
        Condition(WAITING, {"tokens": 64, "way": "waits"}, "control"),
        Condition(FREE, {"tokens": 64, "way": "free"}, "control"),
        Condition(TOGETHER, {"tokens": 64, "way": "at once"}, "control"),
        Condition(MANY, {"tokens": 64, "sentences": 64}, "control"),
    ),
    different=((FREE, TOGETHER),),
    first=200,
    metric=RATIO,
    label="time of the recurrent layer / time of attention",
    timed=True,
)
