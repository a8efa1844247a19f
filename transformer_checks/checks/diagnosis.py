"""Say what is wrong: a known mistake, or what the numbers show.

A mistake is named only where it explains every case. Where it explains a part of them, the words
are "in this case it looks as if …", and the case is shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from transformer_checks.checks import probes
from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.compare import different, given_by, outcome_of, right, same
from transformer_checks.checks.exercise import Check, Repair, Slip
from transformer_checks.checks.shown import is_small


@dataclass(frozen=True)
class Finding:
    """What a learner is told.

    Attributes:
        says: what is wrong, in one sentence.
        lead: what to try next.
        slip: handle of the known mistake that explains everything; empty if none does.
    """

    says: str
    lead: str
    slip: str = ""


@dataclass(frozen=True)
class Evidence:
    """All that is known of an answer that is wrong in some case."""

    check: Check
    cases: Sequence[Case]
    outcomes: Sequence[Outcome]
    expected: Sequence[Outcome]

    @cached_property
    def wrong(self) -> list[int]:
        """The cases that went wrong, by number."""
        pairs = zip(self.outcomes, self.expected, strict=True)
        return [i for i, pair in enumerate(pairs) if not right(self.check, *pair)]

    @cached_property
    def shown(self) -> int:
        """The first wrong case, or the first one like it whose numbers can all be shown."""
        first = self.wrong[0]
        answered = self.outcomes[first].answered
        alike = (i for i in self.wrong if self.outcomes[i].answered == answered)
        return next((i for i in alike if is_small(self.cases[i])), first)

    @property
    def different(self) -> list[str]:
        """Names of the values that are wrong in the case shown."""
        return different(self.check, self.outcomes[self.shown], self.expected[self.shown])

    def explains(self, slip: Slip, cases: Iterable[int]) -> bool:
        """Whether a slip gives what the answer gave in these cases; it is run in no others."""
        return all(self._alike(slip, index) for index in cases)

    def explained(self, slip: Slip, cases: Iterable[int]) -> set[int]:
        """Those of the cases in which a slip gives what the answer gave."""
        return {index for index in cases if self._alike(slip, index)}

    def _alike(self, slip: Slip, index: int) -> bool:
        return same(
            self.check, outcome_of(self.check, slip, self.cases[index]), self.outcomes[index]
        )


def known_slip(evidence: Evidence) -> Finding | None:
    """The mistake that explains every case; else the one that explains most of those gone wrong.

    The latter must be right wherever the answer is, and give what the answer gave in the case shown
    and in half of the wrong ones. If another mistake explains all the rest, both are told.
    """
    wrong, shown = set(evidence.wrong), evidence.shown
    passed = [index for index in range(len(evidence.cases)) if index not in wrong]
    if not any(map(_has_numbers, evidence.outcomes)):
        return None
    slips = evidence.check.slips
    parts = [slip for slip in slips if evidence.explains(slip, [shown, *passed])]
    for slip in parts:
        if evidence.explains(slip, wrong):
            return Finding(slip.says, slip.lead, slip.name)
    if not parts or not _telling(evidence.outcomes[shown]):
        return None
    best = max(parts, key=lambda slip: len(evidence.explained(slip, wrong)))
    rest = wrong - evidence.explained(best, wrong)
    left = [*sorted(rest), *passed]
    telling = [index for index in sorted(rest) if _telling(evidence.outcomes[index])]
    # What a single number agrees with may be chance.
    numbers = sum(v.numel() for i in telling for v in evidence.outcomes[i].values.values())
    other = next((slip for slip in slips if numbers > 1 and evidence.explains(slip, left)), None)
    if other:
        label = evidence.cases[telling[0]].label
        says = f"in this case it looks as if {best.says}; with {label}, as if {other.says}"
        return Finding(says, best.lead)
    if 2 * len(rest) > len(wrong):
        return None
    return Finding(f"in this case it looks as if {best.says}", best.lead)


def _has_numbers(outcome: Outcome) -> bool:
    """Whether any number is finite: an answer of errors and NaN alone may be any mistake."""
    values = [value.double() for value in outcome.values.values()]
    return outcome.answered and any(not v.numel() or v.isfinite().any() for v in values)


def _telling(outcome: Outcome) -> bool:
    """Whether there are numbers: in NaN and errors many mistakes look alike."""
    values = outcome.values.values()
    return outcome.answered and all(value.double().isfinite().all() for value in values)


def measured(evidence: Evidence) -> tuple[str, Finding]:
    """Which value shows that something is wrong, and what can be said of its numbers."""
    check, wrong = evidence.check, evidence.different
    case = evidence.cases[evidence.shown]
    if exchanged := _exchanged(evidence):
        return exchanged
    for name in wrong:
        samples = {i: _sample(evidence, i, name) for i in evidence.wrong}
        others = [sample for sample in samples.values() if sample]
        found = {
            i: sample and probes.diagnose(name, *sample, others) for i, sample in samples.items()
        }
        if one := found[evidence.shown]:
            # What holds in the wrong cases alone is not so where the answer is right.
            always = all(other == one for other in found.values()) and not _right(evidence, name)
            return name, Finding(one[0] if always else f"in this case {one[0]}", one[1])
    passed = [i for i in _right(evidence, wrong[0]) if i < evidence.shown]
    label, number = case.label, len(evidence.cases)
    if passed:
        beside = evidence.cases[passed[-1]].label
        says = f"{probes.named(wrong[0])} is right with {beside}, and wrong with {label}"
        return wrong[0], Finding(says, "What does the second case have that the first has not?")
    every = "in every case" if len(evidence.wrong) == number else f"with {label}"
    lead = f"Work through this case by hand: {label}."
    if wrong[0].startswith("gradient of"):
        lead = "Is a part of the way to the result cut off (.detach(), .data, no_grad)?"
    if right_ones := " and ".join(map(probes.named, _always_right(evidence))):
        return wrong[0], Finding(f"{probes.named(wrong[0])} is wrong, and {right_ones} right", lead)
    return wrong[0], Finding(f"{probes.named(wrong[0])} of `{check.answer}` is wrong {every}", lead)


def _right(evidence: Evidence, name: str) -> list[int]:
    """The cases that ask for a value and are answered rightly."""
    asked = (i for i, outcome in enumerate(evidence.expected) if name in outcome.values)
    return [i for i in asked if i not in evidence.wrong]


def _always_right(evidence: Evidence) -> list[str]:
    """Results that are right in every case that gave any."""
    pairs = zip(evidence.outcomes, evidence.expected, strict=True)
    wrong = {
        name
        for one, other in pairs
        if one.answered
        for name in different(evidence.check, one, other)
    }
    return [name for name in evidence.check.returns if name not in wrong]


def _exchanged(evidence: Evidence) -> tuple[str, Finding] | None:
    """Two values of which each is what the other should be, in every wrong case."""
    names = [name for name in evidence.check.returns if name in evidence.different]
    for one, other in combinations(names, 2):
        if all(_trade_places(evidence, index, one, other) for index in evidence.wrong):
            return one, Finding(
                f"{probes.named(one)} and {probes.named(other)} come back in each other's place",
                f"The exercise asks for {', '.join(evidence.check.returns)}, in this order.",
            )
    return None


def _trade_places(evidence: Evidence, index: int, one: str, other: str) -> bool:
    outcome, expected = evidence.outcomes[index], evidence.expected[index]
    pair = {one: expected.values[other], other: expected.values[one]}
    # An error, such as that of a value without a gradient, says nothing of the order.
    return not outcome.answered or not different(
        evidence.check, outcome, replace(expected, values=pair)
    )


def _sample(evidence: Evidence, index: int, name: str) -> probes.Sample | None:
    """What came back as a value in one case, what should have, and the case."""
    outcome, expected = evidence.outcomes[index], evidence.expected[index]
    if name not in outcome.values:
        return None
    return outcome.values[name], expected.values[name], evidence.cases[index]


def repaired(evidence: Evidence) -> str:
    """For handed-out code with planted mistakes: what holds already, and what still fails.

    Empty where the answer is not that code with some of its mistakes repaired.
    """
    repairs = evidence.check.repairs
    for size in range(len(repairs) + 1 if repairs else 0):
        for done in combinations(repairs, size):
            if _is_repaired_by(evidence, done):
                lines = [f"{'holds' if one in done else 'fails'}: {one.holds}" for one in repairs]
                return "\n".join(lines)
    return ""


def _is_repaired_by(evidence: Evidence, done: Sequence[Repair]) -> bool:
    answer, check = evidence.check.mended(done), evidence.check
    return all(
        same(check, given_by(answer, check, case), outcome)
        for case, outcome in zip(evidence.cases, evidence.outcomes, strict=True)
    )
