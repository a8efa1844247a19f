"""Findings that say no more than what kind of argument it is: one reason for all exercises.

Which kind an argument is, its name says; the cases must agree, or the finding stands.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from authoring.audits.audit import all_cases, arguments
from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


@dataclass(frozen=True)
class Kind:
    """A kind of argument.

    Attributes:
        because: why what is found is no hole.
        names: arguments that are of this kind.
        holds: whether a value can be of it.
        found: what may be found of them, as a pattern of what follows the name.
    """

    because: str
    names: frozenset[str]
    holds: Callable[[Any], bool]
    found: str


def _between(low: float, high: float) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        if isinstance(value, Tensor):
            return bool(((value >= low) & (value <= high)).all())
        return all(map(holds, value)) if isinstance(value, list) else bool(low <= value <= high)

    return holds


def _kind(because: str, names: str, holds: Callable[[Any], bool], found: str) -> Kind:
    return Kind(because, frozenset(names.split()), holds, found)


KINDS = (
    _kind(
        "a share or a probability lies between 0 and 1",
        "smoothing beta beta1 beta2 top_p coin choose how random last p q weights",
        _between(0, 1),
        r" is (cut off at (0|±10)|at most 1)",
    ),
    _kind("an eps is small", "eps", _between(0, 1), " is at most 1"),
    _kind(
        "a sum of exponentials is 0 only where nothing was seen, where its factor is 0 as well, or "
        "it holds the exponential of its maximum, which is 1",
        "total total_a total_b",
        _between(0, float("inf")),
        r" is (cut off at 0|never exactly 0|0 below 0\.001)",
    ),
    _kind(
        "any start of a generator is as good as another",
        "seed",
        lambda value: isinstance(value, int),
        r" is (always -?\d+|at most 16|never 1)",
    ),
    _kind(
        "the size of a tile changes no result",
        "tile tile_queries tile_keys",
        lambda value: isinstance(value, int),
        r" is (always \d+|at most 16|tile_\w+)",
    ),
    _kind(
        "it is one of a few names that the exercise gives",
        "norm activation pool",
        lambda value: isinstance(value, str) and value.isidentifier() and value.islower(),
        " (has at most 16 letters|is in lower case|has single spaces)",
    ),
    _kind(
        "a text has a token at least",
        "source_lengths target_lengths limits",
        _between(1, float("inf")),
        " holds no 0",
    ),
    _kind(
        "nothing stands twice in it",
        "words merges letters kept",
        lambda value: all(one not in value[:at] for at, one in enumerate(value)),
        " has (each entry once|a tie in no case)",
    ),
    _kind(
        "with a vocabulary of one word there is nothing to predict",
        "logits p q",
        lambda value: value.shape[-1] > 1,
        r"\.shape\[-1\] is 1 in no case",
    ),
)


def not_of_kind(check: Check, seeds: Iterable[int], found: Iterable[str]) -> Iterator[str]:
    """The findings that no kind explains."""
    cases = all_cases(check, [*seeds])
    for words in found:
        if not _explained(words, cases):
            yield words


def _explained(words: str, cases: list[Case]) -> bool:
    name, rest = re.fullmatch(r"(\w*)(.*)", words).groups()  # type: ignore[union-attr]
    values = [given[name] for given in map(arguments, cases) if name in given]
    if axis := re.fullmatch(
        r" is (?:0 from index 16|read at index 0) of axis (-\d+)( alone| on)", rest
    ):
        # That it never varies is found by the audit of inputs.
        sizes = {value.shape[int(axis[1])] for value in values if isinstance(value, Tensor)}
        return len(sizes) == 1 and max(sizes) <= (1 if axis[2] == " alone" else 16)
    return any(
        name in kind.names and re.fullmatch(kind.found, rest) and all(map(kind.holds, values))
        for kind in KINDS
    )
