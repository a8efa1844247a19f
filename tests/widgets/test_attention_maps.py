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


def test_what_the_fused_path_returns_is_named() -> None:
    with pytest.raises(ValueError, match="weights is None: fused attention returns none"):
        checked_maps(None, WORDS)


@pytest.mark.parametrize("tokens", [set(WORDS), 3, iter(WORDS)])
def test_tokens_without_an_order_are_refused(tokens: object) -> None:
    with pytest.raises(TypeError, match=f"is a {type(tokens).__name__}; pass a list of strings"):
        checked_maps(WEIGHTS, tokens)  # type: ignore[arg-type]


def test_an_empty_row_is_allowed() -> None:
    weights = WEIGHTS.clone()
    weights[1] = 0
    maps = checked_maps(weights, WORDS)
    assert maps.weights[0, 0, 1].sum() == 0
    assert summary(maps.weights[0, 0], maps)[2] == "cat (1) → nothing"


@pytest.mark.parametrize("shape", [(3,), (2, 2, 1, 3, 3)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"has shape \([\d, ]+\); expected .* pass weights\[0\]"):
        checked_maps(torch.ones(shape), WORDS)


@pytest.mark.parametrize("shape", [(0, 0), (513, 513), (0, 3, 3)])
def test_none_and_too_many_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 512 queries and keys"):
        checked_maps(torch.zeros(shape), [""] * shape[-1])


@pytest.mark.parametrize("wrong", [-0.25, float("nan"), float("inf")])
def test_what_is_no_weight_is_named_with_its_place(wrong: float) -> None:
    weights = WEIGHTS.repeat(2, 4, 1, 1)
    weights[1, 2, 0, 1] = wrong
    with pytest.raises(ValueError, match=f"layer 1, head 2, query 0, key 1 is {wrong}"):
        checked_maps(weights, WORDS)


def test_a_row_that_does_not_sum_to_one_is_named_with_its_sum() -> None:
    weights = WEIGHTS.repeat(2, 4, 1, 1)
    weights[1, 3, 2] *= 0.9
    with pytest.raises(ValueError, match=r"layer 1, head 3, row 2 sums to 0\.9000; .* dim=-1"):
        checked_maps(weights, WORDS)


def test_the_softmax_of_float16_is_close_enough() -> None:
    weights = torch.randn(64, 64, generator=torch.Generator().manual_seed(0)).softmax(-1).half()
    checked_maps(weights, ["x"] * 64)


def test_token_lists_of_the_wrong_length_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="query_tokens has 2 tokens and weights has 3 queries"):
        checked_maps(WEIGHTS, WORDS[:2])
    with pytest.raises(ValueError, match="key_tokens has 4 tokens and weights has 3 keys"):
        checked_maps(WEIGHTS, WORDS, [*WORDS, "on"])


def test_keys_of_their_own_number_need_their_own_tokens() -> None:
    with pytest.raises(ValueError, match=r"2 queries and 3 keys; .* pass key_tokens"):
        checked_maps(WEIGHTS[:2], WORDS[:2])
    assert checked_maps(WEIGHTS[:2], WORDS[1:], WORDS).query_tokens == ["cat", "sat"]


def test_tokens_are_a_list_of_strings() -> None:
    with pytest.raises(TypeError, match=r"'abc'; pass a list, such as query_tokens\.split\(\)"):
        checked_maps(WEIGHTS, "abc")
    with pytest.raises(TypeError, match=r"holds 7; .* str\(token\)"):
        checked_maps(WEIGHTS, ["The", 7, "sat"])  # type: ignore[list-item]


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
