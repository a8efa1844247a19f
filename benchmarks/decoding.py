"""What a cache saves, whether a late token costs more than an early one, and what a batch saves.

The first two on one thread, so that other work on the machine disturbs little; the batch on all
cores.
"""

import statistics
import sys
import time
from collections.abc import Callable

import torch

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import DecoderOnly, EncoderDecoder

NEW_TOKENS = 256
TEXTS = (1, 8)
# For a single text most of the time is the fixed cost of a step: the promise is for several.
PROMISED_SHARE = {8: 0.10}
# A late token must read more keys; with several texts these outweigh the model's weights.
PROMISED_GROWTH = {1: 1.25}
SENTENCES, WORDS, BEAM = 32, 16, 5
PROMISED_GAIN = 8.0


def seconds(action: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def share_of_time(texts: int) -> float:
    """Print the seconds with and without a cache and return the first in the second."""
    model = DecoderOnly(decoder_config(), generator=seeded(0)).eval()
    prompt = torch.randint(1, 1000, (texts, 1), generator=seeded(1))

    def write(cached: bool) -> None:
        greedy(model, prompt, max_tokens=NEW_TOKENS + 1, cached=cached)

    write(cached=True)
    with_cache = statistics.median(seconds(lambda: write(cached=True)) for _ in range(3))
    without = seconds(lambda: write(cached=False))
    share = with_cache / without
    print(
        f"{NEW_TOKENS} tokens, {texts} texts: with cache {with_cache:6.2f} s, "
        f"without {without:6.2f} s, {share:.3f} of it{promise(PROMISED_SHARE, texts)}",
        flush=True,
    )
    return share


@torch.no_grad()
def growth(texts: int) -> float:
    """Print what a token costs early and late in a text, with a cache, and return the ratio."""
    model = DecoderOnly(decoder_config(), generator=seeded(0)).eval()
    token = torch.randint(1, 1000, (texts, 1), generator=seeded(1))
    rounds = []
    for _ in range(5):
        cache = KeyValueCache(model.config.num_layers)
        rounds.append([seconds(lambda c=cache: model(token, c)) for _ in range(NEW_TOKENS)])  # type: ignore[misc]
    # Take the fastest round: a disturbance hits single tokens.
    fastest = [1000 * min(times) for times in zip(*rounds, strict=True)]
    early, late = statistics.median(fastest[8:40]), statistics.median(fastest[-32:])
    print(
        f"a token, {texts} texts: {early:.2f} ms at 8 to 40, {late:.2f} ms at {NEW_TOKENS - 32} to "
        f"{NEW_TOKENS}, {late / early:.2f} times{promise(PROMISED_GROWTH, texts)}",
        flush=True,
    )
    return late / early


def gain_of_a_batch() -> float:
    """Print sentences a second in a batch and one at a time and return the ratio."""
    config = ModelConfig(4000, d_model=128, num_heads=4, num_layers=2, d_ff=512)
    model = EncoderDecoder(config, generator=seeded(0)).eval()
    source = torch.randint(3, 4000, (SENTENCES, WORDS), generator=seeded(1))
    prompt = torch.ones(SENTENCES, 1, dtype=torch.long)

    def search(rows: slice) -> None:
        beam_search(
            model,
            prompt[rows],
            source=source[rows],
            beam_width=BEAM,
            max_tokens=2 * WORDS,
            end_id=2,
        )

    def one_at_a_time() -> None:
        for i in range(SENTENCES):
            search(slice(i, i + 1))

    search(slice(None))
    rounds = [(seconds(lambda: search(slice(None))), seconds(one_at_a_time)) for _ in range(3)]
    batched, alone = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"beam {BEAM}: {SENTENCES / batched:.1f} sentences a second in a batch of {SENTENCES}, "
        f"{SENTENCES / alone:.1f} one at a time, {alone / batched:.1f} times "
        f"(promised: at least {PROMISED_GAIN:.0f})",
        flush=True,
    )
    return alone / batched


def promise(promised: dict[int, float], texts: int) -> str:
    """What is promised for so many texts, in words."""
    return f" (promised: at most {promised[texts]})" if texts in promised else ""


def decoder_config() -> ModelConfig:
    """The model that writes with a cache and without."""
    return ModelConfig(
        1000, d_model=256, num_heads=4, num_layers=4, d_ff=1024, max_tokens=NEW_TOKENS + 1
    )


def main() -> int:
    """Print all; return 1 if a promise is broken."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    shares = {texts: share_of_time(texts) for texts in TEXTS}
    broken = any(shares[texts] > promised for texts, promised in PROMISED_SHARE.items())
    grown = {texts: growth(texts) for texts in TEXTS}
    broken |= any(grown[texts] > promised for texts, promised in PROMISED_GROWTH.items())
    torch.set_num_threads(threads)
    broken |= gain_of_a_batch() < PROMISED_GAIN
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
