"""The right answers of an exercise: the solution as a text that can be changed, and the styles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from authoring.mutation.mutate import Mutant, mutants
from authoring.styles import styles
from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.solutions import Answer, Solution, solution_of

_styles = cache(styles)


@dataclass(frozen=True)
class Source:
    """A right answer as text.

    Attributes:
        root: the function or class in the text that is the answer.
        solution: the text, and how to run it.
    """

    root: str
    solution: Solution

    def mutants(self) -> list[Mutant]:
        """All its mutants."""
        return mutants(self.solution.text, self.root)


def solution(name: str) -> Source:
    """The solution as it stands in the notebook: a check may name another text for its slips."""
    check = CHECKS[name]
    text = solution_of(name, check.lesson, check.answer)
    return Source(check.answer, text)


def right_answers(name: str) -> Sequence[Answer]:
    """The styles of an exercise, to be called."""
    return _styles().get(name, ())
