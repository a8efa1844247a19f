"""What models refuse, and in which words."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type"

import torch
from torch import tensor

from tests.small_models import config, ids
from tests.tables import Refused, refusing
from transformer_lesson.cache import CachedKeys, KeyValueCache
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

VALUES: Refused = [
    (lambda: EncoderOnly(config(window=4)), "window=4 is for a DecoderOnly; this is a EncoderOnly"),
    (
        lambda: DecoderOnly(config(window=4))(ids(1, 1), KeyValueCache(2, [4])),
        "made for 1 layers; there are 2",
    ),
    (
        lambda: DecoderOnly(config())(ids(1, 1), KeyValueCache(2, [4, None])),
        "keeps 4 tokens of a layer that sees all. Use",
    ),
    (
        lambda: DecoderOnly(config(window=5))(ids(1, 1), KeyValueCache(2, [4, 4])),
        "4 tokens of a layer that sees 5 tokens",
    ),
    (lambda: KeyValueCache(2).reorder(tensor([0])), "nothing to reorder yet"),
    (lambda: KeyValueCache(0), "num_layers=0; expected an integer"),
    (
        lambda: DecoderOnly(config())(ids(1, 1), KeyValueCache(3)),
        "made for 3 layers; …Use KeyValueCache(2)",
    ),
    (
        lambda: EncoderOnly(config(num_encoder_layers=3)),
        "num_encoder_layers=3 is for an EncoderDecoder",
    ),
    (
        lambda: DecoderOnly(config(source_vocab_size=9)),
        "source_vocab_size=9 is for an EncoderDecoder",
    ),
    (lambda: EncoderOnly(config())(tensor([1, 2])), "shape (2,); expected (batch, tokens)"),
    (lambda: DecoderOnly(config())(tensor([1, 2])), "shape (2,); expected (batch, tokens)"),
    (
        lambda: EncoderDecoder(config())(ids(2, 4), ids(3, 4)),
        "2 sources for 3 targets; expected one for each",
    ),
    (lambda: DecoderOnly(config())(ids(1, 17)), "position 16 …positions 0 to 15…larger max_tokens"),
]

TYPES: Refused = [
    (lambda: DecoderOnly(config(), generator=0), "generator=0; expected a torch.Generator"),
    (lambda: DecoderOnly(config(), dtype=torch.complex64), "dtype=torch.complex64; expected"),
    (
        lambda: DecoderOnly(config())(ids(2, 3), True),
        "cache=True; expected a KeyValueCache(2), or None",
    ),
    (lambda: EncoderOnly(config())(tensor([[1.0]])), "Use torch.tensor(ids)"),
    (lambda: DecoderOnly(config())(tensor([[1.0]])), "Use torch.tensor(ids)"),
    (
        lambda: DecoderOnly(config())(tensor([[True]])),
        "dtype torch.bool; expected integer ids…tokens.long()",
    ),
    (lambda: DecoderOnly(config())(tensor([[1, 2]], dtype=torch.uint8)), "dtype torch.uint8"),
    (lambda: EncoderOnly(20), "the configuration is of type int; expected a ModelConfig"),
]

KEYS = torch.ones(2, 4, 5, 4)

BEYOND: Refused = [
    (lambda: EncoderOnly(config())(tensor([[20]])), "out of range"),
    (lambda: DecoderOnly(config())(tensor([[-1]])), "out of range"),
]

RUNS: Refused = [
    (lambda: DecoderOnly(config())(ids(1, 1), KeyValueCache(2)), "call under torch.no_grad"),
    (lambda: CachedKeys().append(KEYS, KEYS.clone().requires_grad_()), "call under torch.no_grad"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
test_what_lies_beyond = refusing(IndexError, BEYOND)
test_runs = refusing(RuntimeError, RUNS)
