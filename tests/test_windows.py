"""Windows in some layers, and the rings that keep their keys."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.small_models import config, every_position, ids
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention, causal_mask
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import DecoderOnly

# Prompts shorter than the window, as long, longer; then one token and several at a time.
STEPS = [[1] * 12, [2, 1, 1, 3, 5], [4, 4, 4], [3, 1, 8], [7, 1, 1, 1, 2], [12], [5, 7]]


def windowed(**values: Any) -> DecoderOnly:
    values = {"num_layers": 3, "window": 4, "full_every": 2, **values}
    return DecoderOnly(config(**values), generator=seeded(0)).double().eval()


def left_padded(batch: int, tokens: int) -> Tensor:
    texts = ids(batch, tokens)
    for i in range(batch):
        texts[i, : 3 * i] = 0
    return texts


def test_a_window_is_a_band_below_the_diagonal() -> None:
    query, key = torch.arange(9)[:, None], torch.arange(9)
    band = (key <= query) & (key > query - 4)
    assert causal_mask(9, window=4).equal(band)
    assert causal_mask(2, 9, window=4).equal(band[-2:])
    layer = MultiHeadAttention(12, 2, window=4, generator=seeded(0))
    x = torch.randn(2, 9, 12, generator=seeded(0))
    _, weights = layer(x, mask=torch.ones(9, 9, dtype=torch.bool))
    assert weights is not None and weights.ne(0).equal(band.expand(2, 2, 9, 9))


@pytest.mark.parametrize(("full_every", "reach"), [(None, 9), (3, 12), (1, 12)])
def test_layers_see_as_far_as_they_should(full_every: int | None, reach: int) -> None:
    """Through windows of 4 alone, three layers reach 3 tokens further back each."""
    model = windowed(full_every=full_every, positions="none")
    texts, changed = ids(1, 13), []
    for back in range(13):
        other = texts.clone()
        other[0, 12 - back] = texts[0, 12 - back] % 19 + 1
        changed.append(not model(other)[0, -1].equal(model(texts)[0, -1]))
    assert changed == [back <= reach for back in range(13)]


@torch.no_grad()
@every_position
@pytest.mark.parametrize("attention", ["reference", "fused"])
@pytest.mark.parametrize("padding_id", [0, None])
def test_with_rings_as_without_a_cache(
    positions: str, attention: str, padding_id: int | None
) -> None:
    model = windowed(positions=positions, attention=attention, padding_id=padding_id)
    texts = left_padded(3, 12) if padding_id == 0 else ids(3, 12)
    expected = model(texts)
    for steps in STEPS:
        for windows in (model.config.windows, None):
            cache = KeyValueCache(3, windows)
            got = [model(new, cache) for new in texts.split(steps, dim=1)]
            torch.testing.assert_close(torch.cat(got, 1), expected, rtol=0, atol=1e-12)
            held = [each.self_attention._key.shape[2] for each in cache.layers]
            assert held[0] == held[2] == 4 or windows is None
            assert held[1] >= 12


@torch.no_grad()
@pytest.mark.parametrize("steps", [[9], [2, 1, 1], [4, 1, 1, 1], [3, 3, 3]])
def test_rows_of_a_ring_change_places(steps: list[int]) -> None:
    model, rows = windowed(positions="alibi"), torch.tensor([2, 0, 0])
    texts, cache = left_padded(3, 12), KeyValueCache(3, (4, None, 4))
    read = sum(steps)
    for new in texts[:, :read].split(steps, dim=1):
        model(new, cache)
    cache.reorder(rows)
    whole = torch.cat([texts[rows, :read], texts[:, read:]], 1)
    got = torch.cat([model(new, cache) for new in texts[:, read:].split(1, dim=1)], 1)
    torch.testing.assert_close(got, model(whole)[:, read:], rtol=0, atol=1e-12)


def test_decoding_takes_rings() -> None:
    model, prompt = windowed(max_tokens=30), ids(1, 3)
    expected = greedy(model, prompt, max_tokens=20, cached=False)
    assert greedy(model, prompt, max_tokens=20).equal(expected)
    beams = [
        beam_search(model, prompt, max_tokens=14, end_id=2, beam_width=3, cached=cached)
        for cached in (True, False)
    ]
    assert str(beams[0]) == str(beams[1])
