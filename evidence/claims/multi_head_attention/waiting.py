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
TOGETHER = "64 tokens, all at once"
WIDTH, REPEATS = 64, 25


def measure(seed: int, tokens: int, in_turn: bool) -> Numbers:
    """Processor time of a recurrent layer over that of attention, taken in turn.

    Not ``in_turn``: the recurrent layer gets the tokens as sequences of one token each. It makes
    the same multiplications, and no state waits for another.
    """
    torch.manual_seed(seed)
    recurrent = nn.RNN(WIDTH, WIDTH, batch_first=True)
    attention = MultiHeadAttention(WIDTH, 4, generator=seeded(seed))
    x = torch.randn(1, tokens, WIDTH, generator=seeded(seed))
    steps = x if in_turn else x.transpose(0, 1)
    times: list[tuple[float, float]] = []
    with torch.no_grad():
        for _ in range(REPEATS + 1):
            times.append((_seconds(recurrent, steps), _seconds(attention, x)))
    slow, fast = map(median, zip(*times[1:], strict=True))  # the first one warms up
    return {RATIO: slow / fast, "ms of attention": 1000 * fast}


def _seconds(layer: Callable[[Tensor], object], x: Tensor) -> float:
    start = process_time()
    layer(x)
    return process_time() - start


def decide(runs: Runs) -> Verdict:
    short, long, together = (runs.median(name, RATIO) for name in (SHORT, LONG, TOGETHER))
    numbers = (
        f"At 64 tokens the recurrent layer takes {short:.1f} times as long as attention, although "
        f"it has a third of the operations; at 1,024 tokens {long:.1f} times. Given the tokens all "
        f"at once, it takes {together:.2f} times as long (medians of 10 runs)."
    )
    slower = runs.count(lambda value: value > 1, SHORT, RATIO)
    if slower < 9:
        return Verdict("false" if slower <= 1 else "not decided", numbers)
    if together > short / 2:
        return Verdict("half true", numbers)
    return Verdict("true" if long > 1 else "true here", numbers)


CLAIM = Claim(
    name="architectures.waiting",
    lesson="labs/03_architectures",
    says="A recurrent layer is slow because each step waits for the one before.",
    title="A recurrent layer is slow on short texts and fast on long ones",
    source="Vaswani et al. 2017, section 1 and table 1",
    measure=measure,
    conditions=(
        Condition(SHORT, {"tokens": 64, "in_turn": True}),
        Condition(LONG, {"tokens": 1024, "in_turn": True}, "longer"),
        Condition(TOGETHER, {"tokens": 64, "in_turn": False}, "control"),
    ),
    metric=RATIO,
    label="time of the recurrent layer / time of attention",
    along="tokens",
    axis="tokens",
    criterion=(
        "At width 64 and 64 tokens the recurrent layer takes longer than attention in at least "
        "nine of 10 runs. The waiting is the reason if the same multiplications without it take "
        "less than half as long. True if it also takes longer at 1,024 tokens, otherwise true here."
    ),
    timed=True,
    decide=decide,
)
