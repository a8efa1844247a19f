"""positions.reach: how far beyond its training a model reads."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _answers(generator: Generator, texts: int, right: list[int]) -> Tensor:
    """Answers (texts, places) with so many right ones at each place; at the first place any.

    In which texts they are right is drawn by lot.
    """
    order = torch.rand(texts, 1 + len(right), generator=generator).argsort(0)
    first = torch.randint(texts + 1, (1,), generator=generator)
    return order < torch.cat([first, torch.tensor(right)])


def _draw(generator: Generator) -> list[Case]:
    def at_random(places: int, texts: int) -> list[int]:
        return torch.randint(texts // 6, texts + 1, (places,), generator=generator).tolist()

    def down(first: int, last: int) -> list[int]:  # each smaller margin reads further
        return [*range(first, last - 1, -1)]

    many = [*at_random(20, 60), 6, *at_random(9, 60), *down(5, 3), *at_random(6, 60)]
    # In texts of num_words words, how many right answers of so many texts count.
    sizes = [
        ("4 texts of 6 words, the last place lucky", 4, [4, 4, 3, 2, 4], 3, 4),
        ("4 texts of 5 words, the first new place not read", 4, [4, 1, 3, 1], 2, 5),
        (
            "16 words: 20 of 200 count, 19 do not",
            200,
            [180, 190, 120, 20, *down(19, 13), 40, 12],
            3,
            16,
        ),
        ("2 words: 41 of 64 count, 40 do not", 64, [60, 64, 63, 55, 41, *down(40, 33), 60], 4, 2),
        ("3 words: 24 of 50 count, 23 do not", 50, [40, 24, *down(23, 17), 11, 30], 1, 3),
        ("8 words: 7 of 23 count, 6 do not", 23, [20, 22, 7, *down(6, 3), 12], 2, 8),
        ("every new place read", 100, [10, 99, 100, 80, 50, 30], 3, 8),
        ("one new place", 30, [29, 30, 9], 3, 10),
        ("trained on one word", 300, [300, 250, 80, *down(40, 31), 10], 1, 10),
        ("one text of 16 words", 1, [0, 1, 1, 0, 1], 2, 16),
        ("seen places that are hard", 80, [11, 9, 77, 60, 31, 9, 9, 8, 7], 4, 12),
        ("8 new places, as they come", 60, at_random(8, 60), 3, 5),
        ("12 new places, as they come", 90, at_random(12, 90), 2, 7),
        ("18 seen places; 24 words: 6 of 60 count, 5 do not", 60, many, 18, 24),
        ("a new place far below chance", 64, [60, 58, 3, 60], 2, 2),
        (
            "300 texts, more right answers than fit into a byte",
            300,
            [300, 299, 270, *down(88, 76), 40, 90],
            2,
            4,
        ),
    ]
    return [
        Case(
            label,
            {
                "correct": _answers(generator, texts, right),
                "trained": trained,
                "num_words": num_words,
            },
        )
        for label, texts, right, trained, num_words in sizes
    ] + [
        Case(
            f"{texts} texts, every answer {right}",
            {"correct": torch.full((texts, 2), right), "trained": 1, "num_words": 8},
        )
        for texts, right in ((2, True), (4, False))
    ]


CHECK = Check(
    name="positions.reach",
    lesson="04_positional_encoding",
    title="How far does it read?",
    answer="reach",
    returns=("share", "length"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
