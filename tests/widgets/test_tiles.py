"""The view of the tiles of flash attention, without a browser."""

import math
from typing import Any

import pytest
import torch
from torch.nn.functional import pad

from tests.widgets.tile_walks import D_HEAD, D_VALUE, SHAPES, explorer, inputs
from transformer_lesson.flash.softmax import Partial, finish, merge, partial
from transformer_lesson.flash.tiled import tiled_backward, tiled_forward
from transformer_lesson.flash.traffic import FastMemory, keys_first, queries_first
from transformer_lesson.widgets import TileExplorer


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("order", ["queries", "keys"])
@pytest.mark.parametrize("last_first", [False, True])
def test_every_walk_ends_as_the_tiles_of_the_package(
    shape: tuple[int, int], causal: bool, order: str, last_first: bool
) -> None:
    query, key, value = (tensor.double()[None, None] for tensor in inputs(*shape))
    value = pad(value, (0, D_HEAD - D_VALUE))  # The package needs values as wide as the keys.
    options: dict[str, Any] = {"causal": causal, "scale": D_HEAD**-0.5}
    output, log_sum_exp = tiled_forward(query, key, value, **options)
    view = explorer(*shape, causal=causal, order=order, last_first=last_first)
    view.tile_queries, view.tile_keys = min(3, shape[0]), min(2, shape[1])
    walk = view.walk()
    last = len(walk.steps) - 1
    for row in range(shape[0]):
        state = walk.row(row, last)
        assert torch.allclose(state.end.double(), output[0, 0, row, :D_VALUE], atol=1e-5)
        assert state.log_sum_exp == pytest.approx(float(log_sum_exp[0, 0, row]), abs=1e-5)
    assert walk.largest_error(last) < 1e-5

    rows = torch.arange(1.0, shape[0] + 1).double()[:, None]
    upstream = pad(rows.expand(-1, D_VALUE), (0, D_HEAD - D_VALUE))[None, None]
    d_query, _, _ = tiled_backward(query, key, value, output, log_sum_exp, upstream, **options)
    view.direction = "backward"
    walk = view.walk()
    for row in range(shape[0]):
        assert torch.allclose(walk.row(row, last).end.double(), d_query[0, 0, row], atol=1e-4)
    assert walk.largest_error(last) < 1e-4


def test_a_row_is_merged_tile_by_tile() -> None:
    view = explorer(causal=False)
    scores, value = view.walk().given[:2]
    first, second = (partial(scores[:, part], value[part]) for part in (slice(4), slice(4, 8)))
    for step, expected in enumerate([first, merge(first, second)]):
        state = view.walk().row(2, step)
        assert isinstance(state.after, Partial)
        for got, of_all in zip(state.after, expected, strict=True):
            assert torch.allclose(got, of_all[2])
        assert torch.allclose(state.so_far, finish(expected)[0][2])
    assert state.factor == pytest.approx(math.exp(float(first.maximum[2]) - float(state.after[0])))
    assert state.keys_seen == 8


@pytest.mark.parametrize(("order", "moving"), [("queries", queries_first), ("keys", keys_first)])
def test_the_words_are_those_that_the_memory_counts(order: str, moving: Any) -> None:
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(10, 2, generator=generator) for _ in range(3))
    memory = FastMemory(4 * 4 + 4 * 4 * 2 + 2 * 4)  # just enough for tiles of 4
    moving(memory, query, key, value)
    view = TileExplorer(query @ key.T, value, key=key, causal=False)
    view.order = order
    walk = view.walk()
    read, written = walk.moved(len(walk.steps) - 1)
    names = {"sum": "total"}
    assert {names.get(name, name): count for name, count in read.items()} == dict(memory.read)
    assert {names.get(name, name): count for name, count in written.items()} == dict(memory.written)
    assert sum(walk.held(0).values()) == memory.most


def test_the_backward_pass_moves_what_its_order_makes_it_move() -> None:
    # 8 queries and keys in tiles of 4, no mask: 4 tiles, each outer loop of 2.
    view = explorer(causal=False, direction="backward")
    query, value, row = 8 * D_HEAD, 8 * D_VALUE, 8
    read, written = view.walk().moved(3)
    assert dict(read) == {
        "output": value,
        "dO": 2 * value,
        "query": query,
        "log-sum-exp": row,
        "row term D": row,
        **{"key": 2 * query, "value": 2 * value, "dK": 2 * query, "dV": 2 * value},
    }
    assert dict(written) == {"row term D": row, "dK": 2 * query, "dV": 2 * value, "dQ": query}
    view.order = "keys"
    read, written = view.walk().moved(3)
    assert [read[name] for name in ("query", "key", "dQ", "dK")] == [80, 40, 80, 0]
    assert [written[name] for name in ("dQ", "dK", "dV")] == [80, 40, 16]


def test_without_rescaling_the_error_grows() -> None:
    scores = torch.arange(8.0).expand(8, 8)
    view = TileExplorer(scores, causal=False)
    view.tile_keys, view.rescaling = 2, False
    errors = [view.walk().row(0, step).error for step in range(4)]
    assert errors[0] < 1e-6
    assert errors[1:] == sorted(errors[1:])
    assert errors[3] > 1
    assert view.walk().row(0, 1).due == pytest.approx(math.exp(-2))
    assert view.walk().largest_error(3) == pytest.approx(errors[3])


def test_without_a_maximum_large_scores_overflow() -> None:
    view = TileExplorer(torch.full((4, 4), 2.0), causal=False)
    view.maximum = "none"
    assert view.walk().largest_error(0) < 1e-6
    view.times = 100  # exp(200) overflows float32
    assert math.isnan(view.walk().largest_error(0))
    assert "Broken: no maximum." in view._alt_text()


def test_a_maximum_that_starts_at_0_loses_rows_of_small_scores() -> None:
    view = TileExplorer(torch.full((4, 4), -2.0), causal=False)
    view.maximum = "zero"
    assert view.walk().largest_error(0) < 1e-6
    view.times = 100
    state = view.walk().row(0, 0)
    assert [float(state.end), float(state.end_exact)] == [0.0, 1.5]


def test_a_finite_mask_counts_until_a_larger_maximum_comes() -> None:
    view = explorer(last_first=True, minus_million=True, tile_keys=2)
    walk = view.walk()
    # Rows 0 and 1 see none of keys 2 and 3, which come first.
    first, second = walk.row(0, 0), walk.row(0, 1)
    assert isinstance(first.after, Partial)
    assert [float(first.after.maximum), float(first.after.total)] == [-1e6, 2.0]
    assert first.error > 0.01
    assert second.factor == 0
    assert second.error < 1e-6
    view.rescaling = False
    assert view.walk().row(0, 1).error > 0.01


def test_a_finite_mask_gives_an_output_to_rows_without_keys() -> None:
    view = explorer(8, 6, minus_million=True)
    state = view.walk().row(1, 0)
    value = view.walk().given.value
    assert torch.allclose(state.end, value[:4].mean(0))
    assert (state.end_exact == 0).all()
    view.minus_million = False
    assert (view.walk().row(1, 0).end == 0).all()


def test_the_text_says_what_is_shown() -> None:
    view = explorer(step=1, row=6)
    text = view._repr_mimebundle_()[0]["text/plain"]
    assert text.startswith(
        "Tile 2 of 3, forward, queries first: queries 4 to 7 with keys 0 to 3, seen whole; row 6: "
    )
    for part in (
        "Tiles: 1 visited, 1 current, 1 to come, 1 skipped; 2 partly masked.",
        "Held: query 20, key 20, value 8, scores 16, maximum 4, sum 4, output 8.",
        "80 words held of 256; 104 words moved so far.",
        "Read: query 40, key 40, value 16.",
        "Written: output 8.",
        "Rows finished: 4;",
        "Broken: nothing.",
    ):
        assert part in text
    view.capacity = 50
    assert "80 words held of 50, which does not fit" in view._alt_text()
    view.step, view.row = 0, 7
    assert "row 7 has not begun" in view._alt_text()


def test_with_fewer_steps_the_last_is_shown() -> None:
    view = explorer(step=2)
    view.tile_queries = view.tile_keys = 8
    assert view.step == 0
