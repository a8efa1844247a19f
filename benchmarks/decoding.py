"""What a cache saves, whether a late token costs more than an early one, and what a batch saves.

The first two on one thread, so that other work on the machine disturbs little; the batch on all
cores.
"""

import statistics

import torch

from benchmarks.harness import medians, promise, rounds, run, seconds
from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import DecoderOnly, EncoderDecoder

NEW_TOKENS = 256
# For a single text most of the time is the fixed cost of a step: the promise is for several.
PROMISED_SHARE = {8: 0.10}
# A late token must read more keys; with several texts these outweigh the model's weights.
PROMISED_GROWTH = {1: 1.25}
SENTENCES, WORDS, BEAM = 32, 16, 5


def share_of_time(texts: int) -> None:
    """Print the seconds with and without a cache."""
    model = DecoderOnly(decoder_config(), generator=seeded(0)).eval()
    prompt = torch.randint(1, 1000, (texts, 1), generator=seeded(1))

    def write(cached: bool) -> None:
        greedy(model, prompt, max_tokens=NEW_TOKENS + 1, cached=cached)

    write(cached=True)
    with_cache = statistics.median(seconds(lambda: write(cached=True)) for _ in range(3))
    without = seconds(lambda: write(cached=False))
    share = with_cache / without
    promise(
        f"{NEW_TOKENS} tokens with the key/value cache, {texts} texts, in times of without",
        share,
        most=PROMISED_SHARE.get(texts),
        detail=f"{with_cache:.2f} s and {without:.2f} s",
    )


@torch.no_grad()
def growth(texts: int) -> None:
    """Print what a token costs early and late in a text, with a cache."""
    model = DecoderOnly(decoder_config(), generator=seeded(0)).eval()
    token = torch.randint(1, 1000, (texts, 1), generator=seeded(1))
    texts_written = []
    for _ in range(5):
        cache = KeyValueCache(model.config.num_layers)
        texts_written.append([seconds(lambda c=cache: model(token, c)) for _ in range(NEW_TOKENS)])  # type: ignore[misc]
    # Take the fastest round: a disturbance hits single tokens.
    fastest = [1000 * min(times) for times in zip(*texts_written, strict=True)]
    early, late = statistics.median(fastest[8:40]), statistics.median(fastest[-32:])
    promise(
        f"a token at {NEW_TOKENS - 32} to {NEW_TOKENS}, {texts} texts, in times of one at 8 to 40",
        late / early,
        most=PROMISED_GROWTH.get(texts),
        detail=f"{late:.2f} ms and {early:.2f} ms",
    )


def gain_of_a_batch() -> None:
    """Print sentences a second in a batch and one at a time."""
    config = ModelConfig(4000, d_model=128, num_heads=4, num_layers=2, d_ff=512)
    model = EncoderDecoder(config, generator=seeded(0)).eval()
    source = torch.randint(3, 4000, (SENTENCES, WORDS), generator=seeded(1))
    prompt = torch.ones(SENTENCES, 1, dtype=torch.long)

    def search(rows: slice) -> None:
        given = source[rows]
        beam_search(
            model, prompt[rows], source=given, beam_width=BEAM, max_tokens=2 * WORDS, end_id=2
        )

    def one_at_a_time() -> None:
        for i in range(SENTENCES):
            search(slice(i, i + 1))

    batched, alone = medians(rounds((lambda: search(slice(None)), one_at_a_time), 3))
    promise(
        f"beam {BEAM} on {SENTENCES} sentences at once, in sentences a second of one at a time",
        alone / batched,
        least=8,
        detail=f"{SENTENCES / batched:.1f} and {SENTENCES / alone:.1f} a second",
    )


def decoder_config() -> ModelConfig:
    """The model that writes with a cache and without."""
    return ModelConfig(
        1000, d_model=256, num_heads=4, num_layers=4, d_ff=1024, max_tokens=NEW_TOKENS + 1
    )


def main() -> None:
    """Print all."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for measure, promised in ((share_of_time, PROMISED_SHARE), (growth, PROMISED_GROWTH)):
        for texts in promised:
            measure(texts)
    torch.set_num_threads(threads)
    gain_of_a_batch()


if __name__ == "__main__":
    run(main)
