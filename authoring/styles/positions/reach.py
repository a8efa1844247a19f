"""positions.reach, in other styles."""

from fractions import Fraction
from itertools import takewhile

import numpy as np
import torch
from torch import Tensor


def place_by_place(correct: Tensor, trained: int, num_words: int) -> tuple[float, int]:
    texts, length = correct.shape
    chance = 1 / num_words
    bar = chance + 2 * (chance * (1 - chance) / texts) ** 0.5
    share = correct[:, trained:].float().mean().item()
    for place in range(trained, length):
        if correct[:, place].sum().item() / texts <= bar:
            return share, place
    return share, length


def in_numpy(correct: Tensor, trained: int, num_words: int) -> tuple[np.floating, int]:
    new = correct.numpy()[:, trained:]
    chance = 1.0 / num_words
    missed = new.mean(axis=0) - chance <= 2 * np.sqrt(chance - chance**2) / np.sqrt(len(new))
    first = int(np.argmax(missed)) if missed.any() else new.shape[1]
    return new.mean(), trained + first


def with_whole_numbers(correct: Tensor, trained: int, num_words: int) -> tuple[float, int]:
    """Counts compared squared, so that nothing is rounded."""
    texts = len(correct)
    counts = correct.int().sum(0).tolist()[trained:]

    def counts_as_read(right: int) -> bool:
        above = right * num_words - texts
        return above > 0 and above**2 > 4 * texts * (num_words - 1)

    read = len(list(takewhile(counts_as_read, counts)))
    return float(Fraction(sum(counts), texts * len(counts))), trained + read


def by_standard_scores(correct: Tensor, trained: int, num_words: int) -> list[Tensor]:
    chance = torch.tensor(1 / num_words, dtype=torch.float64)
    deviation = torch.sqrt(chance * (1 - chance) / correct.shape[0])
    new = correct.double()[:, trained:]
    scores = (new.mean(0) - chance) / deviation
    stopped = torch.cat([scores <= 2, torch.tensor([True])])
    return [new.mean(), stopped.int().argmax() + trained]


def text_by_text(correct: Tensor, trained: int, num_words: int) -> tuple[float, int]:
    rows = [row[trained:] for row in correct.tolist()]
    shares = [sum(place) / len(rows) for place in zip(*rows, strict=True)]
    chance = 1 / num_words
    bar, length = chance + 2 * (chance * (1 - chance) / len(rows)) ** 0.5, trained
    while length - trained < len(shares) and shares[length - trained] > bar:
        length += 1
    return sum(shares) / len(shares), length


def lowest_place_missed(correct: Tensor, trained: int, num_words: int) -> tuple[Tensor, int]:
    texts, places = correct.shape
    counts = torch.count_nonzero(correct, dim=0)[trained:]
    chance = 1 / num_words
    most = texts * chance + 2 * (texts * chance * (1 - chance)) ** 0.5
    missed = (counts <= most).nonzero().flatten() + trained
    share = counts.sum() / (texts * (places - trained))
    return share, min(missed.tolist(), default=places)


STYLES = {
    "positions.reach": (
        place_by_place,
        in_numpy,
        with_whole_numbers,
        by_standard_scores,
        text_by_text,
        lowest_place_missed,
    )
}
