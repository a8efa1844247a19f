"""training.shift: what a decoder reads, what it is to say, and which of that counts."""

from dataclasses import replace

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check

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
        return Case(
            "17 texts of up to 20 words, padding id 23", {"tokens": tokens, "padding_id": 23}
        )

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
        case("a text of no words", (0,)),
        long(),
        replace(behind, inputs=wider),
        Case("words that stand there twice in a row", {"tokens": stammer, "padding_id": 0}),
        Case("ids of a large vocabulary", {"tokens": 128_000 + tokens, "padding_id": 128_000}),
    ]


CHECK = Check(
    name="training.shift",
    lesson="07_training",
    title="Shift by one",
    answer="shift",
    returns=("inputs", "targets", "counted"),
    draw=_draw,
    points=1,
    difficulty=1,
    importance=5,
    minutes=6,
)
