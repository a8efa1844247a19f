"""positions.py against plain Python, and what each kind of position promises."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.positions import (
    LearnedPositions,
    RelativeBias,
    SinusoidalPositions,
    alibi_bias,
    alibi_slopes,
    ntk_base,
    rotate,
    sinusoidal_table,
)

widths = st.integers(1, 33)
pairs = st.integers(1, 8)
places = st.integers(0, 2_000)
seeds = st.integers(0, 2**16)
few = st.integers(1, 6)


def number(position: int, column: int, d_model: int, base: float = 10_000.0) -> float:
    """One number of the table, as the formula says it."""
    angle = position / base ** (column // 2 * 2 / d_model)
    return math.cos(angle) if column % 2 else math.sin(angle)


def draw(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), widths, st.sampled_from([10_000.0, 100.0, 1.5]))
def test_table_is_the_formula_for_even_and_odd_widths(
    max_tokens: int, d_model: int, base: float
) -> None:
    table = sinusoidal_table(max_tokens, d_model, base=base)
    expected = [[number(p, c, d_model, base) for c in range(d_model)] for p in range(max_tokens)]
    assert table.dtype == torch.float32
    torch.testing.assert_close(table, torch.tensor(expected), rtol=0, atol=1e-6)


def test_late_positions_are_as_exact_as_early_ones() -> None:
    row = sinusoidal_table(1_000_001, 16)[-1]
    expected = torch.tensor([number(1_000_000, column, 16) for column in range(16)])
    torch.testing.assert_close(row, expected, rtol=0, atol=1e-6)
    x = torch.ones(1, 16)
    turned = rotate(x, torch.tensor([1_000_000]))[0]
    torch.testing.assert_close(turned[1::2], row[0::2] + row[1::2], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "layer",
    [SinusoidalPositions(6, 10), LearnedPositions(6, 10, generator=seeded(0))],
    ids=["sinusoidal", "learned"],
)
def test_rows_come_in_the_order_of_the_positions(
    layer: SinusoidalPositions | LearnedPositions,
) -> None:
    rows = layer(torch.tensor([5, 0, 9, 5]))
    assert torch.equal(rows, layer.table[[5, 0, 9, 5]])
    assert layer(torch.tensor([], dtype=torch.long)).shape == (0, 6)


def test_sinusoids_are_a_buffer_that_is_not_saved_and_learned_rows_a_parameter() -> None:
    sinusoidal = SinusoidalPositions(6, 10)
    assert [name for name, _ in sinusoidal.named_buffers()] == ["table"]
    assert list(sinusoidal.parameters()) == []
    assert sinusoidal.state_dict() == {}
    assert sinusoidal.to("meta").table.is_meta
    learned = LearnedPositions(6, 10)
    assert [(n, tuple(p.shape)) for n, p in learned.named_parameters()] == [("table", (10, 6))]


@settings(max_examples=40, deadline=None)
@given(few, few, few, few, places, seeds)
def test_relative_bias_is_one_number_for_each_head_and_clipped_distance(
    heads: int, max_distance: int, queries: int, keys: int, start: int, seed: int
) -> None:
    layer = RelativeBias(heads, max_distance, generator=seeded(seed))
    query_positions, key_positions = torch.arange(queries) + start, torch.arange(keys) * 2
    bias = layer(query_positions, key_positions)
    assert bias.shape == (heads, queries, keys)
    assert layer.table.shape == (heads, 2 * max_distance + 1)
    for q in range(queries):
        for k in range(keys):
            distance = max(-max_distance, min(max_distance, 2 * k - (start + q)))
            assert torch.equal(bias[:, q, k], layer.table[:, distance + max_distance])


def turned_by_hand(row: list[float], position: int) -> list[float]:
    """One row of queries or keys, as a product of complex numbers."""
    turned: list[float] = []
    for column in range(0, len(row), 2):
        angle = position * 10_000 ** (-column / len(row))
        pair = complex(*row[column : column + 2]) * complex(math.cos(angle), math.sin(angle))
        turned += [pair.real, pair.imag]
    return turned


@settings(max_examples=40, deadline=None)
@given(few, pairs, st.lists(st.integers(-1_500, 2_000), min_size=1, max_size=5), seeds)
def test_rotate_is_the_formula(heads: int, half: int, positions: list[int], seed: int) -> None:
    x = draw(seed, 2, heads, len(positions), 2 * half)
    turned = rotate(x, torch.tensor(positions))
    assert turned.dtype == x.dtype
    for token, position in enumerate(positions):
        expected = turned_by_hand(x[1, 0, token].tolist(), position)
        torch.testing.assert_close(turned[1, 0, token], torch.tensor(expected, dtype=x.dtype))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_rotate_keeps_the_dtype_and_rounds_no_position(dtype: torch.dtype) -> None:
    x = draw(0, 3, 8)
    positions = torch.tensor([256, 257, 999])  # 257 and 999 are no bfloat16 numbers
    turned = rotate(x.to(dtype), positions)
    assert turned.dtype == dtype
    error = (turned.double() - rotate(x, positions)).abs().max().item()
    assert error < 4 * torch.finfo(dtype).eps * x.abs().max().item()


@pytest.mark.parametrize(
    ("num_heads", "exponents"),
    [(1, [8]), (2, [4, 8]), (3, [4, 8, 2]), (6, [2, 4, 6, 8, 1, 3]), (8, [*range(1, 9)]),
     (12, [*range(1, 9), 0.5, 1.5, 2.5, 3.5])],
)  # fmt: skip
def test_slopes_as_in_the_authors_code(num_heads: int, exponents: list[float]) -> None:
    expected = torch.tensor([2.0**-exponent for exponent in exponents])
    torch.testing.assert_close(alibi_slopes(num_heads), expected)


@settings(max_examples=30, deadline=None)
@given(few, st.lists(places, min_size=1, max_size=4), st.lists(places, min_size=1, max_size=5))
def test_alibi_is_minus_slope_times_distance(
    heads: int, query_positions: list[int], key_positions: list[int]
) -> None:
    bias = alibi_bias(heads, torch.tensor(query_positions), torch.tensor(key_positions))
    slopes = alibi_slopes(heads).tolist()
    expected = [[[-s * abs(k - q) for k in key_positions] for q in query_positions] for s in slopes]
    torch.testing.assert_close(bias, torch.tensor(expected))


def test_initial_values_come_from_the_generator_and_leave_the_global_one_alone() -> None:
    before = torch.get_rng_state()
    for make in (
        lambda: LearnedPositions(200, 100, generator=seeded(3)).table,
        lambda: RelativeBias(100, 100, generator=seeded(3)).table,
    ):
        assert torch.equal(make(), make())
        assert make().std().item() == pytest.approx(0.02, rel=0.05)
    assert torch.equal(before, torch.get_rng_state())


def test_positions_that_are_none() -> None:
    takers = (
        SinusoidalPositions(4, 8),
        LearnedPositions(4, 8),
        lambda positions: RelativeBias(2, 3)(positions, torch.arange(3)),
        lambda positions: RelativeBias(2, 3)(torch.arange(3), positions),
        lambda positions: alibi_bias(2, torch.arange(3), positions),
        lambda positions: rotate(torch.ones(2, 4), positions),
    )
    for take in takers:
        with pytest.raises(TypeError, match=r"dtype torch\.float32; expected integers"):
            take(torch.tensor([0.0, 1.0]))
        with pytest.raises(ValueError, match=r"shape \(1, 2\); expected \(tokens,\)"):
            take(torch.tensor([[0, 1]]))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_interpolation_reads_longer_texts_at_the_angles_of_the_training(dtype: torch.dtype) -> None:
    x, positions = draw(0, 3, 8).to(dtype), torch.tensor([0, 3, 9])
    expected = rotate(x, positions)
    torch.testing.assert_close(rotate(x, 4 * positions, factor=4.0), expected)
    assert not torch.allclose(rotate(x, 4 * positions), expected)


@pytest.mark.parametrize("d_head", [4, 8, 64])
def test_an_ntk_base_slows_the_slowest_pair_by_the_factor_and_the_fastest_not(d_head: int) -> None:
    base = ntk_base(10_000.0, 4.0, d_head)
    assert base == pytest.approx(10_000 * 4 ** (d_head / (d_head - 2)))
    slowest = (d_head - 2) / d_head
    assert base**-slowest == pytest.approx(10_000**-slowest / 4)
    x, positions = torch.ones(1, d_head, dtype=torch.float64), torch.tensor([40])
    longer, usual = rotate(x, positions, base=base), rotate(x, positions)
    torch.testing.assert_close(longer[:, :2], usual[:, :2])
    interpolated = rotate(x, positions, factor=4.0)
    torch.testing.assert_close(longer[:, -2:], interpolated[:, -2:])


def test_alibi_is_made_where_the_positions_are() -> None:
    positions = torch.arange(5)
    with torch.device("meta"):  # a default device that is not that of the model
        assert alibi_bias(4, positions, positions).device == positions.device
