"""What greedy, sampling and beam search refuse, and in which words."""

import math
from typing import Any

import torch
from torch import tensor

from tests.small_models import config, ids
from tests.tables import Refused, refusing
from transformer_lesson.decoding import beam_search, greedy, sample
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

ENDS_IN_PADDING = torch.tensor([[3, 4, 5], [3, 4, 0]])


def write(by: Any = sample, prompt: Any = None, kind: Any = DecoderOnly, **given: Any) -> Any:
    model = kind(config()).eval()
    return by(model, ids(2, 3) if prompt is None else prompt, **{"max_tokens": 6, **given})


def search(**given: Any) -> Any:
    return write(beam_search, **{"beam_width": 2, "end_id": 1, **given})


VALUES: Refused = [
    (lambda: write(temperature="1"), "temperature='1'; expected a finite number"),
    (lambda: write(temperature=0.0), "temperature=0.0; …more than 0. For 0 use greedy"),
    (lambda: write(temperature=math.nan), "temperature=nan; expected a finite number, more than"),
    (lambda: write(top_k=0), "top_k=0; expected an integer, 1 or more"),
    (lambda: write(top_p="0.9"), "top_p='0.9'; expected a probability"),
    (lambda: write(top_p=0.0), "top_p=0.0; expected a probability above 0"),
    (lambda: write(top_p=1.5), "top_p=1.5; expected a probability above 0, at most 1"),
    (lambda: write(min_p=True), "min_p=True; expected a probability"),
    (lambda: write(greedy, cached="no"), "cached='no'; expected True or False"),
    (lambda: write(prompt=ids(2, 0)), "shape (2, 0); …such as the start token"),
    (lambda: write(prompt=tensor([[20]])), "token id 20 is beyond the vocabulary"),
    (lambda: search(prompt=tensor([1])), "shape (1,); expected (batch, tokens)"),
    (lambda: write(greedy, ENDS_IN_PADDING), "ends in padding (id 0)"),
    (lambda: write(sample, ENDS_IN_PADDING), "ends in padding (id 0)…padding on the left"),
    (lambda: write(kind=EncoderDecoder), "needs a source; give source=ids"),
    (lambda: write(kind=EncoderDecoder, source=ids(3, 4)), "3 sources for 2 prompts"),
    (lambda: write(source=ids(2, 4)), "DecoderOnly reads no source; put the text into"),
    (lambda: search(beam_width=0), "beam_width=0; expected an integer, 1 or more"),
    (lambda: search(end_id=None), "end_id=None; a beam search needs the id"),
    (lambda: search(length_penalty="1"), "length_penalty='1'; expected a finite number, 0 or more"),
    (lambda: search(length_penalty=-1.0), "length_penalty=-1.0; expected a finite"),
    (lambda: search(length_penalty=math.inf), "length_penalty=inf; expected a finite number"),
    (lambda: write(greedy, end_id=-1), "end_id=-1; expected an id from 0 to 19"),
    (lambda: write(greedy, end_id=20), "end_id=20; expected an id from 0 to 19"),
    (lambda: write(greedy, end_id=2.5), "end_id=2.5; expected an id from 0 to 19"),
    (lambda: write(max_tokens=3), "max_tokens=3 counts the prompt, …4 or more"),
    (lambda: write(max_tokens=5.5), "max_tokens=5.5 counts the prompt, …4 or more"),
    (
        lambda: write(kind=EncoderDecoder, source=2 * ids(2, 3) + 20),
        "is beyond the vocabulary: ids",
    ),
    (
        lambda: write(kind=EncoderDecoder, source=-ids(2, 3)),
        "token id -…is beyond the vocabulary: ids",
    ),
]

TYPES: Refused = [
    (lambda: write(kind=EncoderOnly), "EncoderOnly writes no text; expected a DecoderOnly")
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
