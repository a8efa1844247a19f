"""decoder.mask: the causal and the padding mask in one."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    long = torch.randint(10, 20, (4, 6), generator=generator)
    lengths = torch.randint(1, 7, (4,), generator=generator).tolist()
    for row, length in enumerate(lengths):
        long[row, length:] = 7
    many = torch.randint(23, (17, 20), generator=generator)
    many[torch.arange(20) >= torch.randint(1, 20, (17, 1), generator=generator)] = 23
    book = torch.randint(1, 9, (1, 600), generator=generator)
    cases = {
        "two sentences, padding on the right": (torch.tensor([[5, 8, 2], [7, 4, 0]]), 0),
        "padding on the left of all": (torch.tensor([[0, 0, 6, 4], [0, 8, 1, 7]]), 0),
        "padding id 3, with smaller and larger ids beside it": (
            torch.tensor([[3, 0, 2], [3, 9, 0], [4, 1, 3]]),
            3,
        ),
        "one sentence without padding": (torch.tensor([[4, 2, 9]]), 0),
        "one sentence with padding": (torch.tensor([[4, 2, 0]]), 0),
        "four sentences, padding id 7": (long, 7),
        "two texts of one token, one of them padding": (torch.tensor([[6], [0]]), 0),
        "17 texts of up to 19 tokens, padding id 23": (many, 23),
        "a text of 600 tokens": (book, 0),
        "three texts of two tokens": (torch.tensor([[5, 0], [6, 4], [0, 0]]), 0),
        "ids of a large vocabulary": (torch.tensor([[50_256, 128_000, 7, 128_001]]), 128_001),
    }
    return [
        Case(label, {"tokens": tokens, "padding_id": padding_id})
        for label, (tokens, padding_id) in cases.items()
    ]


CHECK = Check(
    name="decoder.mask",
    lesson="06_decoder",
    title="The mask of a decoder",
    answer="decoder_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
