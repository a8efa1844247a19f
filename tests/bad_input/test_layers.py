"""What layers refuse, and in which words."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type"

import math

import torch
from torch import ones

from tests.tables import Refused, refusing
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, FeedForward, RMSNorm, make_norm

X = torch.ones(2, 5, 16)
WHOLE = torch.ones(2, 5, 16, dtype=torch.long)


VALUES: Refused = [
    (lambda: FeedForward(8, 16, dropout=1.0), "dropout=1.0; expected a probability"),
    (lambda: FeedForward(8, 16, dropout="0.1"), "dropout='0.1'; expected a probability"),
    (lambda: EncoderLayer(16, 4, 20, dropout=-0.5), "dropout=-0.5; expected a probability"),
    (lambda: MultiHeadAttention(16, 4, dropout="a", attention="flash"), "dropout='a'; expected a"),
    (lambda: FeedForward(8, 16)(X), "x has shape (2, 5, 16); expected (..., 8)"),
    (lambda: RMSNorm(16)(X[..., :1]), "x has shape (2, 5, 1); expected (..., 16)"),
    (lambda: make_norm("layer", 0), "d_model=0; expected an integer"),
    (lambda: make_norm("layer", 8, eps=-1), "eps=-1; expected a positive"),
    (
        lambda: MultiHeadAttention(600, 2, attention="flash"),
        "d_model=600 with num_heads=2 makes heads of width 300",
    ),
    (lambda: MultiHeadAttention(0, 1), "d_model=0; expected an integer, 1 or more"),
    (lambda: MultiHeadAttention(10, 3), "d_model=10 is not divisible by num_heads=3…1, 2, 5, 10"),
    (lambda: MultiHeadAttention(8, 2, attention="flsh"), "'flsh'"),
    (
        lambda: MultiHeadAttention(8, 2)(ones(3, 8)),
        "query has shape (3, 8); expected (batch, tokens, 8)",
    ),
    (
        lambda: MultiHeadAttention(16, 4, num_kv_heads=3),
        "num_heads=4 is not divisible by num_kv_heads=3; …be 1, 2, 4.",
    ),
    (lambda: MultiHeadAttention(16, 4, num_kv_heads=0), "num_kv_heads=0; num_kv_heads may be"),
    (lambda: MultiHeadAttention(16, 4, num_kv_heads=2.0), "num_kv_heads=2.0; num_kv_heads may be"),
    (lambda: FeedForward(4, 8, activation="swish"), "activation='swish'; expected …'relu'…'gelu'"),
    (lambda: FeedForward(4, 0), "d_ff=0; expected an integer, 1 or more"),
    (lambda: EncoderLayer(4, 2, 8, norm="before"), "norm='before'; expected …'pre'"),
    (lambda: DecoderLayer(4, 2, 8, norm_type="batch"), "norm_type='batch'; expected …'layer'"),
    (lambda: RMSNorm(0), "d_model=0; expected an integer, 1 or more"),
    (lambda: EncoderLayer(4, 2, 8)(ones(3, 4)), "shape (3, 4); expected (batch, tokens, 4)"),
    (lambda: DecoderLayer(16, 4, 20)(X, X[:1]), "1 sources for 2 targets; expected one for each"),
    (
        lambda: EncoderLayer(4, 2, 8, parallel=True, norm="post"),
        "parallel=True with norm='post'; …Use norm='pre'",
    ),
    (lambda: EncoderLayer(4, 2, 8, parallel="yes"), "parallel='yes'; expected True or False"),
    (lambda: EncoderLayer(4, 2, 8, bias=0), "bias=0; expected True or False"),
    (lambda: EncoderLayer(4, 2, 8, eps=0.0), "eps=0.0; expected a positive number"),
    (lambda: EncoderLayer(4, 2, 8, rope_base=-1.0), "rope_base=-1.0; expected a positive number"),
    (
        lambda: EncoderLayer(4, 2, 8, rope_factor=math.inf),
        "rope_factor=inf; expected a positive number",
    ),
    (
        lambda: DecoderLayer(4, 2, 8, parallel=True),
        "for layers with one attention…Use parallel=False",
    ),
    (lambda: MultiHeadAttention(8, 2, dropout=0.1, attention="flash"), "never holds them"),
]

TYPES: Refused = [
    (lambda: FeedForward(16, 20)(WHOLE), "x has dtype torch.int64; expected floating point"),
    (lambda: RMSNorm(16)(WHOLE), "x has dtype torch.int64; expected floating"),
    (
        lambda: MultiHeadAttention(16, 4, generator=3),
        "generator=3; expected a torch.Generator, such as seeded(0)",
    ),
    (
        lambda: MultiHeadAttention(16, 4, dtype=torch.complex64),
        "dtype=torch.complex64; expected one of torch.float16",
    ),
    (
        lambda: EncoderLayer(16, 4, 20, dtype=torch.float8_e4m3fn),
        "dtype=torch.float8_e4m3fn; expected",
    ),
    (lambda: FeedForward(16, 20, dtype=torch.int64), "dtype=torch.int64; expected"),
    (lambda: RMSNorm(16, dtype="float32"), "dtype='float32'; expected"),
    (
        lambda: EncoderLayer(16, 4, 20)(WHOLE),
        "x has dtype torch.int64; …through an embedding first",
    ),
    (lambda: DecoderLayer(16, 4, 20)(X, None), "memory is a NoneType; expected a tensor"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
