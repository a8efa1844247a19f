from fractions import Fraction
from itertools import takewhile

import torch


def with_whole_numbers(correct, trained, num_words):
    """Counts compared squared, so that nothing is rounded."""
    texts = len(correct)
    counts = correct.int().sum(0).tolist()[trained:]

    def counts_as_read(right):
        above = right * num_words - texts
        return above > 0 and above**2 > 4 * texts * (num_words - 1)

    read = len(list(takewhile(counts_as_read, counts)))
    return float(Fraction(sum(counts), texts * len(counts))), trained + read


def by_standard_scores(correct, trained, num_words):
    chance = torch.tensor(1 / num_words, dtype=torch.float64)
    deviation = torch.sqrt(chance * (1 - chance) / correct.shape[0])
    new = correct.double()[:, trained:]
    scores = (new.mean(0) - chance) / deviation
    stopped = torch.cat([scores <= 2, torch.tensor([True])])
    return [new.mean(), stopped.int().argmax() + trained]


def text_by_text(correct, trained, num_words):
    rows = [row[trained:] for row in correct.tolist()]
    shares = [sum(place) / len(rows) for place in zip(*rows, strict=True)]
    chance = 1 / num_words
    bar, length = chance + 2 * (chance * (1 - chance) / len(rows)) ** 0.5, trained
    while length - trained < len(shares) and shares[length - trained] > bar:
        length += 1
    return sum(shares) / len(shares), length


STYLES = {"positions.reach": (with_whole_numbers, by_standard_scores, text_by_text)}
