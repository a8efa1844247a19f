"""tokens.pad: sentences of unequal length as one tensor, and a mask that says what is real."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.tokens.letters import random_word
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]
Sequences = list[list[int]]


def _reference(sequences: Sequences, padding_id: int) -> Result:
    longest = max(map(len, sequences))
    ids = torch.full((len(sequences), longest), padding_id)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        for column, token in enumerate(sequence):
            ids[row, column] = token
            mask[row, column] = True
    return ids, mask


def _draw(generator: Generator) -> list[Case]:
    def words(*lengths: int) -> Sequences:
        return [[1 + t for t in random_word(generator, n, n, 30)] for n in lengths]

    seven = [[5, 7, 2], [7, 4, 7, 3, 7]]
    return [
        Case("lengths 3 and 2, padding 0", {"sequences": words(3, 2), "padding_id": 0}),
        Case("lengths 1 and 4, padding 50", {"sequences": words(1, 4), "padding_id": 50}),
        Case("a real token equal to the padding, 7", {"sequences": seven, "padding_id": 7}),
        Case("one of them empty", {"sequences": [*words(2), [], *words(3)], "padding_id": 0}),
        Case("equal lengths", {"sequences": words(3, 3), "padding_id": 0}),
        Case("lengths 2, 6, 1, 4", {"sequences": words(2, 6, 1, 4), "padding_id": 33}),
        Case("one sentence", {"sequences": words(5), "padding_id": 0}),
    ]


def _on_the_left(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference([sequence[::-1] for sequence in sequences], padding_id)
    return ids.flip(1), mask.flip(1)


def _inverted(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference(sequences, padding_id)
    return ids, ~mask


def _mask_from_ids(sequences: Sequences, padding_id: int) -> Result:
    ids, _ = _reference(sequences, padding_id)
    return ids, ids != padding_id


def _mask_in_numbers(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference(sequences, padding_id)
    return ids, mask.float()


def _cut_off(sequences: Sequences, padding_id: int) -> Result:
    shortest = min(map(len, sequences))
    return _reference([sequence[:shortest] for sequence in sequences], padding_id)


def _always_zero(sequences: Sequences, padding_id: int) -> Result:
    return _reference(sequences, 0)


def _one_more(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference(sequences, padding_id)
    blank = torch.full((len(ids), 1), padding_id)
    return torch.cat([ids, blank], 1), torch.cat([mask, blank != blank], 1)


def _last_repeated(sequences: Sequences, padding_id: int) -> Result:
    _, mask = _reference(sequences, padding_id)
    filled = [
        sequence + (sequence[-1:] or [padding_id]) * (mask.shape[1] - len(sequence))
        for sequence in sequences
    ]
    return torch.tensor(filled), mask


def _empty_dropped(sequences: Sequences, padding_id: int) -> Result:
    return _reference([sequence for sequence in sequences if sequence], padding_id)


def _tokens_first(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference(sequences, padding_id)
    return ids.T, mask.T


def _swapped(sequences: Sequences, padding_id: int) -> Result:
    ids, mask = _reference(sequences, padding_id)
    return mask, ids


PAD = Check(
    name="tokens.pad",
    lesson="01_tokens_and_embeddings",
    title="Pad a batch",
    answer="pad",
    returns=("ids", "mask"),
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "padding on the left",
            _on_the_left,
            "the padding stands before the sentence",
            "Here every sentence begins in column 0.",
        ),
        Misconception(
            "mask inverted",
            _inverted,
            "the mask is True where the padding is",
            "In this course True means real: it may be attended to.",
        ),
        Misconception(
            "mask taken from the ids",
            _mask_from_ids,
            "a real token that has the padding's id is masked",
            "Some models use one id for the end of a text and for padding. What tells the two "
            "apart? Not the id.",
        ),
        Misconception(
            "mask of numbers",
            _mask_in_numbers,
            "the mask holds numbers, not booleans",
            "dtype=torch.bool, or a comparison.",
        ),
        Misconception(
            "cut to the shortest",
            _cut_off,
            "all sentences are cut to the length of the shortest",
            "Nothing may be lost: as many columns as the longest has tokens.",
        ),
        Misconception(
            "padding is always 0",
            _always_zero,
            "the padding is 0, whatever padding_id says",
            "torch.zeros fills with 0; torch.full takes the number.",
        ),
        Misconception(
            "one column too many",
            _one_more,
            "there is one column more than the longest sentence needs",
            "The longest sentence has no padding at all.",
        ),
        Misconception(
            "last token repeated",
            _last_repeated,
            "short sentences are filled up with their last token",
            "Fill up with padding_id.",
        ),
        Misconception(
            "empty sentence dropped",
            _empty_dropped,
            "an empty sentence is missing from the batch",
            "Row i belongs to sentence i, even if all of it is padding.",
        ),
        Misconception(
            "axes swapped",
            _tokens_first,
            "the result is (tokens, batch)",
            "One row for each sentence: (batch, tokens).",
        ),
        Misconception(
            "results swapped",
            _swapped,
            "ids and mask come back in the wrong order",
            "Return the ids first, then the mask.",
        ),
    ),
    hints=(
        "How long is the longest sentence? Make both tensors that wide, all padding, all False.",
        "Then go through the sentences and write each into the beginning of its row.",
        "The mask follows from the lengths: `torch.arange(longest) < lengths[:, None]`.",
    ),
)
