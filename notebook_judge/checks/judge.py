"""Compare what came back with what should have, and name the first thing that is wrong.

The judge is pure: cases and outcomes in, a verdict out. It runs no learner's code, so the same
judge serves the notebook and the grader.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from notebook_judge.checks import counterexample
from notebook_judge.checks.attempt import Attempt
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.compare import comparable, right
from notebook_judge.checks.diagnosis import Finding, known_slip, left, measured, repaired
from notebook_judge.checks.errors import in_words
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.modes import SETS_SEED, neutral
from notebook_judge.checks.reference import reference
from notebook_judge.checks.shortcuts import ELSEWHERE

TOO_MUCH = "Which step makes or computes more than it needs to?"
TOO_LITTLE = "The exercise asks for a way that takes more work. Which one?"

Status = Literal["passed", "wrong", "error", "timeout", "not allowed", "not attempted"]


@dataclass(frozen=True)
class Judgement:
    """What a learner or a teacher is told about one answer.

    Attributes:
        check: name of the exercise.
        status: the verdict in one word or two.
        points: what was earned.
        headline: the first thing that is wrong, in one sentence; empty if nothing is.
        lead: what to try next.
        slip: handle of the known mistake, empty if it is none.
        counterexample: the smallest case that shows it: inputs, expected, got.
    """

    check: str
    status: Status
    points: int = 0
    headline: str = ""
    lead: str = ""
    slip: str = ""
    counterexample: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"


@neutral()
def judge(check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Judgement:
    """Judge an answer by its outcomes.

    Args:
        check: the exercise.
        cases: what the answer was called with, the smallest first.
        outcomes: what came back, one for each case.
    """
    attempt = Attempt.at(check, cases, outcomes)
    for index in range(len(cases)):
        for look in _LOOKS:
            if verdict := look(attempt, index):
                return verdict
    said = [_points(attempt, 0)[1].says] if check.rubric else []
    if any(outcome.leaves == SETS_SEED for outcome in outcomes):
        said.append(f"the values are right; but `{check.answer}` {SETS_SEED}")
    return Judgement(check.name, "passed", points=check.points, headline="; ".join(said))


def _empty(attempt: Attempt, index: int) -> Judgement | None:
    check, outcome = attempt.check, attempt.outcomes[index]
    if not outcome.unanswered:
        return None
    nothing = bool(outcome.error)  # the stub raises; this one returned None
    if nothing and index:
        return Judgement(
            check.name,
            "wrong",
            headline=f"`{check.answer}` returned None with {attempt.cases[index].label}",
            lead="It returns something in other cases. Does every way through it end in a "
            "`return`?",
            counterexample=counterexample.inputs(attempt.cases[index]),
        )
    return Judgement(
        check.name,
        "not attempted",
        headline=f"not yet: `{check.answer}` "
        + ("returned None: is its `return` missing?" if nothing else "is still empty"),
        lead=f'Fill in `{check.answer}` above. `hint("{check.name}")` gives a nudge.',
    )


def _forbidden(attempt: Attempt, index: int) -> Judgement | None:
    answer, shortcuts = attempt.check.answer, attempt.outcomes[index].shortcuts
    if not shortcuts:
        return None
    lead = "The exercise says what is not allowed: it is what you are asked to build."
    if shortcuts[0] == ELSEWHERE:
        lead = f"What runs there cannot be checked: compute it in `{answer}` itself."
    headline = f"`{answer}` calls {shortcuts[0]}"
    return Judgement(attempt.check.name, "not allowed", headline=headline, lead=lead)


def _late(attempt: Attempt, index: int) -> Judgement | None:
    outcome = attempt.outcomes[index]
    if not outcome.timed_out:
        return None
    inputs = counterexample.inputs(attempt.cases[index])
    return Judgement(
        attempt.check.name,
        "timeout",
        headline=f"`{attempt.check.answer}` gave no result within the time limit",
        lead="Is there a loop that never ends, or one over every single number?",
        counterexample="\n".join(filter(None, [outcome.error, inputs])),
    )


def _unsteady(attempt: Attempt, index: int) -> Judgement | None:
    """Of an answer that is left to chance, wrong numbers would be another story each time."""
    if attempt.unsteady is None:
        return None
    if index != attempt.unsteady and not (
        attempt.outcomes[index].answered and index in attempt.wrong
    ):
        return None
    return _misbehaves(
        attempt,
        attempt.unsteady,
        "called again with the same inputs gives another result",
        "What does it keep from call to call, leave to chance (dropout?), or never fill "
        "(torch.empty)?",
        "second call differs",
    )


def _wrong(attempt: Attempt, index: int) -> Judgement | None:
    return _explain(attempt) if index in attempt.wrong else None


def _overwrites(attempt: Attempt, index: int) -> Judgement | None:
    changed = attempt.outcomes[index].changed
    if not changed:
        return None
    does = f"changed its input `{changed[0]}` in place"
    lead = "The caller still needs it as it was. Make a new one instead."
    return _misbehaves(attempt, index, does, lead, "writes into its input")


def _leaves(attempt: Attempt, index: int) -> Judgement | None:
    behind = attempt.outcomes[index].leaves
    if behind in ("", SETS_SEED):  # a habit that many are taught, and wrong in no number
        return None
    lead = "The values are right. What is computed after this call must not depend on it."
    return _misbehaves(attempt, index, behind, lead, "leaves something behind")


def _misbehaves(attempt: Attempt, index: int, does: str, lead: str, slip: str) -> Judgement:
    """The verdict on an answer that does something beside what it returns."""
    return Judgement(
        attempt.check.name,
        "wrong",
        headline=f"`{attempt.check.answer}` {does}",
        lead=lead,
        slip=slip,
        counterexample=counterexample.inputs(attempt.cases[index]),
    )


# What is looked for in each case, the first first.
_LOOKS = (_empty, _forbidden, _late, _unsteady, _wrong, _overwrites, _leaves)


def is_right(check: Check, case: Case, outcome: Outcome) -> bool:
    """Whether one call gave what it should, and did nothing that it should not."""
    expected = reference(check, case)
    leaves = outcome.leaves not in ("", SETS_SEED)
    amiss = outcome.unsteady or outcome.shortcuts or outcome.changed or leaves
    return not amiss and right(check, comparable(outcome, expected), expected)


def _points(attempt: Attempt, index: int) -> tuple[int, Finding]:
    """What a rubric gives for what it measures, and what the next level needs, in words."""
    rubric = attempt.check.rubric
    assert rubric
    value = rubric.measure(attempt.outcomes[index].values, attempt.expected[index].values)
    points = rubric.points(value)
    words = f"{rubric.unit} {value:.1f}: {points} of {attempt.check.points} points"
    return points, Finding(words, rubric.next(value))


def _explain(attempt: Attempt) -> Judgement:
    check, mended = attempt.check, repaired(attempt)
    broken = None if mended is None else left(attempt, mended)
    found = known_slip(attempt) or broken or _symptom(attempt)
    shown = attempt.outcomes[attempt.shown]
    measures = check.rubric and not (shown.error or shown.too_much)
    index = attempt.shown if found.case is None else found.case
    case, outcome, expected = attempt.cases[index], attempt.outcomes[index], attempt.expected[index]
    example = [f"holds: {one.holds}" for one in mended or ()] + [counterexample.inputs(case)]
    if outcome.answered and not measures:
        if wrong := found.value or next(iter(attempt.different(index)), ""):
            example.append(counterexample.difference(check, wrong, outcome, expected))
        elif outcome.too_much:
            example += _limits(case)
    return Judgement(
        check.name,
        "error" if outcome.error else "wrong",
        points=_points(attempt, attempt.shown)[0] if measures else 0,
        headline=found.says,
        lead=found.lead,
        slip=found.slip,
        counterexample="\n".join(filter(None, example)),
    )


def _symptom(attempt: Attempt) -> Finding:
    """What can be said where no known mistake explains the answer."""
    check, outcome = attempt.check, attempt.outcomes[attempt.shown]
    if outcome.error:
        return Finding(*in_words(check, attempt.cases[attempt.shown], outcome.error))
    if check.rubric and not outcome.too_much:
        return _points(attempt, attempt.shown)[1]
    if not check.rubric and attempt.different(attempt.shown):
        return measured(attempt)
    right = "" if check.rubric else "The values are right. "
    lead = TOO_LITTLE if "fewer" in outcome.too_much else TOO_MUCH
    return Finding(f"`{check.answer}` {outcome.too_much}", right + lead)


def _limits(case: Case) -> list[str]:
    """What a case allows; nothing where a forged outcome speaks of limits that it has not."""
    limits = ((case.most_numbers, "numbers"), (case.most_products, "multiplications"))
    allowed = [f"allowed: {most:,} {what}" for most, what in limits if most is not None]
    least = [f"asked for: at least {case.least_products:,}"] if case.least_products else []
    return allowed + least
