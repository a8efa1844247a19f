"""attention.py against PyTorch's own, on shapes that nobody chose."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from tests.twins import disturb, named_attention
from transformer_lesson import seeded
from transformer_lesson.attention import (
    Attention,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    reference_attention,
)

few = st.integers(1, 6)
seeds = st.integers(0, 2**16)


def draw(seed: int, *shapes: tuple[int, ...], dtype: torch.dtype = torch.float64) -> list[Tensor]:
    generator = seeded(seed)
    return [
        torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes
    ]


def assert_same_gradients(output: Tensor, expected: Tensor, *inputs: Tensor) -> None:
    upstream = torch.randn(output.shape, generator=seeded(1), dtype=output.dtype)
    got, right = (torch.autograd.grad(each, inputs, upstream) for each in (output, expected))
    torch.testing.assert_close(got, right)


@settings(max_examples=40, deadline=None)
@given(few, few, few, few, few, few, seeds, st.booleans())
def test_values_and_gradients_equal_pytorch(
    batch: int,
    heads: int,
    queries: int,
    keys: int,
    d_head: int,
    d_value: int,
    seed: int,
    masked: bool,
) -> None:
    query, key, value = inputs = draw(
        seed,
        (batch, heads, queries, d_head),
        (batch, heads, keys, d_head),
        (batch, heads, keys, d_value),
    )
    mask = None
    if masked:
        mask = torch.rand(batch, 1, queries, keys, generator=seeded(seed)) < 0.6
        mask[..., 0] = True  # rows that are empty have a test of their own
    output, weights = reference_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert_same_gradients(output, expected, *inputs)


def test_gradcheck_with_an_empty_row() -> None:
    inputs = draw(0, (2, 3, 4), (2, 5, 4), (2, 5, 2))
    mask = torch.rand(2, 3, 5, generator=seeded(1)) < 0.6
    mask[0, 1] = False
    assert torch.autograd.gradcheck(
        lambda query, key, value: reference_attention(query, key, value, mask), inputs
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_empty_row_is_zero_and_so_is_its_gradient(dtype: torch.dtype) -> None:
    query, key, value = draw(0, (2, 4), (3, 4), (3, 2), dtype=dtype)
    mask = torch.tensor([[True, False, True], [False, False, False]])
    output, weights = reference_attention(query, key, value, mask)
    output.sum().backward()
    assert output[1].eq(0).all()
    assert weights[1].eq(0).all()
    assert weights[0, 1] == 0
    assert query.grad is not None
    assert query.grad[1].eq(0).all()
    assert all(x.grad is not None and x.grad.isfinite().all() for x in (query, key, value))


def test_dropout_acts_on_the_output_and_not_on_the_weights_returned() -> None:
    query, key, value = draw(0, (50, 4), (50, 4), (50, 2))
    plain, weights = reference_attention(query, key, value)
    dropped, same = reference_attention(query, key, value, dropout=0.5)
    assert torch.equal(weights, same)
    assert not torch.allclose(plain, dropped)


@given(few, few)
def test_causal_mask_is_aligned_to_the_last_key(queries: int, extra: int) -> None:
    keys = queries + extra
    mask = causal_mask(queries, keys)
    assert mask.dtype == torch.bool
    assert torch.equal(mask, causal_mask(keys)[-queries:])
    assert mask.sum(-1).tolist() == list(range(extra + 1, keys + 1))


def test_more_queries_than_keys_leaves_the_first_without_any() -> None:
    assert causal_mask(3, 2).tolist() == [[False, False], [True, False], [True, True]]


def test_padding_mask_hides_keys_for_all_heads_and_queries() -> None:
    mask = padding_mask(torch.tensor([[5, 3, 0], [7, 0, 0]]), padding_id=0)
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, True, False], [True, False, False]]


@settings(max_examples=25, deadline=None)
@given(few, few, few, few, few, seeds, st.sampled_from(["reference", "fused"]))
def test_multi_head_equals_pytorch(
    batch: int, heads: int, d_head: int, queries: int, keys: int, seed: int, attention: str
) -> None:
    d_model = heads * d_head
    ours = MultiHeadAttention(d_model, heads, attention=attention, generator=seeded(seed)).double()  # type: ignore[arg-type]
    disturb(ours, seed)
    twin = nn.MultiheadAttention(d_model, heads, batch_first=True).double()
    twin.load_state_dict(named_attention(ours, torch.detach, ""))
    query, memory = draw(seed, (batch, queries, d_model), (batch, keys, d_model))
    mask = torch.rand(queries, keys, generator=seeded(seed)) < 0.6
    mask[:, 0] = True
    output, weights = ours(query, memory, mask=mask)
    # PyTorch's module has True = blocked.
    expected, expected_weights = twin(
        query, memory, memory, attn_mask=~mask, average_attn_weights=False
    )
    torch.testing.assert_close(output, expected)
    if attention == "reference":
        torch.testing.assert_close(weights, expected_weights)
    else:
        assert weights is None
    assert_same_gradients(output, expected, query, memory)


@pytest.mark.parametrize("masked", [False, True])
def test_a_bias_is_added_to_the_scores(masked: bool) -> None:
    query, key, value, bias = draw(0, (2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 8), (3, 4, 5))
    mask = torch.rand(2, 1, 4, 5, generator=seeded(1)) < 0.6 if masked else None
    if mask is not None:
        mask[..., 0] = True
    output, _ = reference_attention(query, key, value, mask, bias=bias)
    added = bias if mask is None else bias.masked_fill(~mask, float("-inf"))
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=added)
    torch.testing.assert_close(output, expected)
    assert_same_gradients(output, expected, query, key, value, bias)


def test_a_bias_cannot_open_what_the_mask_hides() -> None:
    query, key, value = draw(0, (2, 4), (3, 4), (3, 2))
    bias = torch.full((2, 3), 1e6, dtype=torch.float64)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    output, weights = reference_attention(query, key, value, mask, bias=bias)
    assert weights[~mask].eq(0).all()
    assert output[1].eq(0).all()


@pytest.mark.parametrize("attention", ["reference", "fused"])
def test_a_bias_and_a_mask_in_both_ways_of_attention(attention: Attention) -> None:
    """Against the layer without a bias: a bias of -inf is a mask, and one for all keys nothing."""
    layer = MultiHeadAttention(8, 2, attention=attention, generator=seeded(0)).double()
    tokens = draw(0, (2, 5, 8))[0]
    mask = causal_mask(5) & padding_mask(torch.tensor([[0, 1, 1, 1, 1], [1, 1, 1, 0, 0]]), 0)
    expected, _ = layer(tokens, mask=mask)
    all_alike = torch.full((2, 1, 1), 3.0)
    torch.testing.assert_close(layer(tokens, mask=mask, bias=all_alike)[0], expected)
    hidden = torch.zeros(5, 5).masked_fill(~causal_mask(5), float("-inf"))
    torch.testing.assert_close(layer(tokens, bias=hidden)[0], layer(tokens, mask=causal_mask(5))[0])
    (gradient,) = torch.autograd.grad(layer(tokens, mask=mask, bias=all_alike)[0].sum(), tokens)
    assert gradient.isfinite().all()


@pytest.mark.parametrize("attention", ["reference", "fused"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_query_to_which_a_bias_opens_nothing_gets_zero(
    attention: Attention, masked: bool
) -> None:
    """The output, the weights and every gradient: of the tokens, the weights and the bias."""
    layer = MultiHeadAttention(8, 2, bias=False, attention=attention, generator=seeded(0)).double()
    (tokens,) = draw(0, (2, 4, 8))
    bias = torch.zeros(2, 4, 4, dtype=torch.float64).index_fill(1, torch.tensor([2]), -torch.inf)
    bias[:, 3, 0] = -torch.inf
    bias.requires_grad_()
    mask = causal_mask(4) if masked else None
    output, weights = layer(tokens, mask=mask, bias=bias)
    assert output[:, 2].eq(0).all()
    assert output[:, 3].ne(0).all()
    assert weights is None or weights[:, :, 2].eq(0).all()
    gradients = torch.autograd.grad(output.sum(), [tokens, bias, *layer.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[1][:, 2].eq(0).all()
