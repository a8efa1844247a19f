"""The right answers of an exercise as texts that can be changed."""

import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from authoring.mutation.mutate import Mutant, mutants
from authoring.styles import styles
from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.solutions import Answer, Solution, solution_of

# Some styles round as another machine does; what is left out of that is no mistake.
ROUNDING = " * (1 + 1e-6)"

_styles = cache(styles)


@dataclass(frozen=True)
class Source:
    """A right answer as text.

    Attributes:
        title: ``"the solution"``, or the name of a style.
        root: the function or class in the text that is the answer.
        solution: the text, and how to run it.
    """

    title: str
    root: str
    solution: Solution

    def mutants(self) -> list[Mutant]:
        """All its mutants."""
        return mutants(self.solution.text, self.root)


def solution(name: str) -> Source:
    """The solution as it stands in the notebook: a check may name another text for its slips."""
    check = CHECKS[name]
    text = solution_of(name, check.lesson, check.answer)
    return Source("the solution", check.answer, text)


def of_styles(name: str) -> list[Source]:
    """The right answers in other styles, each with the file that it stands in."""
    return [_of_style(name, number, one) for number, one in enumerate(_styles().get(name, ()))]


def right_answers(name: str) -> Sequence[Answer]:
    """The styles of an exercise, to be called."""
    return _styles().get(name, ())


def _of_style(name: str, number: int, style: Any) -> Source:
    inner = style.func if isinstance(style, partial) else style
    root = inner if inspect.isroutine(inner) or inspect.isclass(inner) else type(inner)
    file = inspect.getsource(sys.modules[root.__module__]).replace(ROUNDING, "")
    text = f"{file}\n\nANSWER = STYLES[{name!r}][{number}]\n"
    return Source(f"style {root.__name__}", root.__name__, Solution(name, "ANSWER", text))
