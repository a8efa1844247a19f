"""An audit of every exercise, whose results are kept where git does not look."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from authoring.audits.reasons import reasons
from careful_io import replacing
from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.fingerprint import as_bytes
from transformer_checks.catalogue import CHECKS
from transformer_lesson.flash.interpret import use_interpreter

RESULTS = Path(__file__).parents[2] / "build" / "audits"


@dataclass(frozen=True)
class Report:
    """What an audit found in one exercise.

    Attributes:
        counts: how many of what were looked at, by what became of them.
        findings: what has to be mended, in words.
    """

    counts: dict[str, int]
    findings: list[str]


@dataclass(frozen=True)
class Audit:
    """What is done with each exercise.

    Attributes:
        name: of its module, of the file of its results, and of its part of ``reasons/``.
        seeds: the cases that it draws.
        examine: makes the report of one exercise.
        tried: what it tries on an exercise, beside the cases: texts.
    """

    name: str
    seeds: Sequence[int]
    examine: Callable[[str], Report]
    tried: Callable[[str], Sequence[str]] = lambda name: ()

    @property
    def path(self) -> Path:
        return RESULTS / f"{self.name}.json"

    def fingerprint(self, name: str) -> str:
        """Condense what the report of an exercise rests on: another one, and it is made again.

        These are the cases, the solution, how both are compared, and what is tried; no words that
        a learner reads.
        """
        check = CHECKS[name]
        cases = all_cases(check, self.seeds)
        compared = (check.answer, check.returns, check.rtol, check.atol, check.text.above)
        parts = (cases, check.text.text, compared, self.tried(name), reasons(self.name, name))
        digest = hashlib.sha256()
        for part in as_bytes(parts):
            digest.update(part + b"\0")
        return digest.hexdigest()[:16]

    def stored(self) -> dict[str, Report]:
        """The reports that still hold, by exercise."""
        return {
            name: Report(**kept["found"])
            for name, kept in self._all().items()
            if name in CHECKS and kept["of"] == self.fingerprint(name)
        }

    def run(self, names: Sequence[str], jobs: int) -> Iterator[tuple[str, Report]]:
        """Examine exercises in processes; yield each report, first those that are stored."""
        stored = self.stored()
        yield from ((name, stored[name]) for name in names if name in stored)
        missing = [name for name in names if name not in stored]
        with ProcessPoolExecutor(jobs, get_context("spawn"), start) as pool:
            for name, report in zip(missing, pool.map(self.examine, missing), strict=True):
                self._store(name, report)
                yield name, report

    def _all(self) -> dict[str, Any]:
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}

    def _store(self, name: str, report: Report) -> None:
        kept = self._all() | {name: {"of": self.fingerprint(name), "found": asdict(report)}}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path) as new:
            new.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def all_cases(check: Check, seeds: Sequence[int]) -> list[Case]:
    """The cases of an exercise with each of these seeds."""
    return [case for seed in seeds for case in check.cases(seed)]


def arguments(case: Case) -> dict[str, Value]:
    """The arguments of an answer, or of the constructor and the module, by name."""
    return {**case.inputs, **(case.build.config if case.build else {})}


def start() -> None:
    """Make a process ready to judge: Triton interpreted, one thread."""
    use_interpreter()
    torch.set_num_threads(1)  # the processes share the cores, and can be forked
