"""What configurations refuse, and in which words."""

from typing import Any

from tests.small_models import config
from tests.tables import Refused, refusing
from transformer_lesson.models import EncoderDecoder


def rotary(**given: Any) -> Any:
    return config(positions="rotary", **given)


VALUES: Refused = [
    (lambda: config(rope_scaling="ntk"), "rope_scaling='ntk' with positions='sinusoidal'"),
    (
        lambda: config(d_model=1024, num_heads=2, attention="flash"),
        "heads of width 512; …at most 256. Use more",
    ),
    (
        lambda: config(d_model=16, num_heads=4, num_kv_heads=3),
        "num_heads=4 is not divisible by num_kv_heads=3",
    ),
    (lambda: config(num_experts=0), "num_experts=0; expected an integer"),
    (
        lambda: config(num_experts=3, experts_per_token=4),
        "experts_per_token=4 of num_experts=3; expected at most as",
    ),
    (lambda: config(num_experts=3, expert_capacity=0), "capacity=0; expected a positive number"),
    (lambda: config(window=0), "window=0; expected an integer, 1 or more"),
    (lambda: config(full_every=2), "full_every=2 without a window; give a window, or neither"),
    (lambda: config(window=4, full_every=0), "full_every=0; expected an integer"),
    (
        lambda: config(window=4, attention="flash"),
        "window=4 with attention='flash'…Use attention='fused'",
    ),
    (lambda: EncoderDecoder(config(window=4)), "window=4 is for a DecoderOnly"),
    (lambda: config(attention_softcap=0), "softcap=0; expected a positive number"),
    (lambda: config(logit_softcap=-1), "logit_softcap=-1; expected a positive number"),
    (
        lambda: config(attention_softcap=5.0, attention="flash"),
        "softcap=5.0 with attention='flash'",
    ),
    (lambda: config(rope_tokens=64), "rope_tokens=64 with positions='sinusoidal', which turn"),
    (lambda: config(parallel=True, norm="both"), "parallel=True with norm='both'"),
    (lambda: config(d_head=0), "d_head=0; expected an integer, 1 or more"),
    (
        lambda: config(d_head=5, positions="rotary"),
        "heads of width 5; rotary positions need an even width",
    ),
    (lambda: config(vocab_size=0), "vocab_size=0; expected an integer, 1 or more"),
    (lambda: config(max_tokens=-1), "max_tokens=-1; expected an integer, 1 or more"),
    (
        lambda: config(num_heads=5),
        "d_model=12 is not divisible by num_heads=5; num_heads may be 1, 2",
    ),
    (lambda: config(vocab_size=True), "vocab_size=True; expected an integer"),
    (lambda: config(d_model=12.0), "d_model=12.0; expected an integer"),
    (lambda: config(dropout=1.0), "dropout=1.0; expected a probability"),
    (lambda: config(padding_id=0.0), "padding_id=0.0; expected an id"),
    (lambda: config(padding_id=20), "padding_id=20; expected an id from 0 to 19, or None"),
    (lambda: config(source_vocab_size=9, padding_id=9), "padding_id=9; expected an id from 0 to 8"),
    (lambda: config(tie_embeddings="no"), "tie_embeddings='no'; expected True or False"),
    (lambda: config(norm="mid"), "norm='mid'; expected …'pre'"),
    (lambda: config(norm_type="batch"), "norm_type='batch'; expected …'layer'"),
    (lambda: config(positions="sine"), "positions='sine'; expected …'sinusoidal'"),
    (lambda: config(activation="tanh"), "activation='tanh'; expected …'relu'"),
    (lambda: config(attention="fast"), "attention='fast'; expected …'reference'"),
    (lambda: config(initialization="bert"), "initialization='bert'; expected …'paper'"),
    (lambda: config(source_vocab_size=2.5), "source_vocab_size=2.5; expected an integer"),
    (lambda: config(eps=0), "eps=0; expected a positive number"),
    (lambda: config(rope_base=0.0), "rope_base=0.0; expected a positive number"),
    (lambda: config(rope_factor=0.5, positions="rotary"), "rope_factor=0.5; expected 1 or more"),
    (lambda: config(rope_scaling="yarn"), "rope_scaling='yarn'; expected 'interpolation' or 'ntk'"),
    (
        lambda: rotary(rope_factor=2.0, rope_scaling="ntk", num_heads=6),
        "d_head=2; an NTK-aware base needs 4",
    ),
    (
        lambda: config(positions="alibi", attention="flash"),
        "positions='alibi' add to every score…='fused'",
    ),
]

test_values = refusing(ValueError, VALUES)
