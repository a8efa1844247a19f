"""Arguments that nobody should give, each of which has an error that says what is wrong."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.small_models import config, ids
from transformer_lesson import seeded
from transformer_lesson.attention import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    reference_attention,
)
from transformer_lesson.blocks import EncoderLayer, FeedForward, RMSNorm, make_norm
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.decoding import beam_search, greedy, sample
from transformer_lesson.flash.api import FlashMask, flash_attention
from transformer_lesson.models import DecoderOnly
from transformer_lesson.positions import SinusoidalPositions, ntk_base, rotate
from transformer_lesson.speculation import speculative_sample
from transformer_lesson.training import (
    TokenBatches,
    TrainingConfig,
    next_token,
    summed_cross_entropy,
    train,
    translation,
)

X = torch.ones(2, 5, 16)
WHOLE = torch.ones(2, 5, 16, dtype=torch.long)
COMPLEX = torch.complex64
HEADS = torch.ones(2, 4, 5, 4)
HALVES: Any = [[1.5, 2.0]]
PLACES = torch.arange(5)

LAYERS: dict[str, Callable[[], Any]] = {
    "dropout=1.0; expected a probability": lambda: FeedForward(8, 16, dropout=1.0),
    "dropout='0.1'; expected a probability": lambda: FeedForward(8, 16, dropout="0.1"),  # type: ignore[arg-type]
    "dropout=-0.5; expected a probability": lambda: EncoderLayer(16, 4, 20, dropout=-0.5),
    "dropout='a'; expected a probability": lambda: MultiHeadAttention(
        16,
        4,
        dropout="a",  # type: ignore[arg-type]
        attention="flash",
    ),
    r"x has shape \(2, 5, 16\); expected \(\.\.\., 8\)": lambda: FeedForward(8, 16)(X),
    "x has dtype torch.int64; expected floating point": lambda: FeedForward(16, 20)(WHOLE),
    r"x has shape \(2, 5, 1\); expected \(\.\.\., 16\)": lambda: RMSNorm(16)(X[..., :1]),
    "x has dtype torch.int64; expected floating": lambda: RMSNorm(16)(WHOLE),
    "d_model=0; expected an integer": lambda: make_norm("layer", 0),
    "eps=-1; expected a positive": lambda: make_norm("layer", 8, eps=-1),
    r"generator=3; expected a torch\.Generator, such as seeded\(0\)": lambda: MultiHeadAttention(
        16,
        4,
        generator=3,  # type: ignore[arg-type]
    ),
    r"generator=0; expected a torch\.Generator": lambda: DecoderOnly(config(), generator=0),  # type: ignore[arg-type]
    "rope_scaling='ntk' with positions='sinusoidal'": lambda: config(rope_scaling="ntk"),
    "heads of width 512; attention='flash' takes at most 256. Use more": lambda: config(
        d_model=1024, num_heads=2, attention="flash"
    ),
    "d_model=600 with num_heads=2 makes heads of width 300": lambda: MultiHeadAttention(
        600, 2, attention="flash"
    ),
    "dtype=torch.complex64; expected one of torch.float16": lambda: MultiHeadAttention(
        16, 4, dtype=COMPLEX
    ),
    "dtype=torch.complex64; expected": lambda: DecoderOnly(config(), dtype=COMPLEX),
    "dtype=torch.float8_e4m3fn; expected": lambda: EncoderLayer(
        16, 4, 20, dtype=torch.float8_e4m3fn
    ),
    "dtype=torch.int64; expected": lambda: FeedForward(16, 20, dtype=torch.int64),
    "dtype='float32'; expected": lambda: RMSNorm(16, dtype="float32"),  # type: ignore[arg-type]
}


def attend(attention: Any = "reference", x: Any = X, **given: Any) -> Any:
    return MultiHeadAttention(16, 4, attention=attention)(x, **given)


ATTENTION: dict[str, Callable[[], Any]] = {
    "positions is a list; expected a tensor": lambda: attend(positions=[0, 1, 2, 3, 4]),
    "positions have dtype torch.bool; expected integers": lambda: attend(positions=PLACES > 2),
    "bias is a bool; expected a tensor": lambda: attend(bias=True),
    "the bias has dtype torch.bool; .* is a mask": lambda: attend(bias=causal_mask(5)),
    "the bias has dtype torch.complex64": lambda: attend(bias=torch.ones(5, 5, dtype=COMPLEX)),
    "query has dtype torch.complex64; .* real part": lambda: attend(x=X.to(COMPLEX)),
    "query is torch.complex64, .* floating-point dtype of 16, 32": lambda: flash_attention(
        *[HEADS.to(COMPLEX)] * 3
    ),
    "query is torch.float8_e4m3fn, .* dtype of 16, 32": lambda: flash_attention(
        *[HEADS.to(torch.float8_e4m3fn)] * 3
    ),
    "the mask is a list; expected a FlashMask": lambda: attend("flash", mask=[[True]]),
    "the mask is a bool; expected a FlashMask": lambda: attend("flash", mask=False),
    "the mask is a tuple; expected a boolean": lambda: attend(mask=(True, None), is_causal=True),
    "real has dtype torch.float32; expected": lambda: attend(mask=FlashMask(True, X[..., 0])),
    r"real has shape \(2, 4\); expected": lambda: attend(
        "fused", mask=FlashMask(False, X[:, :4, 0] > 0)
    ),
    "is_causal='no'; expected True or False": lambda: attend(is_causal="no"),
    "is_causal=1; expected True or False": lambda: reference_attention(
        HEADS,
        HEADS,
        HEADS,
        is_causal=1,  # type: ignore[arg-type]
    ),
    "dropout=1.5; expected a probability": lambda: reference_attention(
        HEADS, HEADS, HEADS, dropout=1.5
    ),
    "bias is a float; expected a tensor": lambda: reference_attention(
        HEADS,
        HEADS,
        HEADS,
        bias=1.0,  # type: ignore[arg-type]
    ),
    "key is a list; expected a tensor": lambda: reference_attention(HEADS, [1.0], HEADS),  # type: ignore[arg-type]
    "scale='a'; expected a positive": lambda: flash_attention(HEADS, HEADS, HEADS, scale="a"),  # type: ignore[arg-type]
    "causal='yes'; expected True or False": lambda: flash_attention(
        HEADS,
        HEADS,
        HEADS,
        causal="yes",  # type: ignore[arg-type]
    ),
    "real is a list; expected a tensor": lambda: flash_attention(
        HEADS,
        HEADS,
        HEADS,
        real=[[True] * 5] * 2,  # type: ignore[arg-type]
    ),
    "and dtype torch.int64; expected": lambda: rotate(WHOLE, PLACES),
    r"x has shape \(4,\) and dtype": lambda: rotate(torch.ones(4), torch.arange(4)),
    "d_head=4.5; expected an integer": lambda: ntk_base(10_000.0, 2.0, 4.5),  # type: ignore[arg-type]
    "positions is a list": lambda: SinusoidalPositions(8, 4)([1]),
    "factor=0.5; expected 1 or more": lambda: ntk_base(10_000.0, 0.5, 8),
    "key has dtype torch.complex64; expected floating": lambda: reference_attention(
        HEADS, HEADS.to(torch.complex64), HEADS
    ),
    "queries=True; expected the number of tokens": lambda: causal_mask(True),
    "padding_id=True; expected the integer id": lambda: padding_mask(ids(2, 3), True),
}


def write(by: Callable[..., Any] = sample, **given: Any) -> Any:
    model = DecoderOnly(config(), generator=seeded(0)).eval()
    return by(model, ids(2, 3), **{"max_tokens": 6, **given})


def speculate(prompt: Any) -> Any:
    model = DecoderOnly(config(), generator=seeded(0)).eval()
    return speculative_sample(model, model, prompt, max_tokens=6)


WRITING: dict[str, Callable[[], Any]] = {
    r"cache=True; expected a KeyValueCache\(2\), or None": lambda: DecoderOnly(config())(
        ids(2, 3),
        True,
    ),
    "length=-1; expected an integer": lambda: KeyValueCache(2).forget_after(-1),
    "temperature='1'; expected a finite number": lambda: write(temperature="1"),
    "temperature=inf; expected a finite number": lambda: write(temperature=float("inf")),
    "temperature=True; expected a finite number": lambda: write(temperature=True),
    "top_p='0.9'; expected a probability": lambda: write(top_p="0.9"),
    "min_p=True; expected a probability": lambda: write(min_p=True),
    "cached='no'; expected True or False": lambda: write(greedy, cached="no"),
    "length_penalty=inf; expected a finite number": lambda: write(
        beam_search, beam_width=2, end_id=1, length_penalty=float("inf")
    ),
    r"tokens has shape \(3,\); expected \(batch, tokens\)": lambda: speculate(ids(2, 3)[0]),
    "tokens is not a tensor": lambda: speculate([[1, 2], [3, 4]]),
}


def loss(**given: Any) -> Any:
    return summed_cross_entropy(torch.ones(2, 5), torch.tensor([1, 2]), **given)


TRAINING: dict[str, Callable[[], Any]] = {
    "padding_id=-1; expected an id from 0 to 4": lambda: loss(padding_id=-1, label_smoothing=0.1),
    "padding_id=7; expected an id from 0 to 4": lambda: loss(padding_id=7),
    "label_smoothing='a'; expected from 0": lambda: loss(label_smoothing="a"),
    "label_smoothing=3; expected from 0": lambda: next_token(label_smoothing=3),
    "label_smoothing=1; expected from 0": lambda: translation(label_smoothing=1),
    "seed='a'; expected a whole number": lambda: TrainingConfig(
        steps=1,
        learning_rate=0.1,
        seed="a",  # type: ignore[arg-type]
    ),
    "batches is a list; expected a function": lambda: train(
        DecoderOnly(config()),
        next_token(),
        [ids(2, 3)],  # type: ignore[arg-type]
        TrainingConfig(steps=1, learning_rate=0.1),
    ),
    "batch_tokens='4'; expected an integer": lambda: TokenBatches([[1, 2]], "4"),  # type: ignore[arg-type]
    "tokens has dtype torch.float32": lambda: TokenBatches(HALVES, 2),
    "padding_id=None; expected the integer id": lambda: TokenBatches([[1, 2]], 2, padding_id=None),  # type: ignore[arg-type]
    "example 1 holds 3 texts and example 0 2": lambda: TokenBatches(
        [([1], [2]), ([3], [4], [5])], 2
    ),
}
CASES = LAYERS | ATTENTION | WRITING | TRAINING


@pytest.mark.parametrize("words", CASES)
def test_the_error_names_value_and_rule(words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        CASES[words]()
