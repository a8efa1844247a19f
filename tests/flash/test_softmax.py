"""Safe softmax, log-sum-exp, and the merge that flash attention rests on."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.flash.softmax import (
    Partial,
    finish,
    log_sum_exp,
    merge,
    partial,
    safe_softmax,
)

NOTHING = -torch.inf


def test_safe_softmax_and_log_sum_exp_agree_with_pytorch_at_any_size() -> None:
    scores = torch.randn(4, 9, generator=seeded(0)) * torch.tensor([[1.0], [1e3], [1e-3], [1e4]])
    torch.testing.assert_close(safe_softmax(scores), scores.softmax(-1))
    torch.testing.assert_close(log_sum_exp(scores), scores.logsumexp(-1))


def test_a_row_of_nothing_has_weights_zero_and_log_sum_exp_minus_infinity() -> None:
    scores = torch.tensor([[NOTHING, NOTHING], [0.0, NOTHING]])
    assert safe_softmax(scores).tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert log_sum_exp(scores).tolist() == [NOTHING, 0.0]


def _pieces(seed: int, sizes: tuple[int, ...], empty: bool) -> list[Partial]:
    g = seeded(seed)
    pieces = []
    for number, size in enumerate(sizes):
        scores = 100 * number + torch.randn(3, size, generator=g, dtype=torch.float64)
        if empty and number == 1:
            scores[0] = NOTHING
        pieces.append(partial(scores, torch.randn(size, 2, generator=g, dtype=torch.float64)))
    return pieces


def _close(one: tuple[Tensor, ...], other: tuple[Tensor, ...]) -> None:
    for got, right in zip(one, other, strict=True):
        torch.testing.assert_close(got, right)


@given(st.integers(0, 1000), st.tuples(*[st.integers(1, 5)] * 3), st.booleans())
def test_merging_is_associative_and_commutative(
    seed: int, sizes: tuple[int, ...], empty: bool
) -> None:
    a, b, c = _pieces(seed, sizes, empty)
    _close(merge(merge(a, b), c), merge(a, merge(b, c)))
    _close(merge(a, b), merge(b, a))


@given(st.integers(0, 1000), st.integers(1, 6))
def test_pieces_of_any_size_give_the_whole(seed: int, size: int) -> None:
    g = seeded(seed)
    scores, value = torch.randn(3, 7, generator=g) * 50, torch.randn(7, 2, generator=g)
    seen = partial(scores[:, :size], value[:size])
    for start in range(size, 7, size):
        seen = merge(seen, partial(scores[:, start : start + size], value[start : start + size]))
    output, normalizer = finish(seen)
    torch.testing.assert_close(output, scores.softmax(-1) @ value, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(normalizer, scores.logsumexp(-1))
