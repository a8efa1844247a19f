"""One answer, and all that is known of it: cases, what came back, what should have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.compare import comparable, different, right, same
from notebook_judge.checks.counterexample import can_be_shown
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.reference import outcome_of, reference


@dataclass(frozen=True)
class Attempt:
    """An answer that was called; cases are known by their number."""

    check: Check
    cases: Sequence[Case]
    outcomes: Sequence[Outcome]
    expected: Sequence[Outcome]

    @classmethod
    def at(cls, check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> "Attempt":
        """Put beside the outcomes, one for each case, what was expected."""
        expected = [reference(check, case) for case in cases]
        pairs = zip(outcomes, expected, strict=True)
        return cls(check, cases, [comparable(*pair) for pair in pairs], expected)

    @cached_property
    def wrong(self) -> list[int]:
        """The cases that went wrong."""
        pairs = zip(self.outcomes, self.expected, strict=True)
        return [i for i, pair in enumerate(pairs) if not right(self.check, *pair)]

    @cached_property
    def unsteady(self) -> int | None:
        """The first case in which the same call gave two results."""
        return next((i for i, outcome in enumerate(self.outcomes) if outcome.unsteady), None)

    @cached_property
    def shown(self) -> int:
        """The first wrong case, or the first one like it whose numbers can all be shown."""
        return (self.showable or self.wrong)[0]

    @cached_property
    def showable(self) -> list[int]:
        """The wrong cases like the first one whose numbers can all be shown."""
        answered = self.outcomes[self.wrong[0]].answered
        alike = (i for i in self.wrong if self.outcomes[i].answered == answered)
        return [i for i in alike if can_be_shown(self.cases[i])]

    def different(self, index: int) -> list[str]:
        """Names of the values that are wrong in a case."""
        return different(self.check, self.outcomes[index], self.expected[index])

    def explains(self, slip: Slip, cases: Iterable[int]) -> bool:
        """Whether a slip gives what the answer gave in these cases; it is run in no others."""
        return all(self._alike(slip, index) for index in cases)

    def explained(self, slip: Slip, cases: Iterable[int]) -> set[int]:
        """Those of the cases in which a slip gives what the answer gave."""
        return {index for index in cases if self._alike(slip, index)}

    def _alike(self, slip: Slip, index: int) -> bool:
        given = outcome_of(self.check, slip, self.cases[index])
        return same(self.check, given, self.outcomes[index])
