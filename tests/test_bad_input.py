"""Arguments that nobody should give, each of which has an error that says what is wrong."""

from types import ModuleType
from typing import Any

import pytest
import torch

from tests import small_models
from tests.tables import refused, refuses
from tests.test_pretrained import settings_of, weights_of
from transformer_lesson import attention, blocks, cache, decoding, models, positions, training
from transformer_lesson.bert import from_bert
from transformer_lesson.flash import api
from transformer_lesson.llama import from_llama
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


def loss(**given: Any) -> Any:
    return training.summed_cross_entropy(torch.ones(2, 5), torch.tensor([1, 2]), **given)


def configured(**given: Any) -> training.TrainingConfig:
    return training.TrainingConfig(**{"steps": 1, "learning_rate": 0.1, **given})


def trained(batches: Any = lambda number: ids(2, 3), **given: Any) -> Any:
    return training.train(Decoder(config()), training.next_token(), batches, configured(), **given)


def llama(**changes: Any) -> Any:
    return from_llama(weights_of("llama"), settings_of("llama") | changes)


def bert(**changes: Any) -> Any:
    return from_bert(weights_of("bert"), settings_of("bert") | changes)


PARTS: tuple[ModuleType, ...] = (attention, blocks, cache, decoding, models, positions, training)
PARTS += (api,)
KNOWN: dict[str, Any] = {name: it for part in PARTS for name, it in vars(part).items()} | globals()


@pytest.mark.parametrize(("kind", "written", "words"), refused("bad_input.txt"))
def test_the_error_is_of_its_type_and_names_value_and_rule(
    kind: str, written: str, words: str
) -> None:
    refuses(kind, lambda: eval(written, KNOWN), words)
