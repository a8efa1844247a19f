"""Judge the mutants of an exercise's solution: which are noticed, and which pass."""

import inspect
import tomllib
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from authoring.audits.apart import apart
from authoring.audits.each import Audit, condensed, drawn_by
from authoring.audits.sources import Source, solution
from authoring.mutation import mutate
from authoring.mutation.mutate import Mutant
from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.calls import call
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import is_right

SEEDS = 5
SECONDS = 3.0  # for one call
EQUIVALENTS = Path(__file__).parent / "equivalents"


@dataclass(frozen=True)
class Report:
    """What became of the mutants of one exercise.

    Attributes:
        killed: how many were noticed.
        equivalent: how many pass and are listed as no mistakes.
        survived: those that pass and should not, as ``Mutant.change`` names them.
        stale: entries of the list of equivalents that no mutant answers to.
    """

    killed: int
    equivalent: int
    survived: list[str]
    stale: list[str]


def passes(check: Check, source: Source, mutant: Mutant) -> bool:
    """Whether a mutant gives what it should with every seed."""
    try:
        answer = replace(source.solution, text=mutant.text).run()
    except Exception:  # it does not even define the answer
        return False
    return all(
        is_right(check, case, call(answer, case, check.returns, seconds=SECONDS))
        for seed in range(SEEDS)
        for case in check.cases(seed)
    )


def examine(name: str) -> Report:
    """Judge the mutants of one exercise."""
    check = CHECKS[name]
    for seed in range(SEEDS):  # once, for all processes that are forked from this one
        for case in check.cases(seed):
            assert is_right(check, case, call(check.right, case, check.returns))
    known = equivalents(name)
    source = solution(name)
    made = source.mutants()
    judged = apart(partial(passes, check, source), made, False)
    passing = {
        mutant.change(source.solution.text)
        for mutant, passed in zip(made, judged, strict=True)
        if passed
    }
    # Of an open exercise whatever reaches the last mark is a right answer.
    survived = [] if check.rubric else sorted(passing - known.keys())
    stale = [change for change in known if change not in passing]
    return Report(len(made) - len(passing), len(passing) - len(survived), survived, stale)


def equivalents(name: str) -> dict[str, str]:
    """Return the changes to an exercise's answers that make no mistake, each with its reason."""
    path = EQUIVALENTS / f"{CHECKS[name].lesson}.toml"
    return dict(_listed(path).get(name, {})) if path.exists() else {}


@cache
def _listed(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def fingerprint(name: str) -> str:
    """Condense what the mutants of an exercise are made of and judged by."""
    made_by = (inspect.getsource(mutate), SEEDS)
    return condensed(solution(name), *made_by, drawn_by(CHECKS[name]), equivalents(name))


AUDIT = Audit("mutation", Report, examine, fingerprint)
