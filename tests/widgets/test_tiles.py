"""The view of the tiles of flash attention, without a browser."""

import math
from typing import Any

import pytest
import torch

from tests.widgets.tile_walks import D_HEAD, D_VALUE, explorer
from transformer_lesson.flash.softmax import finish, merge, partial
from transformer_lesson.flash.traffic import FastMemory, keys_first, queries_first
from transformer_lesson.widgets import TileExplorer


def test_a_row_is_merged_tile_by_tile() -> None:
    view = explorer(causal=False)
    scores, value = view.walk().given[:2]
    first, second = (partial(scores[:, part], value[part]) for part in (slice(4), slice(4, 8)))
    for step, expected in enumerate([first, merge(first, second)]):
        state = view.walk().row(2, step)
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
    view.row, view.maximum = 2, "none"
    assert "row 2 is in this tile;" in view._alt_text()
    assert "Broken: no maximum." in view._alt_text()


def test_with_fewer_steps_the_last_is_shown() -> None:
    view = explorer(step=2)
    view.tile_queries = view.tile_keys = 8
    assert view.step == 0
