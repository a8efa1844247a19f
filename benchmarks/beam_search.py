"""Our beam search beside Marian's, in processor time on one thread.

Marian is that of Hugging Face's Transformers, as in ``training_step``: where it is not installed
there is nothing to compare with. Both models are untrained, so that no sentence is done early and
both take every step. ``python -m benchmarks.beam_search --profile`` prints where ours goes.
"""

import argparse
import importlib.util
import statistics
import time
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks.harness import Action, medians, promise, rounds, run
from benchmarks.training_step import Marian, ours, print_shares, shares
from transformer_lesson import seeded
from transformer_lesson.decoding import beam_search

WIDTHS = (128, 256)
SENTENCES, PIECES, BEAM, STEPS = 16, 16, 4, 31
REPEATS = 25


def sources() -> Tensor:
    """Return the ids that are translated, none of them padding."""
    return torch.randint(3, 4000, (SENTENCES, PIECES), generator=seeded(1))


def our_search(width: int) -> Action:
    """Return what translates with our model."""
    prompt = torch.ones(SENTENCES, 1, dtype=torch.long)
    told: Any = {"beam_width": BEAM, "max_tokens": STEPS + 1, "end_id": 2}
    return partial(beam_search, ours(width).eval(), prompt, source=sources(), **told)


def their_search(width: int) -> Action:
    """Return what translates with Marian."""
    model, source = Marian(ours(width).config).model.eval(), sources()

    def search() -> None:
        written = model.generate(
            source, attention_mask=source != 0, num_beams=BEAM, max_new_tokens=STEPS
        )
        assert written.shape == (SENTENCES, STEPS + 1), "a search stopped early"

    return search


def compare(width: int) -> None:
    """Print our time in times of Marian's."""
    taken = rounds([our_search(width), their_search(width)], REPEATS, time.process_time)
    mine, theirs = (1000 * median for median in medians(taken))
    first, ratio, third = statistics.quantiles((own / other for own, other in taken), n=4)
    told = f"{mine:.0f} and {theirs:.0f} ms, quartiles {first:.2f} to {third:.2f}"
    words = f"a beam of {BEAM} of width {width}, in times of Transformers' Marian"
    promise(words, ratio, detail=told)


def main(*, profiled: bool = False) -> None:
    """Compare at each width, or print the profile."""
    torch.set_num_threads(1)
    if profiled:
        print_shares({width: shares(our_search(width)) for width in WIDTHS})
    elif importlib.util.find_spec("transformers"):
        for width in WIDTHS:
            compare(width)


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m benchmarks.beam_search", description=__doc__)
    parser.add_argument("--profile", action="store_true", help="where our search goes")
    run(partial(main, profiled=parser.parse_args().profile))
