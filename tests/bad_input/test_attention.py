"""What attention and its masks refuse, and in which words."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type,call-arg"

import math
from typing import Any

import torch
from torch import ones, tensor

from tests.small_models import ids
from tests.tables import Refused, refusing
from transformer_lesson.attention import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    reference_attention,
)
from transformer_lesson.flash.api import FlashMask, flash_attention

X = torch.ones(2, 5, 16)
HEADS = torch.ones(2, 4, 5, 4)
THREE = torch.ones(2, 3, 5, 4)
SAME = [HEADS] * 3
ONE = torch.ones(1, 3, 4)
ROWS = torch.ones(2, 3, 4)
PLACES = torch.arange(5)


def attend(way: str = "reference", x: Any = X, **given: Any) -> Any:
    return MultiHeadAttention(16, 4, attention=way)(x, **given)


def three(*shapes: tuple[int, ...]) -> Any:
    return reference_attention(*map(ones, shapes))


VALUES: Refused = [
    (
        lambda: attend("fused", mask=FlashMask(False, X[:, :4, 0] > 0)),
        "real has shape (2, 4); expected",
    ),
    (lambda: attend(is_causal="no"), "is_causal='no'; expected True or False"),
    (lambda: reference_attention(*SAME, is_causal=1), "is_causal=1; expected True or False"),
    (lambda: reference_attention(*SAME, dropout=1.5), "dropout=1.5; expected a probability"),
    (lambda: flash_attention(*SAME, scale="a"), "scale='a'; expected a positive"),
    (lambda: flash_attention(*SAME, causal="yes"), "causal='yes'; expected True or False"),
    (
        lambda: reference_attention(HEADS[:, :, :2], HEADS, HEADS, is_causal=True),
        "2 queries and 5 keys; …causal_mask(2, 5)",
    ),
    (
        lambda: reference_attention(ONE, ONE, ONE, bias=ones(3, 4)),
        "the bias has shape …made for keys=4; here keys=3",
    ),
    (lambda: three((4,), (3, 4), (3, 4)), "query has shape (4,); expected (..., tokens, w"),
    (lambda: three((2, 3, 4), (3, 3, 4), (3, 3, 4)), "the axes before the last two must be equal"),
    (lambda: three((2, 4), (3, 5), (3, 5)), "d_head=4 and key has d_head=5"),
    (lambda: three((2, 4), (3, 4), (4, 4)), "3 keys and 4 values"),
    (
        lambda: reference_attention(*[ROWS] * 3, ones(5, 3, 3).bool()),
        "made for batch=5; here batch=2",
    ),
    (lambda: causal_mask(-1), "queries=-1"),
    (lambda: padding_mask(tensor([1, 2, 0]), 0), "tokens has shape (3,)"),
    (
        lambda: reference_attention(HEADS, THREE, THREE, enable_gqa=True),
        "num_heads=4 is not divisible by num_kv_heads=3",
    ),
    (
        lambda: reference_attention(HEADS, THREE[:, :2], THREE[:, :2]),
        "must be equal…enable_gqa=True",
    ),
    (
        lambda: reference_attention(HEADS, HEADS[:, :2], HEADS[:, :1], enable_gqa=True),
        "as many heads of the one as of",
    ),
    (lambda: reference_attention(*SAME, scale=0.0), "scale=0.0; expected a positive number"),
    (lambda: reference_attention(*SAME, scale=math.nan), "scale=nan; expected a positive number"),
    (lambda: attend(mask=ones(5, 8).bool()), "keys=8; here keys=5"),
    (lambda: attend(mask=ones(2, 5).bool()), "queries=2; here queries=5"),
    (lambda: attend(mask=ones(5, 1, 1, 5).bool()), "batch=5; here batch=2"),
    (lambda: attend(mask=ones(1, 1, 1, 5, 5).bool()), "more axes"),
    (lambda: flash_attention(HEADS[0], HEADS, HEADS), "query (4, 5, 4)…expected (batch, heads"),
    (lambda: flash_attention(HEADS, THREE, THREE), "4 heads cannot share 3"),
    (lambda: flash_attention(HEADS, HEADS[..., :2], HEADS[..., :2]), "one batch size and d_head"),
    (lambda: flash_attention(HEADS, HEADS, HEADS[:, :, :4]), "as many values as keys"),
    (
        lambda: flash_attention(*[ones(1, 1, 5, 512)] * 3),
        "d_head=512; expected 1 to 256. Use more heads",
    ),
    (
        lambda: flash_attention(HEADS, HEADS[:, :, :0], HEADS[:, :, :0]),
        "at least one query and one key",
    ),
    (lambda: flash_attention(*SAME, scale=2e30), "scale=2e+30; expected at most 1e+30 in"),
    (
        lambda: flash_attention(*SAME, real=ones(2, 5).bool().to("meta")),
        "real is on meta, key on cpu; move",
    ),
    (lambda: flash_attention(*SAME, real=ones(2, 4).bool()), "expected (batch, keys) = (2, 5)"),
    (lambda: flash_attention(*SAME, backend="cudnn"), "backend='cudnn'; expected"),
]

TYPES: Refused = [
    (lambda: attend(positions=[0, 1, 2, 3, 4]), "positions is a list; expected a tensor"),
    (lambda: attend(positions=PLACES > 2), "positions have dtype torch.bool; expected integers"),
    (lambda: attend(bias=True), "bias is a bool; expected a tensor"),
    (lambda: attend(bias=causal_mask(5)), "the bias has dtype torch.bool; …is a mask"),
    (lambda: attend(bias=ones(5, 5, dtype=torch.complex64)), "the bias has dtype torch.complex64"),
    (lambda: attend(x=X.to(torch.complex64)), "query has dtype torch.complex64; …real part"),
    (
        lambda: flash_attention(*[HEADS.to(torch.complex64)] * 3),
        "query is torch.complex64, …floating-point dtype of 16, 32",
    ),
    (
        lambda: flash_attention(*[HEADS.to(torch.float8_e4m3fn)] * 3),
        "query is torch.float8_e4m3fn, …dtype of 16, 32",
    ),
    (lambda: attend("flash", mask=[[True]]), "the mask is a list; expected a FlashMask"),
    (lambda: attend(mask=(True, None), is_causal=True), "the mask is a tuple; expected a boolean"),
    (lambda: attend(mask=FlashMask(True, X[..., 0])), "real has dtype torch.float32; expected"),
    (lambda: reference_attention(*SAME, bias=1.0), "bias is a float; expected a tensor"),
    (lambda: reference_attention(HEADS, [1.0], HEADS), "key is a list; expected a tensor"),
    (lambda: flash_attention(*SAME, real=[[True] * 5] * 2), "real is a list; expected a tensor"),
    (lambda: padding_mask(ids(2, 3), True), "padding_id=True; expected the integer id"),
    (
        lambda: reference_attention(ONE, ONE, ONE, bias=ones(3, 3).double()),
        "the bias has dtype torch.float64",
    ),
    (
        lambda: reference_attention(ONE, ONE.double(), ONE.double()),
        "key has dtype torch.float64 and query torch.float32",
    ),
    (
        lambda: reference_attention(*[ONE.long()] * 3),
        "query has dtype torch.int64; expected floating point",
    ),
    (lambda: reference_attention(*[ROWS] * 3, [[True]]), "the mask is a list; …torch.as_tensor"),
    (lambda: causal_mask(2.5), "queries=2.5; expected the number of tokens"),
    (lambda: padding_mask([[1, 2]], 0), "use torch.tensor(ids)"),
    (lambda: attend(mask=torch.zeros(5, 5)), "torch.float32; expected torch.bool"),
    (lambda: attend("fused", mask=torch.zeros(5, 5)), "torch.float32; expected torch.bool"),
    (lambda: attend("flash", mask=causal_mask(5)), "Give a FlashMask"),
    (lambda: flash_attention(HEADS, HEADS.double(), HEADS), "key torch.float64"),
    (lambda: flash_attention(*SAME, real=ones(2, 5)), "expected torch.bool"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
