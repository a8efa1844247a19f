"""The view of sinusoidal positions, without a browser."""

import numpy as np
import pytest

from transformer_lesson.widgets import PositionExplorer


@pytest.mark.parametrize(("max_tokens", "d_model"), [(2, 4), (64, 64), (3, 5), (256, 128)])
def test_every_size_begins_within_its_bounds(max_tokens: int, d_model: int) -> None:
    explorer = PositionExplorer(max_tokens, d_model)
    assert explorer.table().shape == (max_tokens, d_model)
    assert 0 <= explorer.first < explorer.second < max_tokens
    assert 0 <= explorer.pair < d_model // 2
    assert 0 <= explorer.shift < max_tokens


def test_the_table_is_that_of_the_paper() -> None:
    table = PositionExplorer(8, 6).table()
    assert np.allclose(table[:, 0], np.sin(np.arange(8)))
    assert np.allclose(table[:, 3], np.cos(np.arange(8) / 10_000 ** (2 / 6)), atol=1e-6)


def test_a_narrower_table_has_fewer_pairs() -> None:
    explorer = PositionExplorer(16, 8)
    explorer.d_model, explorer.base, explorer.first, explorer.pair = 9, 100.0, 15, 3
    explorer.d_model = 4
    assert explorer.pair == 1


def test_the_text_compares_the_rows_and_names_the_angle() -> None:
    explorer = PositionExplorer(16, 8)
    explorer.first, explorer.second, explorer.pair, explorer.shift = 3, 5, 0, 2
    table = explorer.table()
    text = explorer._repr_mimebundle_()[0]["text/plain"]
    assert f"Row 3 · row 5 = {table[3] @ table[5]:.2f}; row 3 · itself = 4.00." in text
    assert "turn by 1.0000 rad from each position to the next, in 2 positions by 2.0000" in text
