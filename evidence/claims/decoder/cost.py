"""Lab 06, section 7: does a token cost the same wherever it stands?"""

from statistics import median
from time import process_time

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly

RATIO, EARLY_PLACE = "time of this token over that of token 8", 8
NEAR, FAR, WITHOUT = "token 256, cached", "token 4,096, cached", "token 256, no cache"


@torch.no_grad()
def milliseconds(model: DecoderOnly, tokens: torch.Tensor, cached: bool) -> float:
    """Processor time of the last token: the median of nine, the earlier ones read before."""
    times = []
    cache = KeyValueCache(model.config.num_layers)
    model(tokens[:, :-9], cache)  # prefill
    for end in range(tokens.shape[1] - 9, tokens.shape[1]):
        start = process_time()
        if cached:
            model(tokens[:, end : end + 1], cache)
        else:
            model(tokens)
        times.append(1000 * (process_time() - start))
    return median(times)


def measure(seed: int, place: int, cached: bool) -> Numbers:
    """Time of a token at ``place``, of one text, over that of an early one."""
    config = ModelConfig(1000, d_model=256, num_layers=4, d_ff=1024, max_tokens=4096)
    model = DecoderOnly(config, generator=seeded(seed)).eval()
    tokens = torch.randint(1, 1000, (1, place), generator=seeded(seed))
    milliseconds(model, tokens[:, : EARLY_PLACE + 9], cached)  # warm up
    early = milliseconds(model, tokens[:, : EARLY_PLACE + 9], cached)
    late = milliseconds(model, tokens, cached)
    return {RATIO: late / early, "early, ms": early, "late, ms": late}


def decide(runs: Runs) -> Verdict:
    """Medians of the runs, width 256, four layers, one text. True if token 256 and token 4,096 take
    less than 1.5 times the time of an early one, else false.
    """
    near, far = runs.median(NEAR, RATIO), runs.median(FAR, RATIO)
    numbers = (
        f"With a cache token 256 takes {near:.1f} times the time of an early token and token 4,096 "
        f"{far:.1f} times; without one token 256 takes {runs.median(WITHOUT, RATIO):.0f} times."
    )
    return Verdict("true" if max(near, far) < 1.5 else "false", numbers)


CLAIM = Claim(
    name="cache.cost",
    lesson="labs/06_search",
    conditions=(
        Condition(NEAR, {"place": 256, "cached": True}),
        Condition(WITHOUT, {"place": 256, "cached": False}, "control"),
        Condition(FAR, {"place": 4096, "cached": True}, "longer"),
    ),
    metric=RATIO,
    label="processor time of a token, over that of an early one",
    along="place",
    axis="place of the token",
    timed=True,
    logarithmic=True,
)
