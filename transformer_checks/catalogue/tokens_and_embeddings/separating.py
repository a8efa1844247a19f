"""tokens.separating: the smallest word that two ways to cut words cut differently."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import redrawn

LARGEST_ID = 60


def _merges(generator: Generator, letters: int, count: int) -> tuple[list[int], list[list[int]]]:
    """Letters and merges with ids drawn by lot; no piece has more than three letters."""
    ids = torch.randperm(LARGEST_ID, generator=generator)[: letters + count].tolist()
    alphabet = sorted(ids[:letters])
    pieces, merges = {letter: [letter] for letter in alphabet}, list[list[int]]()

    def attempt() -> tuple[int, int] | None:
        parts = torch.randint(len(pieces), (2,), generator=generator)
        left, right = ([*pieces][part] for part in parts.tolist())
        made = pieces[left] + pieces[right]
        return (left, right) if len(made) <= 3 and made not in pieces.values() else None

    for new_id in ids[letters:]:
        left, right = redrawn(attempt)
        merges.append([left, right, new_id])
        pieces[new_id] = pieces[left] + pieces[right]
    return alphabet, merges


def _last_separates(generator: Generator) -> tuple[list[int], list[list[int]]]:
    """18 letters and 18 merges: only what is learned last, with the last letter, tells apart."""
    ids = torch.randperm(LARGEST_ID, generator=generator)[:36].tolist()
    letters = sorted(ids[:18])
    first, second, *others = letters
    pairs = [*zip(others, others, strict=True), (second, others[-1]), (first, second)]
    return letters, [[*pair, new_id] for pair, new_id in zip(pairs, ids[18:], strict=True)]


def _draw(generator: Generator) -> list[Case]:
    known: list[tuple[str, int, list[list[int]], int]] = [
        ("two merges that share a letter", 3, [[1, 2, 3], [0, 1, 4]], 3),
        ("two merges that share a letter, the other first", 3, [[0, 1, 3], [1, 2, 4]], 3),
        ("words of four letters too", 3, [[1, 2, 3], [0, 1, 4]], 4),
        ("letters in falling order", 3, [[1, 0, 3], [2, 1, 4]], 3),
        ("two words of three letters", 3, [[1, 2, 3], [0, 1, 4], [2, 1, 5]], 4),
        ("four letters at most", 2, [[0, 0, 2], [2, 0, 3]], 4),
        ("three letters at most", 2, [[0, 0, 2], [2, 0, 3]], 3),
        ("one letter, words of up to seven", 1, [[0, 0, 1], [1, 1, 2], [2, 0, 3]], 7),
        ("two pieces of three that overlap", 2, [[1, 1, 2], [0, 2, 3], [2, 0, 4]], 5),
        ("the longest piece is not the last", 3, [[1, 2, 3], [0, 3, 4], [0, 1, 5]], 4),
        ("a piece of four letters", 2, [[0, 1, 2], [2, 2, 3]], 5),
        ("the last word of four letters", 3, [[2, 2, 3], [3, 2, 4]], 4),
        ("no merges", 3, [], 3),
        ("words of one letter", 3, [[1, 2, 3], [0, 1, 4]], 1),
    ]
    cases = [
        _case(label, list(range(letters)), merges, longest)
        for label, letters, merges, longest in known
    ]
    cases.append(_case("one merge, ids that share a digit", [1, 11], [[11, 1, 2]], 4))
    for letters, count, longest in [(2, 3, 6), (3, 3, 5), (3, 5, 5), (4, 4, 4), (4, 7, 4)]:
        label = f"{letters} letters, {count} merges"
        cases.append(_case(label, *_merges(generator, letters, count), longest))
    threes_and_fours = [[0, 0, 2], [2, 0, 3], [2, 2, 4], [1, 1, 5], [5, 5, 6], [5, 1, 7]]
    doubled = [[0, 0, 1], [1, 1, 2], [2, 2, 3], [3, 3, 4], [4, 0, 5]]
    return [
        *cases,
        _case("one letter, words of up to 20", [0], doubled, 20),
        _case("18 letters, 18 merges", *_last_separates(generator), 3),
        _case(
            "ids of a large vocabulary",
            [128_000, 128_001],
            [[128_001, 128_000, 1], [128_000, 128_001, 2]],
            3,
        ),
        # Both are merges of merges, and one is longer: learned last of 0s, and first of 1s.
        _case("pieces of three and of four of each letter", [0, 1], threes_and_fours, 5),
        _case("pieces that share two letters", [0, 1, 2, 3], [[1, 2, 4], [4, 3, 5], [0, 4, 6]], 4),
    ]


def _case(label: str, letters: list[int], merges: list[list[int]], longest: int) -> Case:
    return Case(label, {"letters": letters, "merges": merges, "longest": longest})


CHECK = Check(
    name="tokens.separating",
    lesson="01_tokens_and_embeddings",
    title="The smallest input that separates two codes",
    answer="separating_word",
    returns=("word",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=18,
)
