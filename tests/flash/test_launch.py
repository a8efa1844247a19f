"""How tensors reach the kernels: nothing is copied, nothing is visited in vain."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.fixtures import Patch
from tests.flash.exact import attend
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention, reference_attention
from transformer_lesson.flash import configs, flash_attention, kernels, launch
from transformer_lesson.flash.api import Backend, FlashMask
from transformer_lesson.flash.traffic import counted_kernels

TILE = configs.INTERPRETER.keys
WIDTH = 16


def drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    g = seeded(0)
    return [torch.randn(shape, generator=g) for shape in shapes]


def assert_exact(
    query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False, real: Tensor | None = None
) -> None:
    """Output and gradients of the kernels are those of plain attention in float64."""
    leaves = [t.detach().requires_grad_() for t in (query, key, value)]
    output = attend(*leaves, causal=causal, real=real, backend="triton")
    upstream = drawn(output.shape[-1:])[0].expand(output.shape)  # as that of a sum is laid out
    found = (output, *torch.autograd.grad(output, leaves, upstream))
    exact = [t.detach().double().requires_grad_() for t in (query, key, value)]
    mask = FlashMask(causal, real).dense(query.shape[2], key.shape[2], query.device)
    right, _ = reference_attention(exact[0], exact[1], exact[2], mask, enable_gqa=True)
    expected = (right, *torch.autograd.grad(right, exact, upstream.double()))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == query.dtype
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-5)


def layouts() -> Iterator[tuple[str, list[Tensor]]]:
    """Heads of 2 texts, 3 heads of 16: as models hold them, and otherwise."""
    yield "heads side by side", [t.transpose(1, 2) for t in drawn(*[(1, 150, 3, WIDTH)] * 3)]
    (joined,) = drawn((2, 150, 3, 3, WIDTH))
    yield "one projection for all three", list(joined.permute(2, 0, 3, 1, 4).unbind())
    yield "part of a cache", [t[:, :, 5:155] for t in drawn(*[(2, 3, 170, WIDTH)] * 3)]
    yield "every second text", [t[::2] for t in drawn(*[(3, 3, 150, WIDTH)] * 3)]
    yield "stored column by column", [t.mT for t in drawn(*[(2, 3, WIDTH, 150)] * 3)]
    query, key, value = drawn((2, 3, 150, WIDTH), (1, 1, 150, WIDTH), (2, 3, 1, WIDTH))
    yield "expanded", [query, key.expand(2, 3, -1, -1), value.expand(-1, -1, 150, -1)]
    query, overlapping = drawn((2, 3, 150, WIDTH), (2, 3, 151 * 8))
    windows = overlapping.unfold(-1, WIDTH, 8)
    yield "rows that overlap", [query, windows, windows]
    close = drawn((2, 3, 9 + WIDTH - 1))[0].unfold(-1, WIDTH, 1)  # fewer rows than numbers in one
    yield "rows one number apart", [close] * 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "tensors"), list(layouts()))
def test_any_layout_gives_the_right_numbers(name: str, tensors: list[Tensor]) -> None:
    assert_exact(*tensors, causal=True)


def test_what_a_layer_hands_over_is_not_copied(monkeypatch: Patch) -> None:
    """Nor is what it gets back: the heads come as they are joined."""
    made: list[tuple[Tensor, ...]] = []

    def attending(*tensors: Tensor) -> Tensor:
        output = attend(*tensors[:3], backend="triton")
        made.append((*tensors[:3], output))
        return output

    read: list[Tensor] = []
    run = launch._Call.run

    def recording(call: launch._Call, *given: Any) -> None:
        read.extend(given[3])
        run(call, *given)

    monkeypatch.setattr("transformer_lesson.attention.masked_flash_attention", attending)
    monkeypatch.setattr(launch._Call, "run", recording)
    MultiHeadAttention(48, 3, attention="flash")(*drawn((2, 9, 48)))
    assert [t.data_ptr() for t in read] == [t.data_ptr() for t in made[0]]
    assert made[0][-1].transpose(1, 2).is_contiguous()


def paddings(keys: int) -> Iterator[tuple[str, Tensor]]:
    """Which keys of two texts are real: the first as the name says, the second all."""
    place = torch.arange(keys)
    yield "nothing padded", place >= 0
    yield "after the text", place < 150
    yield "before the text", place >= TILE + 9
    yield "on both sides", (place > TILE) & (place < 2 * TILE)
    yield "whole tiles, to the key", (place >= TILE) & (place < 2 * TILE)
    yield "holes", (place < 40) | ((place > 2 * TILE + 3) & (place % 7 != 0))
    yield "all but one", place == TILE + 1
    yield "everything", place < 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "real"), list(paddings(400)))
@pytest.mark.parametrize("causal", [False, True])
def test_padding_anywhere_gives_the_right_numbers(name: str, real: Tensor, causal: bool) -> None:
    shapes = [(2, 2, 150, WIDTH), (2, 1, 400, WIDTH), (2, 1, 400, WIDTH)]
    assert_exact(*drawn(*shapes), causal=causal, real=torch.stack((real, torch.ones(400) > 0)))


@pytest.mark.rare
@pytest.mark.parametrize("causal", [False, True])
def test_a_product_begun_a_tile_early_changes_no_bit(causal: bool, monkeypatch: Patch) -> None:
    real = torch.stack([real for _, real in paddings(400)])
    tensors = drawn((8, 2, 150, WIDTH), *[(8, 1, 400, WIDTH)] * 2)
    leaves = [tensor.requires_grad_() for tensor in tensors]
    found = []
    for ahead in (False, True):
        tiles = replace(configs.INTERPRETER, ahead=ahead)
        monkeypatch.setattr(configs, "INTERPRETER", tiles)
        output = attend(*leaves, causal=causal, real=real, backend="triton")
        found.append(torch.autograd.grad(output.square().sum(), leaves))
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


@pytest.mark.parametrize("backend", ["tiled", "triton"])
def test_padding_that_changes_before_the_backward_pass_is_noticed(backend: Backend) -> None:
    query = drawn((1, 1, 40, WIDTH))[0].requires_grad_()
    real = torch.ones(1, 40, dtype=torch.bool)
    output = attend(query, query, query, real=real, backend=backend)
    real[0, 20:] = False
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()


def loaded(real: Tensor, *, keys: int, queries: int = TILE) -> int:
    tensors = drawn((1, 1, queries, WIDTH), (1, 1, keys, WIDTH), (1, 1, keys, WIDTH))
    with counted_kernels() as words:
        flash_attention(*tensors, real=real[None], backend="triton")
    return words["loaded"]


def test_tiles_of_padding_are_skipped_and_only_those_at_the_edge_are_masked() -> None:
    keys, span = 4 * TILE, 3  # the span of real keys is three numbers
    place = torch.arange(keys)
    of_a_tile = 2 * TILE * WIDTH  # keys and values
    queries = TILE * WIDTH
    assert loaded(place >= 0, keys=keys) == queries + span + 4 * of_a_tile
    assert loaded(place < 2 * TILE, keys=keys) == queries + span + 2 * of_a_tile
    assert loaded(place >= 3 * TILE, keys=keys) == queries + span + of_a_tile
    of_five = 2 * 5 * WIDTH  # padding itself is not loaded
    at_the_edge = queries + span + of_a_tile + of_five + TILE
    assert loaded(place < TILE + 5, keys=keys) == at_the_edge


def test_no_share_of_the_keys_is_empty(monkeypatch: Patch) -> None:
    """Nine tiles in eight shares are two to each: five shares hold them all."""
    monkeypatch.setattr(configs, "INTERPRETED_MULTIPROCESSORS", 4)
    query, key, value = drawn((1, 1, 1, WIDTH), *[(1, 1, 9 * TILE, WIDTH)] * 2)
    with counted_kernels() as words:
        flash_attention(query, key, value, backend="triton")
    assert words["stored"] == (5 + 1) * (WIDTH + 1)
    assert_exact(query, key, value)


@pytest.mark.parametrize("padding", [False, True])
def test_a_new_token_is_decoded_by_several_programs(padding: bool) -> None:
    """The heads of a group read their keys once, and what the shares say is merged."""
    keys, width, heads, key_heads = 5 * TILE - 7, 32, 8, 2
    query, key, value = drawn((1, heads, 1, width), *[(1, key_heads, keys, width)] * 2)
    parts = configs.parts(key_heads, 5, configs.INTERPRETED_MULTIPROCESSORS)
    assert parts == 5
    with counted_kernels() as words:
        flash_attention(query, key, value, causal=True, backend="triton")
    found = heads * (width + 1)  # the output and the log-sum-exp
    assert words["stored"] == (parts + 1) * found
    assert words["loaded"] == (parts * heads + 2 * key_heads * keys) * width + parts * found
    real = torch.arange(keys)[None] < 300 if padding else None
    assert_exact(query, key, value, causal=True, real=real)


@pytest.mark.parametrize(
    ("programs", "tiles_of_keys", "expected"), [(8, 512, 33), (8, 4, 4), (264, 512, 1), (0, 9, 9)]
)
def test_the_keys_are_split_until_each_multiprocessor_has_two_programs(
    programs: int, tiles_of_keys: int, expected: int
) -> None:
    assert configs.parts(programs, tiles_of_keys, 132) == expected


def test_any_number_of_heads_fits_on_the_grid(monkeypatch: Patch) -> None:
    """A GPU's grid ends at 65,535 on all axes but the first."""
    grids: list[tuple[int, ...]] = []

    class Recorder:
        def __getitem__(self, grid: tuple[int, ...]) -> Any:
            grids.append(grid)
            return lambda *_, **__: None

    for name in ("forward", "row_term", "backward_keys", "backward_queries"):
        monkeypatch.setattr(kernels, name, Recorder())
    query = torch.zeros(70_000, 2, 20, 1, requires_grad=True)
    output = attend(query, query, query, backend="triton")
    output.sum().backward()
    assert len(grids) == 4
    assert {grid[0] for grid in grids} == {140_000}
    assert all(size <= 65_535 for grid in grids for size in grid[1:])


def test_a_device_with_too_little_shared_memory_is_named(monkeypatch: Patch) -> None:
    class Small:
        def __getitem__(self, _: tuple[int, ...]) -> Any:
            def launch(*_: object, **__: object) -> None:
                raise kernels.OutOfResources(131_072, 101_376, "shared memory")

            return launch

    monkeypatch.setattr(kernels, "forward", Small())
    words = r"d_head=16 in torch.float32 needs 131072 of .* cpu has 101376\. Use backend='tiled'"
    with pytest.raises(RuntimeError, match=f"kernel forward at {words}"):
        flash_attention(*drawn(*[(1, 1, 40, WIDTH)] * 3), backend="triton")


@pytest.mark.parametrize("queries", [1, 40])
def test_an_empty_batch(queries: int) -> None:
    output = attend(*torch.zeros(3, 0, 2, queries, WIDTH), backend="triton")
    assert output.shape == (0, 2, queries, WIDTH)
