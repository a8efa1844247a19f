"""Compare what came back with what should have, and name the first thing that is wrong.

The judge is pure: cases and outcomes in, a verdict out. It runs no learner's code, so the same
judge serves the notebook and the grader.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from transformer_checks.checks import shown
from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.compare import different, reference, right
from transformer_checks.checks.diagnosis import Evidence, Finding, known_slip, measured, repaired
from transformer_checks.checks.errors import in_words
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.shortcuts import ELSEWHERE

TOO_MUCH = "Which step makes or computes more than it needs to?"

Status = Literal["passed", "wrong", "error", "timeout", "not allowed", "not attempted"]


@dataclass(frozen=True)
class Verdict:
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


def judge(check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """Judge an answer by its outcomes.

    Args:
        check: the exercise.
        cases: what the answer was called with, the smallest first.
        outcomes: what came back, one for each case.
    """
    expected = [reference(check, case) for case in cases]
    outcomes = [_plain(*pair) for pair in zip(outcomes, expected, strict=True)]
    # Of an answer that is left to chance, wrong numbers would be another story each time.
    unsteady = next((c for c, o in zip(cases, outcomes, strict=True) if o.unsteady), None)
    for index, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
        if outcome.unanswered:
            nothing = bool(outcome.error)  # the stub raises; this one returned None
            if nothing and index:
                return Verdict(
                    check.name,
                    "wrong",
                    headline=f"`{check.answer}` returned None with {case.label}",
                    lead="It returns something in other cases. Does every way through it end in a "
                    "`return`?",
                    counterexample=shown.inputs(case),
                )
            return Verdict(
                check.name,
                "not attempted",
                headline=f"not yet: `{check.answer}` "
                + ("returned None: is its `return` missing?" if nothing else "is still empty"),
                lead=f'Fill in `{check.answer}` above. `hint("{check.name}")` gives a nudge.',
            )
        if outcome.shortcuts:
            return Verdict(
                check.name,
                "not allowed",
                headline=f"`{check.answer}` calls {outcome.shortcuts[0]}",
                lead=f"What runs there cannot be checked: compute it in `{check.answer}` itself."
                if outcome.shortcuts[0] == ELSEWHERE
                else "The exercise says what is not allowed: it is what you are asked to build.",
            )
        if outcome.timed_out:
            return Verdict(
                check.name,
                "timeout",
                headline=f"`{check.answer}` gave no result within the time limit",
                lead="Is there a loop that never ends, or one over every single number?",
                counterexample="\n".join(filter(None, [outcome.error, shown.inputs(case)])),
            )
        wrong = outcome.answered and not right(check, outcome, expected[index])
        if unsteady and (case is unsteady or wrong):
            return Verdict(
                check.name,
                "wrong",
                headline=f"`{check.answer}` called again with the same inputs gives another result",
                lead="What does it keep from call to call, leave to chance (dropout?), or never "
                "fill (torch.empty)?",
                slip="second call differs",
                counterexample=shown.inputs(unsteady),
            )
        if not right(check, outcome, expected[index]):
            return _explain(Evidence(check, cases, outcomes, expected))
        if outcome.changed:
            return Verdict(
                check.name,
                "wrong",
                headline=f"`{check.answer}` changed its input `{outcome.changed[0]}` in place",
                lead="The caller still needs it as it was. Make a new one instead.",
                slip="writes into its input",
                counterexample=shown.inputs(case),
            )
        if outcome.leaves:
            return Verdict(
                check.name,
                "wrong",
                headline=f"`{check.answer}` {outcome.leaves}",
                lead="The values are right. What is computed after this call must not depend on "
                "it.",
                slip="leaves something behind",
                counterexample=shown.inputs(case),
            )
    reached = _points(check, outcomes[0], expected[0])[1].says if check.rubric else ""
    return Verdict(check.name, "passed", points=check.points, headline=reached)


def _plain(outcome: Outcome, expected: Outcome) -> Outcome:
    """The outcome with either all the values that are compared, or none.

    What came back may have been forged: an error beside values, or values of other names.
    """
    if not outcome.answered:
        silent = not (outcome.error or outcome.unanswered or outcome.timed_out)
        error = "it gave no values" if silent else outcome.error
        return replace(outcome, values={}, error=error, too_much="")
    if outcome.values.keys() != expected.values.keys():
        return Outcome(error=f"it returned other values than {', '.join(expected.values)}")
    return outcome


def is_right(check: Check, case: Case, outcome: Outcome) -> bool:
    """Whether one call gave what it should, and did nothing that it should not."""
    expected = reference(check, case)
    amiss = outcome.unsteady or outcome.shortcuts or outcome.changed or outcome.leaves
    return not amiss and right(check, _plain(outcome, expected), expected)


def _points(check: Check, outcome: Outcome, expected: Outcome) -> tuple[int, Finding]:
    """What a rubric gives for what it measures, and what the next level needs, in words."""
    assert check.rubric
    value = check.rubric.measure(outcome.values, expected.values)
    points = check.rubric.points(value)
    words = f"{check.rubric.unit} {value:.1f}: {points} of {check.points} points"
    return points, Finding(words, check.rubric.next(value))


def _explain(evidence: Evidence) -> Verdict:
    check, case = evidence.check, evidence.cases[evidence.shown]
    outcome, expected = evidence.outcomes[evidence.shown], evidence.expected[evidence.shown]
    example, points = [shown.inputs(case)], 0
    if check.rubric and not outcome.error:
        points, found = _points(check, outcome, expected)
    elif outcome.error:
        found = Finding(*in_words(check, case, outcome.error))
    elif outcome.too_much and not different(check, outcome, expected):
        found = Finding(f"`{check.answer}` {outcome.too_much}", "The values are right. " + TOO_MUCH)
        example += _limits(case)
    else:
        name, found = measured(evidence)
        example.append(shown.difference(check, name, outcome, expected))
    found = known_slip(evidence) or found
    if report := repaired(evidence):
        example.insert(0, report)
    return Verdict(
        check.name,
        "error" if outcome.error else "wrong",
        points=points,
        headline=found.says,
        lead=found.lead,
        slip=found.slip,
        counterexample="\n".join(example),
    )


def _limits(case: Case) -> list[str]:
    """What a case allows; nothing where a forged outcome speaks of limits that it has not."""
    limits = ((case.most_numbers, "numbers"), (case.most_products, "multiplications"))
    return [f"allowed: {most:,} {what}" for most, what in limits if most is not None]
