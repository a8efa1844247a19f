"""bert.corrupt: which tokens are asked for, and what stands in their place."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, tokens: Tensor, rate: float, mask_id: int, first: int, padding_id: int
    ) -> Case:
        shape = tokens.shape
        choose = torch.rand(shape, generator=generator)
        # Many draws are made small, so that every small batch has chosen tokens.
        choose = torch.where(choose < rate, 0.15 * choose / rate, 0.16 + 0.83 * choose)
        how = torch.rand(shape, generator=generator).clamp(0.001, 0.999)
        how = torch.where((how - 0.8).abs() < 1e-3, 0.79, how)
        how = torch.where((how - 0.9).abs() < 1e-3, 0.89, how)
        if shape[1] > 3:  # one word is replaced, and one left, whatever the seed
            choose[0, 1:3], how[0, 1:3] = 0.05, torch.tensor([0.85, 0.95])
            choose[0, 3] = how[0, 3] = 0.0  # as chance may have it
        replacements = torch.randint(first, first + 20, shape, generator=generator)
        replacements = torch.where(replacements == tokens, replacements + 1, replacements)
        return Case(
            label,
            {
                "tokens": tokens,
                "choose": choose,
                "how": how,
                "replacements": replacements,
                "mask_id": mask_id,
                "first_word": first,
                "padding_id": padding_id,
            },
        )

    def texts(rows: int, length: int, first: int, specials: tuple[int, int, int]) -> Tensor:
        opening, closing, padding = specials
        ids = torch.randint(first, first + 20, (rows, length), generator=generator)
        ids[:, 0], ids[:, 2] = opening, first
        for row in range(rows):
            end = length - 1 - row % 3
            ids[row, end] = closing
            ids[row, end + 1 :] = padding
        return ids

    # One word for each of the four fates: hidden, replaced, left, not chosen.
    hand = Case(
        "one text of four words, one for each fate",
        {
            "tokens": torch.tensor([[2, 7, 4, 9, 6, 3]]),
            "choose": torch.tensor([[0.05, 0.11, 0.02, 0.14, 0.5, 0.01]]),
            "how": torch.tensor([[0.5, 0.3, 0.85, 0.95, 0.2, 0.84]]),
            "replacements": torch.tensor([[5, 8, 10, 7, 12, 9]]),
            "mask_id": 1,
            "first_word": 4,
            "padding_id": 0,
        },
    )
    choose = [0.1, 0.14998, 0.15, 0.15002, 1.0, 0.07, 0.02, 0.04, 0.01, 0.06, 0.03, 0.1, 0.0, 0.08]
    how = [0.5, 0.7999, 0.3, 0.1, 0.2, 0.82, 0.8, 0.8999, 0.9001, 0.7, 0.85, 0.5, 0.9, 0.0]
    beside = Case(
        "draws of 0, of 0.15, 0.8 and 0.9, and just beside",
        {
            "tokens": torch.tensor([[2, 9, 13, 8, 11, 7, 10, 6, 12, 4, 5, 3, 14, 16]]),
            "choose": torch.tensor([choose], dtype=torch.float64),  # float32 has no 0.9
            "how": torch.tensor([how], dtype=torch.float64),
            # As chance will have it, one word is replaced by itself, one by a special token.
            "replacements": torch.tensor([[7, 8, 9, 12, 6, 7, 13, 2, 11, 8, 14, 7, 9, 8]]),
            "mask_id": 1,
            "first_word": 6,
            "padding_id": 5,
        },
    )
    half = Case(
        "two texts, no word of the first chosen",
        {
            **hand.inputs,
            "tokens": torch.tensor([[2, 8, 5, 3], [2, 7, 9, 3]]),
            "choose": torch.tensor([[0.6, 0.2, 0.7, 0.6], [0.5, 0.11, 0.14, 0.6]]),
            "how": torch.tensor([[0.5, 0.3, 0.4, 0.1], [0.5, 0.3, 0.85, 0.2]]),
            "replacements": torch.tensor([[5, 9, 6, 7], [6, 8, 11, 5]]),
        },
    )
    without = Case(
        "no special tokens: id 0 is a word",
        {
            **hand.inputs,
            "tokens": torch.tensor([[3, 0, 2, 0, 1, 4]]),
            "replacements": torch.tensor([[5, 1, 0, 2, 0, 6]]),
            "mask_id": 9,
            "first_word": 0,
            "padding_id": 8,
        },
    )
    words = torch.randint(4, 24, (6, 1), generator=generator)
    return [
        hand,
        case("one text", texts(1, 9, 4, (2, 3, 0)), 0.5, 1, 4, 0),
        case("three texts with padding", texts(3, 12, 4, (2, 3, 0)), 0.5, 1, 4, 0),
        case("padding id 3, mask id 0", texts(3, 14, 5, (1, 2, 3)), 0.5, 0, 5, 3),
        case("many texts", texts(6, 40, 4, (2, 3, 0)), 0.4, 1, 4, 0),
        beside,
        case("padding on the left", texts(3, 12, 4, (2, 3, 0)).flip(1), 0.5, 1, 4, 0),
        case("first word 3, mask id 2", texts(2, 10, 3, (1, 1, 0)), 0.5, 2, 3, 0),
        case("a text of 200 tokens", texts(1, 200, 4, (2, 3, 0)), 0.6, 1, 4, 0),
        case("texts of one word", words, 0.9, 1, 4, 0),
        case("words from id 128000 on", texts(2, 9, 128_000, (2, 3, 0)), 0.9, 1, 128_000, 0),
        case("texts of two words", words.view(3, 2), 0.9, 1, 4, 0),
        Case(
            "words are replaced by themselves",
            {**hand.inputs, "replacements": hand.inputs["tokens"]},
        ),
        Case("the first text, no word chosen", {**hand.inputs, "choose": torch.full((1, 6), 0.6)}),
        case(
            "24 texts, special ids from 16 to 20", texts(24, 9, 21, (16, 18, 17)), 0.9, 20, 21, 17
        ),
        half,
        without,
    ]


CHECK = Check(
    name="bert.corrupt",
    lesson="08_bert_and_gpt",
    title="The 80/10/10 corruption",
    answer="corrupt",
    returns=("reads", "asked"),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
)
