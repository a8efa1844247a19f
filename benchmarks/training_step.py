"""A training step of ours beside ``nn.Transformer``'s and Marian's, in processor time on a thread.

A step is the forward pass with dropout, the loss, the backward pass and Adam. Marian is that of
Hugging Face's Transformers, which the course does not need: where it is not installed its rows are
left out. ``python -m benchmarks.training_step --profile`` prints where our step goes, and
``--threads 2`` compares by the clock, with so many threads; ``--padding`` prints what the padding
of lesson 10's batches costs.
"""

import argparse
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from benchmarks.harness import Action, Clock, medians, promise, rounds, run
from benchmarks.model import WithPyTorch, sentences
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, summed_cross_entropy
from transformer_lesson.training.loop import BETAS, EPSILON
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.recipe import Recipe, learn_vocabulary
from transformer_lesson.translation.translator import examples
from transformer_lesson.translation.vocabulary import END, PADDING

WIDTHS = (128, 256, 512)
BATCH, TOKENS = 16, 32
REPEATS = 7
OPERATORS = 14  # of the profile
RECIPE = Recipe(batch_tokens=640)
PADDED = 40  # batches of lesson 10
Batch = tuple[Tensor, Tensor]


class Marian(nn.Module):
    """Marian of the same sizes, with dropout in the same places."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        made: Any = importlib.import_module("transformers")
        same = {"attention_heads": config.num_heads, "layers": config.num_layers}
        same["ffn_dim"] = config.d_ff
        halves = ("encoder", "decoder")
        sizes = {f"{half}_{name}": value for half in halves for name, value in same.items()}
        dropout = {f"{part}dropout": config.dropout for part in ("", "attention_", "activation_")}
        ids = {"pad_token_id": 0, "decoder_start_token_id": 1, "eos_token_id": 2}
        self.model = made.MarianMTModel(
            made.MarianConfig(
                vocab_size=config.vocab_size,
                d_model=config.d_model,
                activation_function=config.activation,
                scale_embedding=True,
                forced_eos_token_id=None,
                attn_implementation="sdpa",
                **sizes,
                **dropout,
                **ids,
            )
        )

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits, as ``EncoderDecoder`` does."""
        masks = {"attention_mask": source != 0, "decoder_attention_mask": target != 0}
        read = {"input_ids": source, "decoder_input_ids": target, "use_cache": False}
        logits: Tensor = self.model(**read, **masks).logits
        return logits


def our_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """The loss of ``train``, as a mean."""
    total, count = summed_cross_entropy(logits, targets, padding_id=0)
    return total / count


def their_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """The same by PyTorch."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)


def drawn() -> Batch:
    """Return sources and targets that are always the same."""
    generator = seeded(1)
    return sentences(generator, BATCH, TOKENS), sentences(generator, BATCH, TOKENS + 1)


def step_of(
    model: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], batches: Sequence[Batch] = ()
) -> Action:
    """Return what takes a step on each of ``batches``, by default on one that is drawn."""
    batches = batches or [drawn()]
    settings: Any = {"lr": 1e-4, "betas": BETAS, "eps": EPSILON, "fused": True}
    optimizer = torch.optim.Adam(model.train().parameters(), **settings)

    def step() -> None:
        for source, target in batches:
            optimizer.zero_grad()
            loss(model(source, target[:, :-1]), target[:, 1:]).backward()
            optimizer.step()

    return step


def ours(width: int) -> EncoderDecoder:
    """Return a model with three layers in each half, in the paper's form."""
    sizes: Any = {"d_model": width, "num_heads": width // 32, "num_layers": 3, "d_ff": 4 * width}
    config = ModelConfig(4000, **sizes, dropout=0.1, norm="post")
    return EncoderDecoder(config, generator=seeded(0))


def compare(width: int, clock: Clock) -> None:
    """Print our step in times of each rival's."""
    rivals = {"ours": step_of(ours(width), our_loss)}
    rivals["nn.Transformer"] = step_of(WithPyTorch(ours(width)), their_loss)
    if importlib.util.find_spec("transformers"):
        rivals["Transformers' Marian"] = step_of(Marian(ours(width).config), their_loss)
    taken = rounds(list(rivals.values()), REPEATS, clock)
    mine, *others = medians(taken)
    for place, (name, median) in enumerate(zip(list(rivals)[1:], others, strict=True), start=1):
        ratios = [row[0] / row[place] for row in taken]
        first, ratio, third = statistics.quantiles(ratios, n=4)
        told = f"{1000 * mine:.0f} and {1000 * median:.0f} ms, quartiles {first:.2f} to {third:.2f}"
        promise(f"a training step of width {width}, in times of {name}", ratio, detail=told)


def shares(action: Action) -> dict[str, float]:
    """Return the share of each operator in the time of ``action``, without what it calls."""
    action()
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        for _ in range(3):
            action()
    times = {found.key: found.self_cpu_time_total for found in seen.key_averages()}
    return {name: taken / sum(times.values()) for name, taken in times.items()}


def print_shares(found: dict[int, dict[str, float]]) -> None:
    """Print the operators that take most, the widths side by side."""
    print(f"| operator | {' | '.join(f'width {width}' for width in found)} |")
    print("|---" * (len(found) + 1) + "|")
    every = found.values()
    names = sorted(next(iter(every)), key=lambda name: -sum(part.get(name, 0.0) for part in every))
    for name in names[:OPERATORS]:
        print(f"| `{name}` | {' | '.join(f'{part.get(name, 0.0):.1%}' for part in every)} |")


def batches_of_lesson_10() -> TokenBatches:
    """Return what lesson 10 trains on."""
    corpus = load_corpus("everyday", pairs=55_293)
    vocabulary = learn_vocabulary(corpus, RECIPE.vocab_size)
    ids = examples(corpus.train, vocabulary, RECIPE.max_tokens)
    return TokenBatches(ids, RECIPE.batch_tokens, padding_id=PADDING, seed=RECIPE.seed)


def cost_of_padding() -> None:
    """Print what lesson 10's steps would take for each token if there were no padding.

    In that case each padding is an end token, so that every row is as long as its batch.
    """
    batches = batches_of_lesson_10()
    padded: list[Batch] = [batches(number) for number in range(PADDED)]  # type: ignore[misc]
    full = [(_filled(source), _filled(target)) for source, target in padded]
    rivals = [step_of(RECIPE.model(), our_loss, given) for given in (full, padded)]
    taken = rounds(rivals, REPEATS, time.process_time)
    real = sum(int((ids != PADDING).sum()) for batch in padded for ids in batch)
    share = real / sum(ids.numel() for batch in padded for ids in batch)
    first, ratio, third = (
        share * part for part in statistics.quantiles((a / b for a, b in taken), n=4)
    )
    words = "a token of lesson 10's training without padding, in times of with"
    shares = f"padding {1 - share:.1%} of {PADDED} batches, {batches.padding_share:.1%} of an epoch"
    promise(words, ratio, detail=f"{shares}, quartiles {first:.2f} to {third:.2f}")


def _filled(ids: Tensor) -> Tensor:
    return ids.masked_fill(ids == PADDING, END)


def main(*, profiled: bool = False, padding: bool = False, threads: int = 1) -> None:
    """Compare at each width, or print the profile, or what padding costs."""
    torch.set_num_threads(threads)
    if padding:
        cost_of_padding()
        return
    if profiled:
        print_shares({width: shares(step_of(ours(width), our_loss)) for width in WIDTHS})
        return
    for width in WIDTHS:
        compare(width, time.process_time if threads == 1 else time.perf_counter)


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m benchmarks.training_step", description=__doc__)
    parser.add_argument("--profile", action="store_true", help="where our step goes")
    parser.add_argument("--padding", action="store_true", help="what padding costs in lesson 10")
    parser.add_argument("--threads", type=int, default=1, help="more than one: by the clock")
    asked = parser.parse_args()
    run(partial(main, profiled=asked.profile, padding=asked.padding, threads=asked.threads))
