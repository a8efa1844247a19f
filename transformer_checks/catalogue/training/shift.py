"""training.shift: what a decoder reads, what it is to say, and which of that counts."""

from dataclasses import replace

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue import families
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip

FIRST_WORD = 3  # 0 to 2 are padding, start and end, in some order


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, lengths: tuple[int, ...], padding_id: int = 0) -> Case:
        start, end = (number for number in range(3) if number != padding_id)
        tokens = torch.full((len(lengths), max(lengths) + 2), padding_id)
        for row, length in zip(tokens, lengths, strict=True):
            row[0], row[length + 1] = start, end
            # No word twice in a row: what stands next to it differs from it.
            row[1 : length + 1] = FIRST_WORD + torch.randperm(9, generator=generator)[:length]
        return Case(label, {"tokens": tokens, "padding_id": padding_id})

    def long() -> Case:
        tokens = torch.full((17, 22), 23)
        lengths = torch.randint(1, 21, (17,), generator=generator).tolist()
        lengths[0] = 20
        for row, length in zip(tokens, lengths, strict=True):
            row[0], row[length + 1] = 21, 22
            row[1 : length + 1] = torch.randperm(21, generator=generator)[:length]
        return Case("17 texts of up to 20 words, padding id 23",
                    {"tokens": tokens, "padding_id": 23})

    behind = case("two texts, padding behind both", (2, 3))
    tokens = behind.inputs["tokens"]
    assert isinstance(tokens, Tensor)
    wider = {**behind.inputs, "tokens": F.pad(tokens, (0, 2), value=0)}
    stammer = torch.tensor([[1, 5, 5, 5, 4, 2], [1, 6, 6, 2, 0, 0]])
    return [
        case("one text of three words", (3,)),
        case("two texts, the second with padding", (4, 2)),
        case("padding id 2", (3, 5, 1), 2),
        case("four texts, padding id 0", (1, 6, 4, 2)),
        case("a text of no words", (0,)), long(), replace(behind, inputs=wider),
        Case("words that stand there twice in a row", {"tokens": stammer, "padding_id": 0}),
        Case("ids of a large vocabulary", {"tokens": 128_000 + tokens, "padding_id": 128_000}),
    ]


CHECK = Check(
    name="training.shift", lesson="07_training", title="Shift by one",
    answer="shift", returns=("inputs", "targets", "counted"), draw=_draw,
    points=1, difficulty=1, importance=5, minutes=6,
    slips=(
        Slip("not shifted", {"tokens[:, 1:]": "tokens", "tokens[:, :-1]": "tokens"},
             "inputs and targets are the same: the model is asked for the token that it reads",
             "What should the model say when it has read the start token alone?"),
        Slip("not shifted, last one dropped", {"tokens[:, 1:]": "tokens[:, :-1]"},
             "one token was dropped, and still each target is the token that stands at its place",
             "Drop it at one end from the inputs, at the other from the targets."),
        Slip("shifted twice",
             {"tokens[:, 1:]": "tokens[:, 2:]", "tokens[:, :-1]": "tokens[:, :-2]"},
             "each target is the token after the next one",
             "When the model has read the start token, its target is the first word."),
        Slip("counted by the inputs", {"targets != padding_id": "tokens[:, :-1] != padding_id"},
             "what counts was read off the inputs: behind an end token padding is asked for",
             "A place counts if its *target* is a real token."),
        Slip("everything counts",
             {"targets != padding_id": "torch.ones_like(targets, dtype=torch.bool)"},
             "padding counts as a target", "Which targets should cost nothing?"),
        families.padding_id_fixed({"!= padding_id": "!= 0"}),
        Slip("end tokens never read", {
                 "return tokens[:, :-1]":
                     "return tokens[:, :-1].masked_fill(targets == padding_id, padding_id)",
             },
             "in rows shorter than the longest, the end token was taken from the inputs",
             "Only the last column goes. What short texts read behind their end is not counted."),
        Slip("-100 for padding", {
                 "    return": "    given, targets = targets, targets.masked_fill("
                               "targets == padding_id, -100)\n    return",
                 "targets, targets !=": "targets, given !=",
             },
             "-100 stands in the targets where padding was: PyTorch's own marker, not asked for",
             "The targets are the tokens as they are; `counted` says which of them count."),
        families.smaller_ids_are_padding({"!= padding_id": "> padding_id"}),
    ),
)
