"""Arguments that nobody should give, each of which has an error that says what is wrong."""

import re
from types import ModuleType
from typing import Any

import pytest
import torch

from tests import decoders, small_models
from transformer_lesson import (
    attention,
    blocks,
    cache,
    decoding,
    models,
    positions,
    speculation,
    training,
)
from transformer_lesson.flash import api
from transformer_lesson.models import DecoderOnly

X = torch.ones(2, 5, 16)
WHOLE = torch.ones(2, 5, 16, dtype=torch.long)
HEADS, THREE = torch.ones(2, 4, 5, 4), torch.ones(2, 3, 5, 4)
SAME = [HEADS] * 3
ONE, ROWS = torch.ones(1, 3, 4), torch.ones(2, 3, 4)
PLACES = torch.arange(5)
COMPLEX, FLOAT8 = torch.complex64, torch.float8_e4m3fn
NAN, INF = float("nan"), float("inf")
ENDS_IN_PADDING = torch.tensor([[3, 4, 5], [3, 4, 0]])

# Any: what is given here has a wrong type more often than not.
Layer: Any = attention.MultiHeadAttention
Encoder, Forward, Norm = blocks.EncoderLayer, blocks.FeedForward, blocks.RMSNorm
Decoder: Any = DecoderOnly
Cache, Batches = cache.KeyValueCache, training.TokenBatches
reference, flash = attention.reference_attention, api.flash_attention
config, ids = small_models.config, small_models.ids
ones, tensor = torch.ones, torch.tensor


def attend(way: str = "reference", x: Any = X, **given: Any) -> Any:
    return Layer(16, 4, attention=way)(x, **given)


def three(*shapes: tuple[int, ...]) -> Any:
    return reference(*map(torch.ones, shapes))


def rotary(**given: Any) -> Any:
    return config(positions="rotary", **given)


def write(by: Any = decoding.sample, prompt: Any = None, kind: Any = Decoder, **given: Any) -> Any:
    model = kind(config()).eval()
    return by(model, ids(2, 3) if prompt is None else prompt, **{"max_tokens": 6, **given})


def search(**given: Any) -> Any:
    return write(decoding.beam_search, **{"beam_width": 2, "end_id": 1, **given})


def speculate(prompt: Any, draft: Any = None, **given: Any) -> Any:
    model = Decoder(config()).eval()
    return speculation.speculative_sample(model, draft or model, prompt, max_tokens=6, **given)


def loss(**given: Any) -> Any:
    return training.summed_cross_entropy(torch.ones(2, 5), torch.tensor([1, 2]), **given)


def configured(**given: Any) -> training.TrainingConfig:
    return training.TrainingConfig(**{"steps": 1, "learning_rate": 0.1, **given})


def trained(batches: Any = lambda number: ids(2, 3), **given: Any) -> Any:
    return training.train(Decoder(config()), training.next_token(), batches, configured(), **given)


# What is written, and the words of its error ("…": some more), below the type of the error.
TABLE = """\
ValueError:
# configurations
config(rope_scaling='ntk') -> rope_scaling='ntk' with positions='sinusoidal'
config(d_model=1024, num_heads=2, attention='flash') -> heads of width 512; …at most 256. Use more
config(d_model=16, num_heads=4, num_kv_heads=3) -> num_heads=4 is not divisible by num_kv_heads=3
configured(seed='a') -> seed='a'; expected a whole number
config(vocab_size=0) -> vocab_size=0; expected an integer, 1 or more
config(num_layers=0) -> num_layers=0; expected an integer, 1 or more
config(d_ff=2.5) -> d_ff=2.5; expected an integer
config(max_tokens=-1) -> max_tokens=-1; expected an integer, 1 or more
config(num_heads=5) -> d_model=12 is not divisible by num_heads=5; num_heads may be 1, 2
config(vocab_size=True) -> vocab_size=True; expected an integer
config(d_model=12.0) -> d_model=12.0; expected an integer
config(d_model=None) -> d_model=None; expected an integer
config(num_heads=2.0) -> not divisible by num_heads=2.0; num_heads may be 1, 2
config(dropout=1.0) -> dropout=1.0; expected a probability
config(dropout='0.1') -> dropout='0.1'; expected a probability
config(padding_id=0.0) -> padding_id=0.0; expected an id
config(padding_id='0') -> padding_id='0'; expected an id
config(padding_id=20) -> padding_id=20; expected an id from 0 to 19, or None
config(padding_id=-1) -> padding_id=-1; expected an id from 0 to 19, or None
config(source_vocab_size=9, padding_id=9) -> padding_id=9; expected an id from 0 to 8
config(tie_embeddings='no') -> tie_embeddings='no'; expected True or False
config(norm='mid') -> norm='mid'; expected …'pre'
config(norm_type='batch') -> norm_type='batch'; expected …'layer'
config(positions='sine') -> positions='sine'; expected …'sinusoidal'
config(activation='tanh') -> activation='tanh'; expected …'relu'
config(attention='fast') -> attention='fast'; expected …'reference'
config(initialization='bert') -> initialization='bert'; expected …'paper'
config(positions='rotary', num_heads=4) -> makes heads of width 3; rotary positions need an even
config(num_encoder_layers=0) -> num_encoder_layers=0; expected an integer, 1 or more
config(source_vocab_size=2.5) -> source_vocab_size=2.5; expected an integer
config(parallel=True, norm='post') -> parallel=True with norm='post'
config(eps=0) -> eps=0; expected a positive number
config(rope_base=0.0) -> rope_base=0.0; expected a positive number
config(rope_base=5e5) -> rope_base=500000.0 with positions='sinusoidal', which turn
config(rope_factor=2.0) -> rope_factor=2.0 with positions='sinusoidal', which turn
config(rope_factor=0.5, positions='rotary') -> rope_factor=0.5; expected 1 or more
config(rope_scaling='yarn') -> rope_scaling='yarn'; expected 'interpolation' or 'ntk'
rotary(rope_factor=2.0, rope_scaling='ntk', num_heads=6) -> d_head=2; an NTK-aware base needs 4
config(positions='alibi', attention='flash') -> positions='alibi' add to every score…='fused'
configured(learning_rate=0) -> learning_rate=0
configured(learning_rate=NAN) -> learning_rate=nan
configured(learning_rate=INF) -> learning_rate=inf
configured(learning_rate='fast') -> learning_rate='fast'
configured(steps=0) -> steps=0
configured(batches_per_step=0) -> batches_per_step=0
configured(warmup_steps=-1) -> warmup_steps=-1
configured(evaluate_every=2.5) -> evaluate_every=2.5
configured(clip_norm=0.0) -> clip_norm=0.0
configured(schedule='linear') -> schedule='linear'…'cosine'
configured(schedule='paper') -> warmup_steps of at least 1
configured(schedule='cosine', warmup_steps=1) -> warmup_steps=1…steps=1
configured(precision='half') -> precision='half'
# layers
Forward(8, 16, dropout=1.0) -> dropout=1.0; expected a probability
Forward(8, 16, dropout='0.1') -> dropout='0.1'; expected a probability
Encoder(16, 4, 20, dropout=-0.5) -> dropout=-0.5; expected a probability
Layer(16, 4, dropout='a', attention='flash') -> dropout='a'; expected a
Forward(8, 16)(X) -> x has shape (2, 5, 16); expected (..., 8)
Norm(16)(X[..., :1]) -> x has shape (2, 5, 1); expected (..., 16)
make_norm('layer', 0) -> d_model=0; expected an integer
make_norm('layer', 8, eps=-1) -> eps=-1; expected a positive
Layer(600, 2, attention='flash') -> d_model=600 with num_heads=2 makes heads of width 300
Layer(0, 1) -> d_model=0; expected an integer, 1 or more
Layer(10, 3) -> d_model=10 is not divisible by num_heads=3…1, 2, 5, 10
Layer(8, 2, attention='flsh') -> 'flsh'
Layer(8, 2)(ones(3, 8)) -> query has shape (3, 8); expected (batch, tokens, 8)
Layer(16, 4, num_kv_heads=3) -> num_heads=4 is not divisible by num_kv_heads=3; …be 1, 2, 4.
Layer(16, 4, num_kv_heads=0) -> num_kv_heads=0; num_kv_heads may be
Layer(16, 4, num_kv_heads=2.0) -> num_kv_heads=2.0; num_kv_heads may be
Layer(16, 4, num_kv_heads=True) -> num_kv_heads=True; num_kv_heads may be
Forward(4, 8, activation='swish') -> activation='swish'; expected …'relu'…'gelu'
Forward(4, 0) -> d_ff=0; expected an integer, 1 or more
Encoder(4, 2, 8, norm='before') -> norm='before'; expected …'pre'
DecoderLayer(4, 2, 8, norm_type='batch') -> norm_type='batch'; expected …'layer'
Norm(0) -> d_model=0; expected an integer, 1 or more
Encoder(4, 2, 8)(ones(3, 4)) -> shape (3, 4); expected (batch, tokens, 4)
DecoderLayer(16, 4, 20)(X, X[:1]) -> 1 sources for 2 targets; expected one for each
Encoder(4, 2, 8, parallel=True, norm='post') -> parallel=True with norm='post'; …Use norm='pre'
Encoder(4, 2, 8, parallel='yes') -> parallel='yes'; expected True or False
Encoder(4, 2, 8, bias=0) -> bias=0; expected True or False
Encoder(4, 2, 8, qk_norm=1) -> qk_norm=1; expected True or False
Encoder(4, 2, 8, eps=0.0) -> eps=0.0; expected a positive number
Encoder(4, 2, 8, eps='1e-5', norm_type='rms') -> eps='1e-5'; expected a positive number
Encoder(4, 2, 8, rope_base=-1.0) -> rope_base=-1.0; expected a positive number
Encoder(4, 2, 8, rope_factor=INF) -> rope_factor=inf; expected a positive number
DecoderLayer(4, 2, 8, parallel=True) -> for layers with one attention…Use parallel=False
Layer(8, 2, dropout=0.1, attention='flash') -> never holds them
# attention
attend('fused', mask=FlashMask(False, X[:, :4, 0] > 0)) -> real has shape (2, 4); expected
attend(is_causal='no') -> is_causal='no'; expected True or False
reference(*SAME, is_causal=1) -> is_causal=1; expected True or False
reference(*SAME, dropout=1.5) -> dropout=1.5; expected a probability
flash(*SAME, scale='a') -> scale='a'; expected a positive
flash(*SAME, causal='yes') -> causal='yes'; expected True or False
reference(HEADS[:, :, :2], HEADS, HEADS, is_causal=True) -> 2 queries and 5 keys; …causal_mask(2, 5)
reference(ONE, ONE, ONE, bias=ones(3, 4)) -> the bias has shape …made for keys=4; here keys=3
three((4,), (3, 4), (3, 4)) -> query has shape (4,); expected (..., tokens, w
three((2, 4), (4,), (4,)) -> key has shape (4,)
three((2, 3, 4), (3, 3, 4), (3, 3, 4)) -> the axes before the last two must be equal
three((3, 4), (5, 3, 4), (5, 3, 4)) -> axes before the last two must be equal
three((2, 4), (3, 5), (3, 5)) -> d_head=4 and key has d_head=5
three((2, 4), (3, 4), (4, 4)) -> 3 keys and 4 values
reference(*[ROWS] * 3, ones(5, 3, 3).bool()) -> made for batch=5; here batch=2
causal_mask(-1) -> queries=-1
padding_mask(tensor([1, 2, 0]), 0) -> tokens has shape (3,)
reference(HEADS, THREE, THREE, enable_gqa=True) -> num_heads=4 is not divisible by num_kv_heads=3
reference(HEADS, THREE[:, :2], THREE[:, :2]) -> must be equal…enable_gqa=True
reference(HEADS, HEADS[:, :2], HEADS[:, :1], enable_gqa=True) -> as many heads of the one as of
reference(*SAME, scale=0.0) -> scale=0.0; expected a positive number
reference(*SAME, scale=NAN) -> scale=nan; expected a positive number
attend(mask=ones(5, 8).bool()) -> keys=8; here keys=5
attend(mask=ones(2, 5).bool()) -> queries=2; here queries=5
attend(mask=ones(5, 1, 1, 5).bool()) -> batch=5; here batch=2
attend(mask=ones(1, 1, 1, 5, 5).bool()) -> more axes
flash(HEADS[0], HEADS, HEADS) -> query (4, 5, 4)…expected (batch, heads
flash(HEADS, THREE, THREE) -> 4 heads cannot share 3
flash(HEADS, HEADS[..., :2], HEADS[..., :2]) -> one batch size and d_head
flash(HEADS, HEADS, HEADS[:, :, :4]) -> as many values as keys
flash(*[ones(1, 1, 5, 512)] * 3) -> d_head=512; expected 1 to 256. Use more heads
flash(HEADS, HEADS[:, :, :0], HEADS[:, :, :0]) -> at least one query and one key
flash(*SAME, scale=NAN) -> expected a positive number, and a finite one
flash(*SAME, scale=INF) -> expected a positive number, and a finite one
flash(*SAME, scale=2e30) -> scale=2e+30; expected at most 1e+30 in
flash(*SAME, real=ones(2, 5).bool().to('meta')) -> real is on meta, key on cpu; move
flash(*SAME, real=ones(2, 4).bool()) -> expected (batch, keys) = (2, 5)
flash(*SAME, backend='cudnn') -> backend='cudnn'; expected
# positions
rotate(WHOLE, PLACES) -> and dtype torch.int64; expected
rotate(ones(4), torch.arange(4)) -> x has shape (4,) and dtype
ntk_base(1e4, 2.0, 4.5) -> d_head=4.5; expected an integer
ntk_base(1e4, 0.5, 8) -> factor=0.5; expected 1 or more
ntk_base(1e4, 2.0, 2) -> d_head=2; an NTK-aware base needs 4 or more
rotate(ones(5, 5), PLACES) -> d_head=5 is odd…num_heads
rotate(ones(2, 4), PLACES) -> there are 5 positions for 2 tokens
sinusoidal_table(2, 4, base=0.0) -> base=0.0; expected a positive number,
rotate(X, PLACES, factor=0.0) -> factor=0.0; expected a positive number
sinusoidal_table(0, 4) -> max_tokens=0
sinusoidal_table(4, 0) -> d_model=0
LearnedPositions(0, 4) -> d_model=0;
RelativeBias(0, 4) -> num_heads=0
RelativeBias(4, 0) -> max_distance=0
alibi_slopes(0) -> num_heads=0;
rotate(X, PLACES, base=0.0) -> base=0.0; expected a positive number
rotate(X, PLACES, base=NAN) -> base=nan; expected a positive number
rotate(X, PLACES, base=INF) -> base=inf; expected a positive number
# models
Cache(2).forget_after(-1) -> length=-1; expected an integer
Cache(2).reorder(tensor([0])) -> nothing to reorder yet
Cache(0) -> num_layers=0; expected an integer
Cache('2') -> num_layers='2'; expected an integer
Decoder(config())(ids(1, 1), Cache(1)) -> made for 1 layers; …Use KeyValueCache(2)
Decoder(config())(ids(1, 1), Cache(3)) -> made for 3 layers; …Use KeyValueCache(2)
EncoderOnly(config(num_encoder_layers=3)) -> num_encoder_layers=3 is for an EncoderDecoder
Decoder(config(num_encoder_layers=3)) -> num_encoder_layers=3 is for an EncoderDecoder
EncoderOnly(config(source_vocab_size=9)) -> source_vocab_size=9 is for an EncoderDecoder
Decoder(config(source_vocab_size=9)) -> source_vocab_size=9 is for an EncoderDecoder
EncoderOnly(config())(tensor([1, 2])) -> shape (2,); expected (batch, tokens)
Decoder(config())(tensor([1, 2])) -> shape (2,); expected (batch, tokens)
EncoderDecoder(config())(ids(2, 4), ids(3, 4)) -> 2 sources for 3 targets; expected one for each
Decoder(config())(ids(1, 17)) -> position 16 …positions 0 to 15…larger max_tokens
Decoder(config(positions='learned'))(ids(1, 17)) -> position 16 …positions 0 to 15…larger max
# writing
write(temperature='1') -> temperature='1'; expected a finite number
write(temperature=True) -> temperature=True; expected a finite number
write(temperature=0.0) -> temperature=0.0; …more than 0. For 0 use greedy
write(temperature=NAN) -> temperature=nan; expected a finite number, more than
write(top_k=0) -> top_k=0; expected an integer, 1 or more
write(top_p='0.9') -> top_p='0.9'; expected a probability
write(top_p=0.0) -> top_p=0.0; expected a probability above 0
write(top_p=1.5) -> top_p=1.5; expected a probability above 0, at most 1
write(min_p=True) -> min_p=True; expected a probability
write(min_p=0.0) -> min_p=0.0; expected a probability above 0
write(min_p=1.5) -> min_p=1.5; expected a probability above 0
write(greedy, cached='no') -> cached='no'; expected True or False
write(prompt=ids(2, 0)) -> shape (2, 0); …such as the start token
write(prompt=tensor([[20]])) -> token id 20 is beyond the vocabulary
search(prompt=tensor([1])) -> shape (1,); expected (batch, tokens)
write(greedy, ENDS_IN_PADDING) -> ends in padding (id 0)
write(sample, ENDS_IN_PADDING) -> ends in padding (id 0)…padding on the left
write(kind=EncoderDecoder) -> needs a source; give source=ids
write(kind=EncoderDecoder, source=ids(3, 4)) -> 3 sources for 2 prompts
write(source=ids(2, 4)) -> DecoderOnly reads no source; put the text into
search(beam_width=0) -> beam_width=0; expected an integer, 1 or more
search(beam_width=2.0) -> beam_width=2.0; expected an integer
search(end_id=None) -> end_id=None; a beam search needs the id
search(length_penalty='1') -> length_penalty='1'; expected a finite number, 0 or more
search(length_penalty=-1.0) -> length_penalty=-1.0; expected a finite
search(length_penalty=INF) -> length_penalty=inf; expected a finite number
speculate(ids(2, 3)[0]) -> tokens has shape (3,); expected (batch, tokens)
write(greedy, end_id=-1) -> end_id=-1; expected an id from 0 to 19
write(greedy, end_id=20) -> end_id=20; expected an id from 0 to 19
write(greedy, end_id=2.5) -> end_id=2.5; expected an id from 0 to 19
write(greedy, end_id='</s>') -> end_id='</s>'; expected an id from 0 to 19
write(max_tokens=3) -> max_tokens=3 counts the prompt, …4 or more
write(max_tokens=5.5) -> max_tokens=5.5 counts the prompt, …4 or more
write(kind=EncoderDecoder, source=2 * ids(2, 3) + 20) -> is beyond the vocabulary: ids
write(kind=EncoderDecoder, source=-ids(2, 3)) -> token id -…is beyond the vocabulary: ids
speculate(ids(2, 1)) -> there are 2 prompts
speculate(ids(1, 1), guesses=0) -> guesses=0; expected an integer, 1 or more
speculate(ids(1, 1), toy(30, 0)) -> vocab_size=30 and the model 20
# training
loss(padding_id=-1, label_smoothing=0.1) -> padding_id=-1; expected an id from 0 to 4
loss(padding_id=7) -> padding_id=7; expected an id from 0 to 4
loss(label_smoothing='a') -> label_smoothing='a'; expected from 0
next_token(label_smoothing=3) -> label_smoothing=3; expected from 0
translation(label_smoothing=1) -> label_smoothing=1; expected from 0
Batches([[1, 2]], '4') -> batch_tokens='4'; expected an integer
Batches([([1], [2]), ([3], [4], [5])], 2) -> example 1 holds 3 texts and example 0 2
learning_rate(0, configured()) -> step=0
Batches([], 10) -> no examples
Batches([[1], []], 1) -> example 1 is empty
Batches([[1, 2], [1] * 9], 8) -> example 1 has 9 tokens…batch_tokens=8
Batches([([1], [2] * 9)], 8) -> example 0 has 9 tokens
Batches([[1, 2]] * 3, 64) -> all 3 examples fit into 6 tokens…batch_tokens=64
loss(label_smoothing=1.5) -> label_smoothing=1.5
summed_cross_entropy(ones(2, 3), ones(3).long()) -> (2, 3)…(3,)

TypeError:
Forward(16, 20)(WHOLE) -> x has dtype torch.int64; expected floating point
Norm(16)(WHOLE) -> x has dtype torch.int64; expected floating
Layer(16, 4, generator=3) -> generator=3; expected a torch.Generator, such as seeded(0)
Layer(16, 4, dtype=COMPLEX) -> dtype=torch.complex64; expected one of torch.float16
Encoder(16, 4, 20, dtype=FLOAT8) -> dtype=torch.float8_e4m3fn; expected
Forward(16, 20, dtype=torch.int64) -> dtype=torch.int64; expected
Norm(16, dtype='float32') -> dtype='float32'; expected
Encoder(16, 4, 20)(WHOLE) -> x has dtype torch.int64; …through an embedding first
DecoderLayer(16, 4, 20)(X, None) -> memory is a NoneType; expected a tensor
attend(positions=[0, 1, 2, 3, 4]) -> positions is a list; expected a tensor
attend(positions=PLACES > 2) -> positions have dtype torch.bool; expected integers
attend(bias=True) -> bias is a bool; expected a tensor
attend(bias=causal_mask(5)) -> the bias has dtype torch.bool; …is a mask
attend(bias=ones(5, 5, dtype=COMPLEX)) -> the bias has dtype torch.complex64
attend(x=X.to(COMPLEX)) -> query has dtype torch.complex64; …real part
flash(*[HEADS.to(COMPLEX)] * 3) -> query is torch.complex64, …floating-point dtype of 16, 32
flash(*[HEADS.to(FLOAT8)] * 3) -> query is torch.float8_e4m3fn, …dtype of 16, 32
attend('flash', mask=[[True]]) -> the mask is a list; expected a FlashMask
attend('flash', mask=False) -> the mask is a bool; expected a FlashMask
attend(mask=(True, None), is_causal=True) -> the mask is a tuple; expected a boolean
attend(mask=FlashMask(True, X[..., 0])) -> real has dtype torch.float32; expected
reference(*SAME, bias=1.0) -> bias is a float; expected a tensor
reference(HEADS, [1.0], HEADS) -> key is a list; expected a tensor
flash(*SAME, real=[[True] * 5] * 2) -> real is a list; expected a tensor
causal_mask(True) -> queries=True; expected the number of tokens
padding_mask(ids(2, 3), True) -> padding_id=True; expected the integer id
reference(ONE, ONE, ONE, bias=ones(3, 3).double()) -> the bias has dtype torch.float64
reference(ONE, ONE.double(), ONE.double()) -> key has dtype torch.float64 and query torch.float32
reference(*[ONE.long()] * 3) -> query has dtype torch.int64; expected floating point
reference(*[ROWS] * 3, [[True]]) -> the mask is a list; …torch.as_tensor
causal_mask(2.5) -> queries=2.5; expected the number of tokens
padding_mask([[1, 2]], 0) -> use torch.tensor(ids)
padding_mask(tensor([[1]]), None) -> padding_id=None
attend(mask=torch.zeros(5, 5)) -> torch.float32; expected torch.bool
attend('fused', mask=torch.zeros(5, 5)) -> torch.float32; expected torch.bool
attend('flash', mask=causal_mask(5)) -> Give a FlashMask
flash(HEADS, HEADS.double(), HEADS) -> key torch.float64
flash(*[HEADS.int()] * 3) -> floating-point
flash(*SAME, real=ones(2, 5)) -> expected torch.bool
SinusoidalPositions(8, 4)([1]) -> positions is a list
Decoder(config(), generator=0) -> generator=0; expected a torch.Generator
Decoder(config(), dtype=COMPLEX) -> dtype=torch.complex64; expected
Decoder(config())(ids(2, 3), True) -> cache=True; expected a KeyValueCache(2), or None
EncoderOnly(config())(tensor([[1.0]])) -> Use torch.tensor(ids)
Decoder(config())(tensor([[1.0]])) -> Use torch.tensor(ids)
Decoder(config())(tensor([[True]])) -> dtype torch.bool; expected integer ids…tokens.long()
Decoder(config())(tensor([[1, 2]], dtype=torch.uint8)) -> dtype torch.uint8
EncoderOnly(20) -> the configuration is of type int; expected a ModelConfig
Decoder(20) -> the configuration is of type int; expected a ModelConfig
EncoderDecoder(20) -> the configuration is of type int; expected a ModelConfig
write(kind=EncoderOnly) -> EncoderOnly writes no text; expected a DecoderOnly
speculate([[1, 2], [3, 4]]) -> tokens is not a tensor
trained([ids(2, 3)]) -> batches is a list; expected a
Batches([[1.5, 2.0]], 2) -> tokens has dtype torch.float32
Batches([[1, 2]], 2, padding_id=None) -> padding_id=None; expected the integer id
trained(optimizer=0.1) -> of type float; expected one of torch.optim

IndexError:
SinusoidalPositions(4, 8)(tensor([8])) -> out of range
LearnedPositions(4, 8)(tensor([-1])) -> out of range
EncoderOnly(config())(tensor([[20]])) -> out of range
Decoder(config())(tensor([[-1]])) -> out of range

RuntimeError:
Decoder(config())(ids(1, 1), Cache(2)) -> call under torch.no_grad
"""
PARTS: tuple[ModuleType, ...] = (attention, blocks, cache, decoding, models, positions, training)
PARTS += (api, decoders)
KNOWN: dict[str, Any] = {name: it for part in PARTS for name, it in vars(part).items()} | globals()


def cases() -> list[Any]:
    kind, found = "", []
    for line in TABLE.splitlines():
        if line.endswith("Error:"):
            kind = line.removesuffix(":")
        elif line and not line.startswith("#"):
            found.append(pytest.param(kind, *line.split(" -> "), id=line))
    return found


@pytest.mark.parametrize(("kind", "written", "words"), cases())
def test_the_error_is_of_its_type_and_names_value_and_rule(
    kind: str, written: str, words: str
) -> None:
    pattern = ".*".join(map(re.escape, words.split("…")))
    with pytest.raises(Exception, match=f"(?s){pattern}") as caught:
        eval(written, KNOWN)
    assert caught.type.__name__ == kind
