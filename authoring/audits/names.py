"""Mistakes that are named and were not made.

The wrong answers are mutants of the solution, mistakes of other exercises made in this one, and two
mistakes at once. A name is untrue where the mistake that it stands for gives, in a case that is
wrong, something else than the answer does; with other seeds, too, than the one it was told by. Of
two mistakes at once, the name of one is true: that mistake was made.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from authoring.audits.audit import Audit, Report
from authoring.audits.mutation import of_solution
from authoring.audits.own_process import apart
from authoring.audits.unnamed import BARE
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.compare import same
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.judge import is_right, judge
from notebook_judge.checks.reference import outcome_of
from notebook_judge.checks.solutions import Answer, Solution
from transformer_checks.catalogue import CHECKS

SEEDS = range(4)  # the first one is told by, as in a notebook
SECONDS = 1.0  # of processor time, for one call
PATIENCE = 60.0  # times as long by the clock: what is found must not hang on the machine's load
MOST_MUTANTS, MOST_PAIRS = 40, 10


@dataclass(frozen=True)
class _Wrong:
    """A wrong answer: its text, and the names of the slips of this exercise that are in it."""

    text: Solution
    made: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Told:
    status: str
    headline: str = ""
    name: str = ""
    against: tuple[str, ...] = ()


def wrong_answers(check: Check) -> dict[str, _Wrong]:
    """Wrong answers, and some right ones among the mutants, each with how it was made."""
    text = check.text
    chance = random.Random(check.name)
    made = of_solution(check)
    found = {
        f"mutant {mutant.change(text.text)}": _Wrong(replace(text, text=mutant.text))
        for mutant in chance.sample(made, min(MOST_MUTANTS, len(made)))
        if check.solution is None
    }
    for other in CHECKS.values():
        for slip in other.slips if other is not check else ():
            if edited := _edited(text, [slip]):
                found[f"{other.name}'s {slip.name!r}"] = _Wrong(edited)
    pairs = [*itertools.combinations(check.slips, 2)]
    for pair in chance.sample(pairs, min(MOST_PAIRS, len(pairs))):
        if edited := _edited(text, pair):
            names = [slip.name for slip in pair]
            found[" and ".join(map(repr, names))] = _Wrong(edited, frozenset(names))
    known = {text.text, *(text.edited(slip.edits).text for slip in check.slips)}
    return {title: answer for title, answer in found.items() if answer.text.text not in known}


def _edited(text: Solution, slips: Sequence[Slip]) -> Solution | None:
    """The text with all edits made; None where they do not fit."""
    try:
        for slip in slips:
            text = text.edited(slip.edits)
        compile(text.text, "a wrong answer", "exec")
    except (ValueError, SyntaxError):
        return None
    return text


def examine(name: str) -> Report:
    """Judge wrong answers to one exercise.

    Bare is what is told only that a value is wrong, and with which inputs. In a bug hunt nothing
    is, where each is also told what holds already and what still fails.
    """
    check = CHECKS[name]
    answers = wrong_answers(check)
    told = [*apart(partial(_told, check), [*answers.values()], _Told("lost"))]
    wrong = [one for one in told if one.status == "wrong"]
    named = sum(bool(one.name) for one in wrong)
    bare = sum(bool(BARE.search(one.headline)) for one in wrong if not check.repairs)
    untrue = [
        f"{title} is told {one.name!r}; not so with {', '.join(one.against)}"
        for title, one in zip(answers, told, strict=True)
        if one.against
    ]
    return Report({"wrong": len(wrong), "named": named, "bare": bare}, untrue)


def _told(check: Check, wrong: _Wrong) -> _Told:
    """Judge one answer as a notebook does, then see whether its name holds."""
    try:
        answer = wrong.text.run()
    except Exception:  # it does not even define the answer
        return _Told("error")
    cases = check.cases(SEEDS[0])
    returned: list[Outcome] = []
    for case in cases:
        returned.append(_called(check, answer, case))
        if returned[-1].timed_out:
            break
    verdict = judge(check, cases[: len(returned)], returned)
    named = [slip for slip in check.slips if slip.name in {verdict.slip} - wrong.made]
    against = [label for slip in named for label in _against(check, slip, answer)]
    return _Told(verdict.status, verdict.headline, verdict.slip, tuple(against))


def _against(check: Check, slip: Slip, answer: Answer) -> Iterator[str]:
    """The cases in which an answer is wrong, and not in the way of a slip."""
    seen = set[str]()
    for seed in SEEDS:
        for case in check.cases(seed):
            outcome = _called(check, answer, case)
            wrong = not is_right(check, case, outcome)
            if wrong and not same(check, outcome_of(check, slip, case), outcome):
                label = f"{case.label!r}" + (f" (seed {seed})" if seed else "")
                if case.label not in seen:
                    yield label
                seen.add(case.label)


def _called(check: Check, answer: Answer, case: Case) -> Outcome:
    return call(answer, case, check.returns, clock=Clock(SECONDS, PATIENCE))


def tried(name: str) -> list[str]:
    """The texts of the wrong answers to an exercise."""
    return [answer.text.text for answer in wrong_answers(CHECKS[name]).values()]


AUDIT = Audit("names", SEEDS, examine, tried)
