"""cache.py: with a cache every model computes what it computes without."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.small_models import config, every_norm, every_position, ids
from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention
from transformer_lesson.cache import CachedKeys, KeyValueCache
from transformer_lesson.models import DecoderOnly, EncoderDecoder


@pytest.fixture(autouse=True)
def without_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def left_padded(batch: int, tokens: int) -> Tensor:
    """Ids of which sentence ``i`` begins with ``i`` times padding."""
    tokens_ = ids(batch, tokens)
    for i in range(batch):
        tokens_[i, :i] = 0
    return tokens_


STEPS = [[1] * 9, [4, 1, 1, 1, 1, 1], [3, 5, 1], [9]]


@every_position
@pytest.mark.parametrize("attention", ["reference", "fused"])
@every_norm
@pytest.mark.parametrize("kind", [DecoderOnly, EncoderDecoder])
def test_steps_give_the_logits_of_the_whole(
    kind: Any, norm: str, attention: Attention, positions: str
) -> None:
    values = {"norm": norm, "attention": attention, "positions": positions}
    model = kind(config(**values), generator=seeded(0))
    source, target = ids(3, 7, seed=1), left_padded(3, 9)
    source[0, 5:] = source[1, 2:] = 0
    if kind is EncoderDecoder:
        read = partial(model.decode, memory=model.encode(source), source=source)
        expected = model(source, target)
    else:
        read, expected = model, model(target)
    for steps in STEPS:
        cache = KeyValueCache(model.config.num_layers)
        got = [read(new, cache=cache) for new in target.split(steps, dim=1)]
        assert cache.length == 9
        torch.testing.assert_close(torch.cat(got, dim=1), expected, rtol=0, atol=1e-5)


def test_a_source_of_nothing_gives_the_same_logits() -> None:
    model = EncoderDecoder(config(), generator=seeded(0))
    source, target = torch.empty(2, 0, dtype=torch.long), ids(2, 4)
    memory, cache = model.encode(source), KeyValueCache(2)
    got = [model.decode(new, memory, source, cache) for new in target.split(1, dim=1)]
    torch.testing.assert_close(torch.cat(got, dim=1), model(source, target))


@contextmanager
def counted(layers: list[nn.Module]) -> Iterator[list[int]]:
    """Count the rows that go through each of ``layers``."""
    rows = [0] * len(layers)

    def count(i: int, given: tuple[Tensor, ...]) -> None:
        rows[i] += given[0].shape[0] * given[0].shape[1]

    hooks = [
        layer.register_forward_pre_hook(lambda _, given, i=i: count(i, given))
        for i, layer in enumerate(layers)
    ]
    yield rows
    for hook in hooks:
        hook.remove()


def test_nothing_is_projected_twice() -> None:
    """Of each target token once, of the memory once and not at each step."""
    model = EncoderDecoder(config(), generator=seeded(0))
    source, target = ids(2, 7, seed=1), ids(2, 5)
    memory, cache = model.encode(source), KeyValueCache(2)
    # Of layer 0 self and cross, then of layer 1.
    attentions = [m for m in model.decoder.modules() if isinstance(m, MultiHeadAttention)]
    projections: list[nn.Module] = [a.key_projection for a in attentions]
    projections += [a.value_projection for a in attentions]
    with counted(projections) as rows:
        for new in target.split(1, dim=1):
            model.decode(new, memory, source, cache)
    assert rows == [2 * 5, 2 * 7] * 4
    # 2 layers, keys and values, 2 texts, heads of width 12 together, 4 bytes each
    assert cache.nbytes == 2 * 2 * 2 * (5 + 7) * 12 * 4


@every_position
def test_reordered_rows_go_on_from_what_the_others_have_read(positions: str) -> None:
    model = DecoderOnly(config(positions=positions), generator=seeded(0))
    tokens, rows = left_padded(3, 6), torch.tensor([2, 0, 0])
    cache = KeyValueCache(2)
    for new in tokens[:, :4].split(1, dim=1):
        model(new, cache)
    cache.reorder(rows)
    more = torch.cat([tokens[rows, :4], tokens[:, 4:]], dim=1)
    got = torch.cat([model(new, cache) for new in tokens[:, 4:].split(1, dim=1)], dim=1)
    torch.testing.assert_close(got, model(more)[:, 4:], rtol=0, atol=1e-5)


def test_reordering_leaves_the_memory_where_it_is() -> None:
    model = EncoderDecoder(config(), generator=seeded(0))
    source, tokens = ids(2, 5, seed=1).repeat_interleave(2, dim=0), ids(4, 4)
    memory, cache = model.encode(source), KeyValueCache(2)
    model.decode(tokens[:, :3], memory, source, cache)
    rows = torch.tensor([1, 0, 3, 3])
    cache.reorder(rows)
    more = torch.cat([tokens[rows, :3], tokens[:, 3:]], dim=1)
    got = model.decode(tokens[:, 3:], memory, source, cache)
    torch.testing.assert_close(got, model(source, more)[:, 3:], rtol=0, atol=1e-5)


def test_reordering_takes_the_sources_along() -> None:
    model = EncoderDecoder(config(), generator=seeded(0))
    source, tokens, rows = ids(3, 5, seed=1), ids(3, 4), torch.tensor([2, 2, 0, 0])
    cache = KeyValueCache(2)
    model.decode(tokens[:, :3], model.encode(source), source, cache)
    cache.reorder(rows, sources=True)
    source, tokens = source[rows], tokens[rows]
    got = model.decode(tokens[:, 3:], model.encode(source), source, cache)
    torch.testing.assert_close(got, model(source, tokens)[:, 3:], rtol=0, atol=1e-5)


def test_keys_returned_earlier_are_not_overwritten() -> None:
    cache, new = CachedKeys(), torch.randn(5, 1, 1, 2, 4, generator=seeded(0))
    given = [cache.append(step, -step) for step in new]
    copies = [(key.clone(), value.clone()) for key, value in given]
    cache.reorder(torch.tensor([0]))
    cache.append(torch.ones(1, 1, 9, 4), torch.ones(1, 1, 9, 4))
    for i, ((key, value), (key_before, value_before)) in enumerate(zip(given, copies, strict=True)):
        assert key.shape == (1, 1, 2 * (i + 1), 4)
        assert torch.equal(key, key_before)
        assert torch.equal(value, value_before)
        assert torch.equal(key, torch.cat(list(new[: i + 1]), dim=-2))
        assert torch.equal(value, -key)
    assert cache.length == 19
    assert cache.key.shape == cache.value.shape == (1, 1, 19, 4)


def test_room_grows_by_doubling() -> None:
    cache, allocations, room = CachedKeys(), 0, 0
    for _ in range(200):
        key, _ = cache.append(torch.ones(1, 1, 1, 4), torch.ones(1, 1, 1, 4))
        allocations += key.untyped_storage().data_ptr() != room
        room = key.untyped_storage().data_ptr()
    assert allocations <= 10
    assert cache.length == 200


def test_a_cache_of_other_texts_or_widths() -> None:
    model, cache = DecoderOnly(config(), generator=seeded(0)), KeyValueCache(2)
    model(ids(2, 3), cache)
    for others in (3, 1):
        with pytest.raises(ValueError, match=rf"holds 2 texts; {others} go on\. Use a new cache"):
            model(ids(others, 1), cache)
    kept = cache.layers[0].self_attention
    with pytest.raises(ValueError, match=r"= \(2, 2, 6\); these have \(1, 2, 6\)\. Use a new"):
        kept.append(torch.ones(1, 2, 1, 6), torch.ones(1, 2, 1, 6))
    assert cache.length == kept.length == 3


def test_a_cache_of_another_source() -> None:
    model, cache = EncoderDecoder(config(), generator=seeded(0)), KeyValueCache(2)
    source, other = ids(2, 3), ids(2, 3, 1)
    model.decode(ids(2, 1), model.encode(source), source, cache)
    model.decode(ids(2, 1), model.encode(source), source.clone(), cache)
    with pytest.raises(ValueError, match=r"keys of another source\. Use a new cache"):
        model.decode(ids(2, 1), model.encode(other), other, cache)
    assert cache.length == 2


def test_a_cached_text_longer_than_the_table_of_positions() -> None:
    model = DecoderOnly(config(positions="learned", max_tokens=4), generator=seeded(0))
    cache = KeyValueCache(2)
    model(ids(1, 4), cache)
    with pytest.raises(ValueError, match=r"position 4 .* positions 0 to 3"):
        model(ids(1, 1), cache)
    assert cache.length == 4
