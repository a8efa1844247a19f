"""Greedy search and sampling, on models whose next token is read from a table."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.decoders import END, PAD, Table, ids, small
from tests.fixtures import Patch
from transformer_lesson import seeded
from transformer_lesson.config import Positions
from transformer_lesson.decoding import beam_search, greedy, likely, sample

few = st.integers(1, 5)
seeds = st.integers(0, 2**16)


# 1 -> 3 -> 4 -> end, and 5 -> 5 for ever
CHAIN = Table(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.9, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],  # what comes after the end must not be seen
        [0.0, 0.0, 0.3, 0.0, 0.7, 0.0],
        [0.0, 0.0, 0.8, 0.0, 0.2, 0.0],
        [0.0, 0.0, 0.1, 0.0, 0.0, 0.9],
    ]
)


@pytest.mark.parametrize("cached", [True, False])
def test_greedy_takes_the_most_probable_stops_and_pads(cached: bool) -> None:
    prompt = torch.tensor([[5, 1], [1, 3], [3, 4], [5, 5]])
    tokens = greedy(CHAIN, prompt, max_tokens=6, end_id=END, cached=cached)
    assert tokens.tolist() == [
        [5, 1, 3, 4, 2, 0],
        [1, 3, 4, 2, 0, 0],
        [3, 4, 2, 0, 0, 0],
        [5, 5, 5, 5, 5, 5],
    ]
    done = greedy(CHAIN, prompt[1:3], max_tokens=100, end_id=END, cached=cached)
    assert done.tolist() == [[1, 3, 4, 2], [3, 4, 2, 0]]
    without_end = greedy(CHAIN, prompt[1:2], max_tokens=6, cached=cached)
    assert without_end.tolist() == [[1, 3, 4, 2, 5, 5]]


@pytest.mark.parametrize("positions", get_args(Positions))
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("source", [False, True])
def test_cached_and_uncached_write_the_same(source: bool, norm: str, positions: str) -> None:
    model = small(source, norm=norm, positions=positions)
    prompt = ids(3, 3, seed=1)
    prompt[0, :2] = PAD
    sources = None
    if source:
        sources = ids(3, 5, seed=2)
        sources[1, 3:] = PAD
    ways: list[Any] = [
        lambda cached: greedy(model, prompt, source=sources, max_tokens=9, cached=cached),
        lambda cached: sample(
            model, prompt, source=sources, max_tokens=9, generator=seeded(0), cached=cached
        ),
        lambda cached: beam_search(
            model, prompt, source=sources, beam_width=3, max_tokens=9, end_id=END, cached=cached
        ),
    ]
    for way in ways:
        torch.testing.assert_close(way(True), way(False), rtol=0, atol=1e-5)


@given(seeds, st.floats(0.1, 5.0), few)
@settings(max_examples=50, deadline=None)
def test_temperature_divides_the_logits(seed: int, temperature: float, rows: int) -> None:
    logits = torch.randn(rows, 7, generator=seeded(seed))
    changed = likely(logits, temperature=temperature)
    torch.testing.assert_close(changed.softmax(-1), (logits / temperature).softmax(-1))
    assert torch.equal(likely(logits), logits)


@given(seeds, st.integers(1, 9), few)
@settings(max_examples=50, deadline=None)
def test_top_k_keeps_the_most_probable(seed: int, top_k: int, rows: int) -> None:
    logits = torch.randn(rows, 7, generator=seeded(seed))
    kept = likely(logits, top_k=top_k).isfinite()
    assert kept.sum(-1).eq(min(top_k, 7)).all()
    for row, keeps in zip(logits, kept, strict=True):
        assert keeps.all() or row[keeps].min() > row[~keeps].max()


@given(seeds, st.floats(0.01, 1.0), few)
@settings(max_examples=50, deadline=None)
def test_top_p_keeps_the_fewest_that_reach_it(seed: int, top_p: float, rows: int) -> None:
    logits = 2 * torch.randn(rows, 7, generator=seeded(seed), dtype=torch.float64)
    changed = likely(logits, top_p=top_p)
    for row, after in zip(logits, changed, strict=True):
        kept = after.isfinite()
        assert torch.equal(row[kept], after[kept])
        probabilities = row.softmax(-1)[kept]
        assert probabilities.sum() >= top_p - 1e-9
        assert probabilities.sum() - probabilities.min() < top_p
        assert kept.all() or row[kept].min() > row[~kept].max()


def test_temperature_acts_before_top_p_and_top_k_before_both_are_met() -> None:
    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    assert likely(logits, top_p=0.6).isfinite().sum() == 2
    assert likely(logits, top_p=0.6, temperature=0.2).isfinite().sum() == 1
    # Of the two that top_k leaves the first has 0.5 / 0.8.
    assert likely(logits, top_p=0.6, top_k=2).isfinite().sum() == 1


@pytest.mark.parametrize(
    "limits", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-3}, {"min_p": 1.0}]
)
def test_the_narrowest_sample_is_greedy(limits: dict[str, float]) -> None:
    model, prompt = small(False), ids(4, 2)
    drawn = sample(model, prompt, max_tokens=9, generator=seeded(0), **limits)  # type: ignore[arg-type]
    assert torch.equal(drawn, greedy(model, prompt, max_tokens=9))


def test_samples_follow_the_probabilities() -> None:
    drawn = sample(CHAIN, torch.tensor([[3]]).expand(5000, 1), max_tokens=2, generator=seeded(0))
    counts = drawn[:, 1].bincount(minlength=6) / 5000
    expected = torch.tensor([0.0, 0.0, 0.3, 0.0, 0.7, 0.0])
    torch.testing.assert_close(counts, expected, rtol=0, atol=4 * (0.21 / 5000) ** 0.5)


def test_a_sample_stops_and_pads() -> None:
    tokens = sample(CHAIN, torch.tensor([[3]] * 50), max_tokens=20, end_id=END, generator=seeded(0))
    for text in tokens.tolist():
        assert set(text[text.index(END) + 1 :]) <= {PAD}


def test_a_generator_repeats_a_sample_and_the_global_one_stays() -> None:
    model, prompt, before = small(False), ids(4, 2), torch.get_rng_state()
    first, second, third = (
        sample(model, prompt, max_tokens=12, generator=seeded(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, third)
    assert torch.equal(before, torch.get_rng_state())


@given(seeds, st.floats(0.01, 1.0), few)
@settings(max_examples=50, deadline=None)
def test_min_p_keeps_what_is_probable_beside_the_most_probable(
    seed: int, min_p: float, rows: int
) -> None:
    logits = 2 * torch.randn(rows, 7, generator=seeded(seed), dtype=torch.float64)
    kept = likely(logits, min_p=min_p).isfinite()
    share = logits.softmax(-1) / logits.softmax(-1).amax(-1, keepdim=True)
    certain = (share - min_p).abs() > 1e-9
    assert torch.equal(kept & certain, (share >= min_p) & certain)
    assert kept.any(-1).all()


def test_min_p_acts_after_the_others() -> None:
    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    assert likely(logits, min_p=0.2, temperature=0.5).isfinite().sum() == 2
    assert likely(logits, min_p=0.2, top_k=1).isfinite().sum() == 1


@pytest.mark.parametrize("positions", get_args(Positions))
@pytest.mark.parametrize("cached", [True, False])
def test_prompts_of_unequal_length_write_what_each_writes_alone(
    cached: bool, positions: str
) -> None:
    model = small(False, positions=positions).double()
    prompts = [ids(1, length, seed=length) for length in (1, 3, 4)]
    padded = torch.full((3, 4), PAD)
    for row, prompt in zip(padded, prompts, strict=True):
        row[4 - prompt.shape[1] :] = prompt
    written = greedy(model, padded, max_tokens=9, cached=cached)
    for row, prompt in zip(written, prompts, strict=True):
        alone = greedy(model, prompt, max_tokens=prompt.shape[1] + 5, cached=cached)
        assert row[4 - prompt.shape[1] :].tolist() == alone[0].tolist()


def test_a_source_with_a_vocabulary_of_its_own() -> None:
    model = small(True, source_vocab_size=30, num_encoder_layers=1)
    tokens = greedy(model, ids(1, 1), source=torch.tensor([[29, 3]]), max_tokens=5)
    assert tokens.shape == (1, 5)
    with pytest.raises(ValueError, match="token id 30 is beyond the vocabulary"):
        greedy(model, ids(1, 1), source=torch.tensor([[30]]), max_tokens=5)


@pytest.mark.parametrize(
    "write", [greedy, partial(sample, top_k=5, top_p=0.9, min_p=0.01, generator=seeded(0))]
)
def test_the_cpu_asks_for_nothing_but_the_end(
    write: Callable[..., Tensor], monkeypatch: Patch
) -> None:
    """Each reading of a tensor's values would make a GPU wait for the CPU."""
    readings: list[str] = []
    for name in ("__bool__", "item", "tolist", "__int__", "__float__"):
        usual = getattr(torch.Tensor, name)

        def counted(tensor: torch.Tensor, name: str = name, usual: Any = usual) -> Any:
            readings.append(name)
            return usual(tensor)

        monkeypatch.setattr(torch.Tensor, name, counted)
    counts = []
    for source in (False, True):
        model, texts = small(source), ids(2, 4) if source else None
        for end_id in (None, END):
            for max_tokens in (5, 9):
                readings.clear()
                write(model, ids(2, 1), source=texts, max_tokens=max_tokens, end_id=end_id)
                counts.append(len(readings))
    for five, nine, more in zip(counts[::2], counts[1::2], (0, 4, 0, 4), strict=True):
        assert nine - five <= more
