"""Say what is wrong: a known mistake, or what the numbers show.

A mistake is named only where it explains every case. Where it explains a part of them, the words
are "in this case it looks as if …", and the case is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from torch import Tensor

from notebook_judge.checks import probes
from notebook_judge.checks.attempt import Attempt
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.common_factor import Sample, as_code
from notebook_judge.checks.compare import different, same
from notebook_judge.checks.exercise import Repair
from notebook_judge.checks.reference import given_by


@dataclass(frozen=True)
class Finding:
    """What a learner is told.

    Attributes:
        says: what is wrong, in one sentence.
        lead: what to try next.
        slip: handle of the known mistake that explains everything; empty if none does.
        case: number of the case in which it is best seen; None: the first one that is shown.
        value: name of the value that shows it; empty: the first one that is wrong.
    """

    says: str
    lead: str
    slip: str = ""
    case: int | None = None
    value: str = ""


def known_slip(attempt: Attempt) -> Finding | None:
    """The mistake that explains every case; else the one that explains most of those gone wrong.

    The latter must be right wherever the answer is, and give what the answer gave in the case shown
    and in half of the wrong ones. If another mistake explains all the rest, both are told.
    """
    wrong, shown = set(attempt.wrong), attempt.shown
    passed = [index for index in range(len(attempt.cases)) if index not in wrong]
    if not any(map(_has_numbers, attempt.outcomes)):
        return None
    slips = attempt.check.known_slips
    parts = [slip for slip in slips if attempt.explains(slip, [shown, *passed])]
    for slip in parts:
        if attempt.explains(slip, wrong):
            return Finding(slip.says, slip.lead, slip.name, _best_seen(attempt))
    if not parts or not _telling(attempt.outcomes[shown]):
        return None
    best = max(parts, key=lambda slip: len(attempt.explained(slip, wrong)))
    rest = wrong - attempt.explained(best, wrong)
    left = [*sorted(rest), *passed]
    telling = [index for index in sorted(rest) if _telling(attempt.outcomes[index])]
    # What a single number agrees with may be chance.
    numbers = sum(v.numel() for i in telling for v in attempt.outcomes[i].values.values())
    other = next((slip for slip in slips if numbers > 1 and attempt.explains(slip, left)), None)
    if other:
        label = attempt.cases[telling[0]].label
        says = f"in this case it looks as if {best.says}; with {label}, as if {other.says}"
        return Finding(says, best.lead)
    if 2 * len(rest) > len(wrong):
        return None
    return Finding(f"in this case it looks as if {best.says}", best.lead)


def _best_seen(attempt: Attempt) -> int:
    """The case that shows a mistake: of one token nobody sees what a mean was taken over."""
    several = (i for i in attempt.showable if not _has_one_row(attempt.cases[i]))
    return next(several, attempt.shown)


def _has_one_row(case: Case) -> bool:
    tensors = (value for value in case.inputs.values() if isinstance(value, Tensor))
    return any(t.is_floating_point() and t.dim() > 1 and t.shape[-2] == 1 for t in tensors)


def _has_numbers(outcome: Outcome) -> bool:
    """Whether any number is finite: an answer of errors and NaN alone may be any mistake."""
    values = [value.double() for value in outcome.values.values()]
    return outcome.answered and any(not v.numel() or v.isfinite().any() for v in values)


def _telling(outcome: Outcome) -> bool:
    """Whether there are numbers: in NaN and errors many mistakes look alike."""
    values = outcome.values.values()
    return outcome.answered and all(value.double().isfinite().all() for value in values)


def measured(attempt: Attempt) -> Finding:
    """What can be said of the numbers of a value that shows that something is wrong."""
    check, wrong = attempt.check, attempt.different(attempt.shown)
    case = attempt.cases[attempt.shown]
    if exchanged := _exchanged(attempt):
        return exchanged
    for name in wrong:
        samples = {i: _sample(attempt, i, name) for i in attempt.wrong}
        others = [sample for sample in samples.values() if sample]
        found = {
            i: sample and probes.diagnose(name, *sample, others) for i, sample in samples.items()
        }
        if one := found[attempt.shown]:
            # What holds in the wrong cases alone is not so where the answer is right.
            always = all(other == one for other in found.values()) and not _right(attempt, name)
            says = one[0] if always else f"in this case {one[0]}"
            return Finding(says, one[1], value=name)
    passed = [i for i in _right(attempt, wrong[0]) if i < attempt.shown]
    label, number = case.label, len(attempt.cases)
    if passed:
        beside = attempt.cases[passed[-1]].label
        says = f"{as_code(wrong[0])} is right with {beside}, and wrong with {label}"
        return Finding(says, "What does the second case have that the first has not?")
    every = "in every case" if len(attempt.wrong) == number else f"with {label}"
    lead = f"Work through this case by hand: {label}."
    if wrong[0].startswith("gradient of"):
        lead = "Is a part of the way to the result cut off (.detach(), .data, no_grad)?"
    if right_ones := " and ".join(map(as_code, _always_right(attempt))):
        return Finding(f"{as_code(wrong[0])} is wrong, and {right_ones} right", lead)
    return Finding(f"{as_code(wrong[0])} of `{check.answer}` is wrong {every}", lead)


def _right(attempt: Attempt, name: str) -> list[int]:
    """The cases that ask for a value and are answered rightly."""
    asked = (i for i, outcome in enumerate(attempt.expected) if name in outcome.values)
    return [i for i in asked if i not in attempt.wrong]


def _always_right(attempt: Attempt) -> list[str]:
    """Results that are right in every case that gave any."""
    pairs = zip(attempt.outcomes, attempt.expected, strict=True)
    wrong = {
        name
        for one, other in pairs
        if one.answered
        for name in different(attempt.check, one, other)
    }
    return [name for name in attempt.check.returns if name not in wrong]


def _exchanged(attempt: Attempt) -> Finding | None:
    """Two values of which each is what the other should be, in every wrong case."""
    names = [name for name in attempt.check.returns if name in attempt.different(attempt.shown)]
    for one, other in combinations(names, 2):
        if all(_trade_places(attempt, index, one, other) for index in attempt.wrong):
            return Finding(
                f"{as_code(one)} and {as_code(other)} come back in each other's place",
                f"The exercise asks for {', '.join(attempt.check.returns)}, in this order.",
                value=one,
            )
    return None


def _trade_places(attempt: Attempt, index: int, one: str, other: str) -> bool:
    outcome, expected = attempt.outcomes[index], attempt.expected[index]
    pair = {one: expected.values[other], other: expected.values[one]}
    # An error, such as that of a value without a gradient, says nothing of the order.
    return not outcome.answered or not different(
        attempt.check, outcome, replace(expected, values=pair)
    )


def _sample(attempt: Attempt, index: int, name: str) -> Sample | None:
    """What came back as a value in one case, what should have, and the case."""
    outcome, expected = attempt.outcomes[index], attempt.expected[index]
    if name not in outcome.values:
        return None
    return outcome.values[name], expected.values[name], attempt.cases[index]


def repaired(attempt: Attempt) -> tuple[Repair, ...] | None:
    """For handed-out code with planted mistakes: those that are mended, in an answer that is it."""
    repairs = attempt.check.known_repairs
    for size in range(len(repairs) + 1 if repairs else 0):
        for done in combinations(repairs, size):
            if _is_repaired_by(attempt, done):
                return done
    return None


def left(attempt: Attempt, done: Sequence[Repair]) -> Finding:
    """How many planted mistakes are left: which, is for the learner to find."""
    number = len(attempt.check.repairs)
    more = number - len(done)
    return Finding(
        f"{more} of the {number} mistakes {'is' if more == 1 else 'are'} left",
        f'Which probe finds the next? `hint("{attempt.check.name}")` leads on, a step at a time.',
    )


def _is_repaired_by(attempt: Attempt, done: Sequence[Repair]) -> bool:
    answer, check = attempt.check.mended(done), attempt.check
    return all(
        same(check, given_by(answer, check, case), outcome)
        for case, outcome in zip(attempt.cases, attempt.outcomes, strict=True)
    )
