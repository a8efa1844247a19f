"""Words of a few letters as lists of ids."""

import torch
from torch import Generator


def alphabet(generator: Generator, letters: str, largest: int = 40) -> dict[str, int]:
    """Give each letter an id; the order of the ids is that of ``letters``."""
    drawn = torch.randperm(largest, generator=generator)[: len(letters)].sort().values
    return dict(zip(letters, drawn.tolist(), strict=True))


def spell(word: str, ids: dict[str, int]) -> list[int]:
    """The ids of a word's letters."""
    return [ids[letter] for letter in word]


def random_word(generator: Generator, shortest: int, longest: int, letters: int) -> list[int]:
    """A word of ids below ``letters``."""
    length = int(torch.randint(shortest, longest + 1, (1,), generator=generator))
    return torch.randint(letters, (length,), generator=generator).tolist()
