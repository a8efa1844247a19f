"""Judge the mutants of an exercise's solution: which are noticed, and which pass."""

import hashlib
import inspect
import json
import os
import resource
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import torch

from authoring.mutation import mutate
from authoring.mutation.mutate import Mutant, mutants
from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.calls import call
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import is_right
from transformer_checks.checks.solutions import Solution, solution_of
from transformer_lesson.files import replacing
from transformer_lesson.flash.interpret import use_interpreter

SEEDS = 5
SECONDS = 3.0  # for one call
PATIENCE = 60.0  # for all calls together
MEMORY = 6 * 2**30
EQUIVALENTS = Path(__file__).parent / "equivalents"
KEPT = Path(__file__).resolve().parents[2] / ".mutation.json"


@dataclass(frozen=True)
class Report:
    """What became of the mutants of one exercise.

    Attributes:
        exercise: its name.
        of: condenses what they were made of and judged by.
        killed: how many were noticed.
        equivalent: how many pass and are listed as no mistakes.
        survived: those that pass and should not, as ``Mutant.change`` names them.
        stale: entries of the list of equivalents that no mutant answers to.
    """

    exercise: str
    of: str
    killed: int
    equivalent: int
    survived: list[str]
    stale: list[str]


def survives(check: Check, solution: Solution, mutant: Mutant) -> bool:
    """Whether a mutant passes with every seed.

    It runs in a process of its own, because it may loop for ever or destroy the memory.
    """
    process = get_context("fork").Process(target=_judge, args=(check, solution, mutant))
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0


def _judge(check: Check, solution: Solution, mutant: Mutant) -> None:
    """Exit with 0 if a mutant passes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - NumPy warns of what mutants divide by
    answer = replace(solution, text=mutant.text).run()
    passed = all(
        is_right(check, case, call(answer, case, check.returns, seconds=SECONDS))
        for seed in range(SEEDS)
        for case in check.cases(seed)
    )
    sys.exit(0 if passed else 1)


def examine(name: str) -> Report:
    """Judge all mutants of one exercise."""
    check = CHECKS[name]
    # As it stands in the notebook: an exercise may name another text for its slips to edit.
    solution = solution_of(name, check.lesson, check.answer)
    original = solution.text
    for seed in range(SEEDS):  # once, for all processes that are forked from this one
        for case in check.cases(seed):
            assert is_right(check, case, call(check.right, case, check.returns))
    known = equivalents(name)
    made = mutants(original, check.answer)
    passing = {
        mutant.change(original): mutant for mutant in made if survives(check, solution, mutant)
    }
    survived = [change for change in passing if change not in known]
    stale = [change for change in known if change not in passing]
    killed = len(made) - len(passing)
    return Report(name, fingerprint(name), killed, len(passing) - len(survived), survived, stale)


def equivalents(name: str) -> dict[str, str]:
    """Return the changes to an exercise's solution that make no mistake, each with its reason."""
    path = EQUIVALENTS / f"{CHECKS[name].lesson}.toml"
    return dict(_listed(path).get(name, {})) if path.exists() else {}


@cache
def _listed(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def fingerprint(name: str) -> str:
    """Condense what the mutants of an exercise are made of and judged by."""
    check = CHECKS[name]
    drawn_by = inspect.getsource(sys.modules[check.draw.__module__])
    solution = solution_of(name, check.lesson, check.answer)
    parts = (solution.text, solution.above, drawn_by, inspect.getsource(mutate), str(SEEDS))
    return hashlib.sha256("\0".join([*parts, str(equivalents(name))]).encode()).hexdigest()[:16]


def examine_all(names: Sequence[str], jobs: int) -> Iterator[Report]:
    """Examine exercises in processes; yield each report, those that are kept first.

    A report is kept as soon as it is made, so that a run that was stopped goes on.
    """
    kept = {report.exercise: report for report in _kept()}
    known = [n for n in names if n in kept and kept[n].of == fingerprint(n)]
    yield from (kept[name] for name in known)
    missing = [name for name in names if name not in known]
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start) as pool:
        for report in pool.map(examine, missing):
            kept[report.exercise] = report
            with replacing(KEPT) as new:
                new.write_text(json.dumps([asdict(one) for one in kept.values()], indent=1))
            yield report


def _kept() -> list[Report]:
    if not KEPT.exists():
        return []
    return [Report(**fields) for fields in json.loads(KEPT.read_text(encoding="utf-8"))]


def _start() -> None:
    use_interpreter()
    torch.set_num_threads(1)  # the processes share the cores, and can be forked
