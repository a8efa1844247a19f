"""What may be shown as attention, and what is said about what may not."""

import numpy as np
import pytest
import torch

from transformer_lesson.widgets.attention_maps import checked_maps, summary, token_label

WORDS = ["The", "cat", "sat"]
WEIGHTS = torch.tensor([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (4, 2, 3, 3)])
def test_missing_axes_are_added(shape: tuple[int, ...]) -> None:
    maps = checked_maps(WEIGHTS.expand(shape), WORDS)
    assert maps.weights.shape == (1,) * (4 - len(shape)) + shape
    assert maps.weights.dtype == np.float32
    assert np.array_equal(maps.weights[-1, -1], WEIGHTS.numpy())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_any_real_dtype_will_do(dtype: torch.dtype) -> None:
    weights = torch.eye(3, dtype=dtype, requires_grad=True)
    assert np.array_equal(checked_maps(weights, WORDS).weights[0, 0], np.eye(3))
    assert np.array_equal(checked_maps(np.eye(3).tolist(), WORDS).weights[0, 0], np.eye(3))


def test_one_tensor_for_each_layer_will_do() -> None:
    layers = [WEIGHTS.clone().requires_grad_().expand(2, 3, 3) for _ in range(4)]
    assert checked_maps(layers, WORDS).weights.shape == (4, 2, 3, 3)


def test_an_empty_row_is_allowed() -> None:
    weights = WEIGHTS.clone()
    weights[1] = 0
    maps = checked_maps(weights, WORDS)
    assert maps.weights[0, 0, 1].sum() == 0
    assert summary(maps.weights[0, 0], maps)[2] == "cat (1) → nothing"


def test_the_softmax_of_float16_is_close_enough() -> None:
    weights = torch.randn(64, 64, generator=torch.Generator().manual_seed(0)).softmax(-1).half()
    checked_maps(weights, ["x"] * 64)


def test_keys_may_have_tokens_of_their_own() -> None:
    assert checked_maps(WEIGHTS[:2], WORDS[1:], WORDS).query_tokens == ["cat", "sat"]


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("cat", "cat"),
        (" the", "␣the"),
        ("\n\t ", "⏎⇥␣"),
        ("\u00a0", "␣"),
        ("", "(empty)"),
        ("\x00", "\\x00"),
        ("\u202e", "\\u202e"),
        ("<b>", "<b>"),
        ("naïve", "naïve"),
    ],
)
def test_every_token_can_be_seen(token: str, label: str) -> None:
    assert token_label(token) == label


def test_the_summary_is_short() -> None:
    maps = checked_maps(torch.eye(128), [f"w{i}" for i in range(128)])
    lines = summary(maps.weights[0, 0], maps)
    assert len(lines) == 12
    assert lines[1] == "w0 (0) → w0 (0) 1.00"
    assert lines[-1] == "and 118 more."
