"""Wrong answers that no check notices: the solution, changed in one place at a time.

A mutant that passes is mended by a case that tells it from the solution; where the change is no
mistake, its reason is written in ``reasons/``.
"""

from dataclasses import replace
from functools import partial

from authoring.audits.audit import Audit, Report, all_cases
from authoring.audits.equivalents import same
from authoring.audits.mutants import Mutant, mutants
from authoring.audits.own_process import apart
from authoring.audits.reasons import reasons, unexplained
from notebook_judge.checks.calls import call
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import is_right
from notebook_judge.checks.solutions import Solution, solution_of
from transformer_checks.catalogue import CHECKS

SEEDS = range(5)
SECONDS = 3.0  # for one call


def solution(check: Check) -> Solution:
    """The solution as it stands in the notebook: a check may name another text for its slips."""
    return solution_of(check.name, check.lesson, check.answer)


def of_solution(check: Check) -> list[Mutant]:
    """All mutants of the solution of an exercise."""
    return mutants(solution(check).text, check.answer)


def passes(check: Check, text: Solution, mutant: Mutant) -> bool:
    """Whether a mutant gives what it should with every seed."""
    try:
        answer = replace(text, text=mutant.text).run()
    except Exception:  # it does not even define the answer
        return False
    return all(
        is_right(check, case, call(answer, case, check.returns, clock=Clock(SECONDS)))
        for seed in SEEDS
        for case in check.cases(seed)
    )


def examine(name: str) -> Report:
    """Judge the mutants of one exercise."""
    check = CHECKS[name]
    for case in all_cases(check, SEEDS):  # once, for all processes that are forked from this one
        assert is_right(check, case, call(check.right, case, check.returns))
    text, made = solution(check), of_solution(check)
    judged = apart(partial(passes, check, text), made, False)
    passing = [mutant for mutant, passed in zip(made, judged, strict=True) if passed]
    others = {mutant.change(text.text) for mutant in passing if not same(check, mutant)}
    # Of an open exercise whatever reaches the last mark is a right answer.
    findings = [] if check.rubric else unexplained(others, reasons("mutation", name))
    counts = {"noticed": len(made) - len(passing), "do the same": len(passing) - len(others)}
    return Report(counts | {"not": len(others)}, findings)


def tried(name: str) -> list[str]:
    """The texts of the mutants of an exercise."""
    return [mutant.text for mutant in of_solution(CHECKS[name])]


AUDIT = Audit("mutation", SEEDS, examine, tried)
