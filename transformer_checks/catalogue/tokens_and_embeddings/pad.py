"""tokens.pad: sentences of unequal length as one tensor, and a mask that says what is real."""

from torch import Generator

from transformer_checks.catalogue.tokens_and_embeddings.letters import random_word
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def words(*lengths: int) -> list[list[int]]:
        return [[1 + t for t in random_word(generator, n, n, 30)] for n in lengths]

    large = [[128_001, *words(1029)[0]], *words(2)]
    seven = [[5, 7, 2], [7, 4, 7, 3, 7]]
    return [
        Case("lengths 3 and 2, padding 0", {"sequences": words(3, 2), "padding_id": 0}),
        Case("lengths 1 and 4, padding 50256", {"sequences": words(1, 4), "padding_id": 50256}),
        Case("a real token equal to the padding, 7", {"sequences": seven, "padding_id": 7}),
        Case("two of them empty", {"sequences": [*words(2), [], [], *words(3)], "padding_id": 33}),
        Case("the first of them empty", {"sequences": [[], *words(2, 1)], "padding_id": 0}),
        Case("equal lengths", {"sequences": words(3, 3), "padding_id": 0}),
        Case("lengths 2, 6, 1, 4", {"sequences": words(2, 6, 1, 4), "padding_id": 33}),
        Case("one sentence", {"sequences": words(5), "padding_id": 0}),
        Case("22 sentences, the last two alike",
             {"sequences": [*words(*range(22, 2, -1)), [5, 7, 2], [5, 7, 2]], "padding_id": 18}),
        Case("lengths 1030 and 2, padding 128000", {"sequences": large, "padding_id": 128_000}),
        Case("a real token 0, padding 1", {"sequences": [[0, 3], [0], [6, 0, 2]], "padding_id": 1}),
        Case("sentences of one token", {"sequences": words(1, 1, 1), "padding_id": 0}),
        Case("one token, and none", {"sequences": [*words(1), []], "padding_id": 0}),
    ]


_PADDED = "sequence + [padding_id] * (longest - len(sequence))"
_IDS = "torch.tensor(filled)"
_MASK = "torch.arange(longest) < lengths[:, None]"

CHECK = Check(
    name="tokens.pad", lesson="01_tokens_and_embeddings", title="Pad a batch",
    answer="pad", returns=("ids", "mask"), draw=_draw,
    points=1, difficulty=2, importance=5, minutes=8,
    slips=(
        Slip("padding on the left", {
                 _PADDED: "[padding_id] * (longest - len(sequence)) + sequence",
                 _MASK: "torch.arange(longest) >= longest - lengths[:, None]",
             },
             "the padding stands before the sentence",
             "Here every sentence begins in column 0."),
        Slip("mask inverted", {"torch.arange(longest) <": "torch.arange(longest) >="},
             "the mask is True where the padding is",
             "In this course True means real: it may be attended to."),
        Slip("mask taken from the ids", {_MASK: f"{_IDS} != padding_id"},
             "a real token that has the padding's id is masked",
             "Some models use one id for the end of a text and for padding. What tells the two "
             "apart? Not the id."),
        Slip("id 0 taken for padding", {_MASK: f"({_MASK}) & ({_IDS} != 0)"},
             "a real token of id 0 is masked",
             "0 is an id like any other, and here padding may have another."),
        Slip("mask of numbers", {_MASK: f"({_MASK}).float()"},
             "the mask holds numbers, not booleans", "dtype=torch.bool, or a comparison."),
        Slip("mask all True", {_MASK: "torch.ones(len(sequences), longest, dtype=torch.bool)"},
             "the mask is True everywhere, the padding included",
             "Where is a token real? That follows from the lengths."),
        Slip("cut to the shortest",
             {"lengths.max()": "lengths.min()", _PADDED: "sequence[:longest]"},
             "all sentences are cut to the length of the shortest",
             "Nothing may be lost: as many columns as the longest has tokens."),
        Slip("padding is always 0", {"[padding_id]": "[0]"},
             "the padding is 0, whatever padding_id says",
             "torch.zeros fills with 0; torch.full takes the number."),
        Slip("last token repeated", {"[padding_id]": "(sequence[-1:] or [padding_id])"},
             "short sentences are filled up with their last token", "Fill up with padding_id."),
        Slip("results swapped", {f"{_IDS}, {_MASK}": f"{_MASK}, {_IDS}"},
             "ids and mask come back in the wrong order", "Return the ids first, then the mask."),
    ),
)
