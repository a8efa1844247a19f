"""Arguments that nobody should give, each of which has an error that says what is wrong."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

from tests.small_models import config, ids
from transformer_lesson import attention, blocks, positions, seeded, training
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.decoding import beam_search, greedy, sample
from transformer_lesson.flash.api import FlashMask, flash_attention
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly
from transformer_lesson.speculation import speculative_sample
from transformer_lesson.weights import grouped

X = torch.ones(2, 5, 16)
WHOLE = torch.ones(2, 5, 16, dtype=torch.long)
HEADS = torch.ones(2, 4, 5, 4)
THREE = torch.ones(2, 3, 5, 4)
PLACES = torch.arange(5)
COMPLEX, FLOAT8 = torch.complex64, torch.float8_e4m3fn
NAN, INFINITE = float("nan"), float("inf")

# Any: what is given here has a wrong type more often than not.
Layer: Any = attention.MultiHeadAttention
Encoder: Any = blocks.EncoderLayer
Forward: Any = blocks.FeedForward
Norm: Any = blocks.RMSNorm
Decoder: Any = DecoderOnly
Batches: Any = training.TokenBatches
reference: Any = attention.reference_attention
flash: Any = flash_attention
make_norm: Any = blocks.make_norm
rotate: Any = positions.rotate
ntk_base: Any = positions.ntk_base
causal_mask: Any = attention.causal_mask
Cache: Any = KeyValueCache
padding_mask: Any = attention.padding_mask

Cases = dict[str, Callable[[], Any]]
LAYERS: Cases = {
    "dropout=1.0; expected a probability": lambda: Forward(8, 16, dropout=1.0),
    "dropout='0.1'; expected a probability": lambda: Forward(8, 16, dropout="0.1"),
    "dropout=-0.5; expected a probability": lambda: Encoder(16, 4, 20, dropout=-0.5),
    "dropout='a'; expected a": lambda: Layer(16, 4, dropout="a", attention="flash"),
    r"x has shape \(2, 5, 16\); expected \(\.\.\., 8\)": lambda: Forward(8, 16)(X),
    "x has dtype torch.int64; expected floating point": lambda: Forward(16, 20)(WHOLE),
    r"x has shape \(2, 5, 1\); expected \(\.\.\., 16\)": lambda: Norm(16)(X[..., :1]),
    "x has dtype torch.int64; expected floating": lambda: Norm(16)(WHOLE),
    "d_model=0; expected an integer": lambda: make_norm("layer", 0),
    "eps=-1; expected a positive": lambda: make_norm("layer", 8, eps=-1),
    r"generator=3; expected a torch\.Generator, such as seeded\(0\)": lambda: Layer(
        16, 4, generator=3
    ),
    r"generator=0; expected a torch\.Generator": lambda: Decoder(config(), generator=0),
    "rope_scaling='ntk' with positions='sinusoidal'": lambda: config(rope_scaling="ntk"),
    "heads of width 512; attention='flash' takes at most 256. Use more": lambda: config(
        d_model=1024, num_heads=2, attention="flash"
    ),
    "d_model=600 with num_heads=2 makes heads of width 300": lambda: Layer(
        600, 2, attention="flash"
    ),
    "dtype=torch.complex64; expected one of torch.float16": lambda: Layer(16, 4, dtype=COMPLEX),
    "dtype=torch.complex64; expected": lambda: Decoder(config(), dtype=COMPLEX),
    "dtype=torch.float8_e4m3fn; expected": lambda: Encoder(16, 4, 20, dtype=FLOAT8),
    "dtype=torch.int64; expected": lambda: Forward(16, 20, dtype=torch.int64),
    "dtype='float32'; expected": lambda: Norm(16, dtype="float32"),
}


def attend(way: str = "reference", x: Any = X, **given: Any) -> Any:
    return Layer(16, 4, attention=way)(x, **given)


ATTENTION: Cases = {
    "positions is a list; expected a tensor": lambda: attend(positions=[0, 1, 2, 3, 4]),
    "positions have dtype torch.bool; expected integers": lambda: attend(positions=PLACES > 2),
    "bias is a bool; expected a tensor": lambda: attend(bias=True),
    "the bias has dtype torch.bool; .* is a mask": lambda: attend(bias=causal_mask(5)),
    "the bias has dtype torch.complex64": lambda: attend(bias=torch.ones(5, 5, dtype=COMPLEX)),
    "query has dtype torch.complex64; .* real part": lambda: attend(x=X.to(COMPLEX)),
    "query is torch.complex64, .* floating-point dtype of 16, 32": lambda: flash(
        *[HEADS.to(COMPLEX)] * 3
    ),
    "query is torch.float8_e4m3fn, .* dtype of 16, 32": lambda: flash(*[HEADS.to(FLOAT8)] * 3),
    "the mask is a list; expected a FlashMask": lambda: attend("flash", mask=[[True]]),
    "the mask is a bool; expected a FlashMask": lambda: attend("flash", mask=False),
    "the mask is a tuple; expected a boolean": lambda: attend(mask=(True, None), is_causal=True),
    "real has dtype torch.float32; expected": lambda: attend(mask=FlashMask(True, X[..., 0])),
    r"real has shape \(2, 4\); expected": lambda: attend(
        "fused", mask=FlashMask(False, X[:, :4, 0] > 0)
    ),
    "is_causal='no'; expected True or False": lambda: attend(is_causal="no"),
    "is_causal=1; expected True or False": lambda: reference(*[HEADS] * 3, is_causal=1),
    "dropout=1.5; expected a probability": lambda: reference(*[HEADS] * 3, dropout=1.5),
    "bias is a float; expected a tensor": lambda: reference(*[HEADS] * 3, bias=1.0),
    "key is a list; expected a tensor": lambda: reference(HEADS, [1.0], HEADS),
    "scale='a'; expected a positive": lambda: flash(*[HEADS] * 3, scale="a"),
    r"scale=2e\+30; expected at most 1e\+30 in": lambda: flash(*[HEADS] * 3, scale=2e30),
    "scale=1e\\+30; expected at most 65504 in": lambda: reference(*[HEADS.half()] * 3, scale=1e30),
    "causal='yes'; expected True or False": lambda: flash(*[HEADS] * 3, causal="yes"),
    "real is a list; expected a tensor": lambda: flash(*[HEADS] * 3, real=[[True] * 5] * 2),
    "key has dtype torch.complex64; expected floating": lambda: reference(
        HEADS, HEADS.to(COMPLEX), HEADS
    ),
    "queries=True; expected the number of tokens": lambda: causal_mask(True),
    "padding_id=True; expected the integer id": lambda: padding_mask(ids(2, 3), True),
    r"2 queries and 5 keys; .* causal_mask\(2, 5\)": lambda: reference(
        HEADS[:, :, :2], HEADS, HEADS, is_causal=True
    ),
    **{
        f"scale={scale}; expected a positive number": partial(
            reference, HEADS, HEADS, HEADS, scale=scale
        )
        for scale in (0.0, -1.0, NAN)
    },
}


def three(*shapes: tuple[int, ...]) -> Any:
    return reference(*map(torch.ones, shapes))


ONE, ROWS_OF_3 = torch.ones(1, 3, 4), torch.ones(2, 3, 4)
SHAPES: Cases = {
    r"the bias has shape .* made for keys=4; here keys=3": lambda: reference(
        ONE, ONE, ONE, bias=torch.ones(3, 4)
    ),
    r"the bias has dtype torch\.float64; expected torch\.float32": lambda: reference(
        ONE, ONE, ONE, bias=torch.ones(3, 3).double()
    ),
    r"query has shape \(4,\); expected \(\.\.\., tokens, w": lambda: three((4,), (3, 4), (3, 4)),
    r"key has shape \(4,\)": lambda: three((2, 4), (4,), (4,)),
    "the axes before the last two must be equal": lambda: three((2, 3, 4), (3, 3, 4), (3, 3, 4)),
    "axes before the last two must be equal": lambda: three((3, 4), (5, 3, 4), (5, 3, 4)),
    "d_head=4 and key has d_head=5": lambda: three((2, 4), (3, 5), (3, 5)),
    "3 keys and 4 values": lambda: three((2, 4), (3, 4), (4, 4)),
    r"key has dtype torch\.float64 and query torch\.float32": lambda: reference(
        ONE, ONE.double(), ONE.double()
    ),
    r"query has dtype torch\.int64; expected floating point": lambda: reference(*[ONE.long()] * 3),
    "made for batch=5; here batch=2": lambda: reference(
        *[ROWS_OF_3] * 3, torch.ones(5, 3, 3).bool()
    ),
    r"the mask is a list; .* torch\.as_tensor": lambda: reference(*[ROWS_OF_3] * 3, [[True]]),
    "d_model=0; expected an integer, 1 or more": lambda: Layer(0, 1),
    r"dropout=1\.5; expected a": lambda: Layer(4, 2, dropout=1.5),
    r"d_model=10 is not divisible by num_heads=3.*1, 2, 5, 10": lambda: Layer(10, 3),
    "d_model=8 is not divisible by num_heads=0": lambda: Layer(8, 0),
    "'flsh'": lambda: Layer(8, 2, attention="flsh"),
    r"query has shape \(3, 8\); expected \(batch, tokens, 8\)": lambda: Layer(8, 2)(
        torch.ones(3, 8)
    ),
    r"queries=2\.5; expected the number of tokens": lambda: causal_mask(2.5),
    "queries=-1": lambda: causal_mask(-1),
    r"use torch\.tensor\(ids\)": lambda: padding_mask([[1, 2]], 0),
    "padding_id=None": lambda: padding_mask(torch.tensor([[1]]), None),
    r"tokens has shape \(3,\)": lambda: padding_mask(torch.tensor([1, 2, 0]), 0),
}

_SHARED = r"num_heads=4 is not divisible by num_kv_heads=3; num_kv_heads may be 1, 2, 4\."
SHARED: Cases = {
    _SHARED: lambda: Layer(16, 4, num_kv_heads=3),
    f"^{_SHARED}": lambda: config(d_model=16, num_heads=4, num_kv_heads=3),
    f"{_SHARED}$": lambda: grouped(Decoder(config(d_model=16, num_heads=4)), 3),
    f"^{_SHARED}$": lambda: reference(HEADS, THREE, THREE, enable_gqa=True),
    **{
        f"num_kv_heads={number}; num_kv_heads may be": partial(Layer, 16, 4, num_kv_heads=number)
        for number in (0, 2.0, True)
    },
    "must be equal.*enable_gqa=True": lambda: reference(HEADS, THREE[:, :2], THREE[:, :2]),
    "as many heads of the one as of the other": lambda: reference(
        HEADS, HEADS[:, :2], HEADS[:, :1], enable_gqa=True
    ),
}

POSITIONS: Cases = {
    "and dtype torch.int64; expected": lambda: rotate(WHOLE, PLACES),
    r"x has shape \(4,\) and dtype": lambda: rotate(torch.ones(4), torch.arange(4)),
    "d_head=4.5; expected an integer": lambda: ntk_base(10_000.0, 2.0, 4.5),
    "positions is a list": lambda: positions.SinusoidalPositions(8, 4)([1]),
    "factor=0.5; expected 1 or more": lambda: ntk_base(10_000.0, 0.5, 8),
    "d_head=2; an NTK-aware base needs 4 or more": lambda: ntk_base(10_000.0, 2.0, 2),
    "d_head=5 is odd.*num_heads": lambda: rotate(torch.ones(5, 5), PLACES),
    "there are 5 positions for 2 tokens": lambda: rotate(torch.ones(2, 4), PLACES),
    "base=0.0; expected a positive number,": lambda: positions.sinusoidal_table(2, 4, base=0.0),
    **{
        f"base={base}; expected a positive number": partial(rotate, X, PLACES, base=base)
        for base in (0.0, -1.0, NAN, INFINITE)
    },
    r"factor=0\.0; expected a positive number": lambda: rotate(X, PLACES, factor=0.0),
    "max_tokens=0": lambda: positions.sinusoidal_table(0, 4),
    "d_model=0": lambda: positions.sinusoidal_table(4, 0),
    "d_model=0;": lambda: positions.LearnedPositions(0, 4),
    "num_heads=0": lambda: positions.RelativeBias(0, 4),
    "max_distance=0": lambda: positions.RelativeBias(4, 0),
    "num_heads=0;": lambda: positions.alibi_slopes(0),
}


def write(
    by: Any = sample, prompt: Any = None, source: Any = None, kind: Any = DecoderOnly, **given: Any
) -> Any:
    model = kind(config(), generator=seeded(0)).eval()
    prompt = ids(2, 3) if prompt is None else prompt
    return by(model, prompt, source=source, **{"max_tokens": 6, **given})


def search(**given: Any) -> Any:
    return write(beam_search, **{"beam_width": 2, "end_id": 1, **given})


def speculate(prompt: Any) -> Any:
    model = DecoderOnly(config(), generator=seeded(0)).eval()
    return speculative_sample(model, model, prompt, max_tokens=6)


ENDS_IN_PADDING = torch.tensor([[3, 4, 5], [3, 4, 0]])
WRITING: Cases = {
    r"cache=True; expected a KeyValueCache\(2\), or None": lambda: Decoder(config())(
        ids(2, 3), True
    ),
    "temperature='1'; expected a finite number": lambda: write(temperature="1"),
    "temperature=True; expected a finite number": lambda: write(temperature=True),
    r"temperature=0\.0; .* more than 0\. For 0 use greedy": lambda: write(temperature=0.0),
    "temperature=nan; expected a finite number, more than": lambda: write(temperature=NAN),
    "temperature=inf; expected a finite number": lambda: write(temperature=INFINITE),
    "top_k=0; expected an integer, 1 or more": lambda: write(top_k=0),
    "top_p='0.9'; expected a probability": lambda: write(top_p="0.9"),
    r"top_p=0\.0; expected a probability above 0": lambda: write(top_p=0.0),
    r"top_p=1\.5; expected a probability above 0, at most 1": lambda: write(top_p=1.5),
    "min_p=True; expected a probability": lambda: write(min_p=True),
    r"min_p=0\.0; expected a probability above 0": lambda: write(min_p=0.0),
    r"min_p=1\.5; expected a probability above 0": lambda: write(min_p=1.5),
    "cached='no'; expected True or False": lambda: write(greedy, cached="no"),
    **{
        f"end_id={end!r}; expected an id from 0 to 19": partial(write, greedy, end_id=end)
        for end in (-1, 20, 2.5, "</s>")
    },
    **{
        f"max_tokens={most} counts the prompt, .* 4 or more": partial(write, max_tokens=most)
        for most in (2, 3, 5.5)
    },
    r"shape \(2, 0\); .* such as the start token": lambda: write(prompt=ids(2, 0)),
    "token id 20 is beyond the vocabulary": lambda: write(prompt=torch.tensor([[20]])),
    r"shape \(1,\); expected \(batch, tokens\)": lambda: search(prompt=torch.tensor([1])),
    r"ends in padding \(id 0\)": lambda: write(greedy, ENDS_IN_PADDING),
    r"ends in padding \(id 0\).*padding on the left": lambda: write(sample, ENDS_IN_PADDING),
    "needs a source; give source=ids": lambda: write(kind=EncoderDecoder),
    "3 sources for 2 prompts": lambda: write(kind=EncoderDecoder, source=ids(3, 4)),
    "DecoderOnly reads no source; put the text into": lambda: write(source=ids(2, 4)),
    **{
        f"token id {beyond} is beyond the vocabulary: ids": partial(
            write, kind=EncoderDecoder, source=torch.tensor([[3, beyond], [3, 3]])
        )
        for beyond in (20, -1)
    },
    "EncoderOnly writes no text; expected a DecoderOnly": lambda: write(kind=EncoderOnly),
    "beam_width=0; expected an integer, 1 or more": lambda: search(beam_width=0),
    r"beam_width=2\.0; expected an integer": lambda: search(beam_width=2.0),
    "end_id=None; a beam search needs the id": lambda: search(end_id=None),
    "length_penalty='1'; expected a finite number, 0 or more": lambda: search(length_penalty="1"),
    r"length_penalty=-1\.0; expected a finite": lambda: search(length_penalty=-1.0),
    "length_penalty=inf; expected a finite number": lambda: search(length_penalty=INFINITE),
    r"tokens has shape \(3,\); expected \(batch, tokens\)": lambda: speculate(ids(2, 3)[0]),
    "tokens is not a tensor": lambda: speculate([[1, 2], [3, 4]]),
}

CACHE: Cases = {
    "length=-1; expected an integer": lambda: KeyValueCache(2).forget_after(-1),
    "nothing to reorder yet": lambda: KeyValueCache(2).reorder(torch.tensor([0])),
    r"call under torch\.no_grad": lambda: Decoder(config())(ids(1, 1), KeyValueCache(2)),
    **{
        f"num_layers={layers!r}; expected an integer": partial(Cache, layers)
        for layers in (0, -1, 2.0, "2")
    },
    **{
        rf"made for {layers} layers; .*Use KeyValueCache\(2\)": partial(
            Decoder(config()), ids(1, 1), KeyValueCache(layers)
        )
        for layers in (1, 3)
    },
}


def loss(**given: Any) -> Any:
    return training.summed_cross_entropy(torch.ones(2, 5), torch.tensor([1, 2]), **given)


def configured(**given: Any) -> training.TrainingConfig:
    return training.TrainingConfig(steps=1, learning_rate=0.1, **given)


ROWS: Any = [ids(2, 3)]
TRAINING: Cases = {
    "padding_id=-1; expected an id from 0 to 4": lambda: loss(padding_id=-1, label_smoothing=0.1),
    "padding_id=7; expected an id from 0 to 4": lambda: loss(padding_id=7),
    "label_smoothing='a'; expected from 0": lambda: loss(label_smoothing="a"),
    "label_smoothing=3; expected from 0": lambda: training.next_token(label_smoothing=3),
    "label_smoothing=1; expected from 0": lambda: training.translation(label_smoothing=1),
    "seed='a'; expected a whole number": lambda: configured(seed="a"),
    "batches is a list; expected a function": lambda: training.train(
        DecoderOnly(config()), training.next_token(), ROWS, configured()
    ),
    "batch_tokens='4'; expected an integer": lambda: Batches([[1, 2]], "4"),
    "tokens has dtype torch.float32": lambda: Batches([[1.5, 2.0]], 2),
    "padding_id=None; expected the integer id": lambda: Batches([[1, 2]], 2, padding_id=None),
    "example 1 holds 3 texts and example 0 2": lambda: Batches([([1], [2]), ([3], [4], [5])], 2),
}
CASES = LAYERS | ATTENTION | SHAPES | SHARED | POSITIONS | WRITING | CACHE | TRAINING


@pytest.mark.parametrize("words", CASES)
def test_the_error_names_value_and_rule(words: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError), match=words):
        CASES[words]()
