"""Run an audit exercise by exercise: with progress, and going on where it was stopped."""

import argparse
import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from rich.console import Console
from rich.progress import Progress

from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.exercise import Check
from transformer_lesson.files import replacing
from transformer_lesson.flash.interpret import use_interpreter

RESULTS = Path(__file__).parent / "results"

Report = TypeVar("Report")


@dataclass(frozen=True)
class Audit(Generic[Report]):
    """What is done with each exercise.

    Attributes:
        name: of the file in ``results/``, and of the module that runs it.
        report: the class of its reports, whose fields JSON can hold.
        examine: makes the report of one exercise.
        fingerprint: condenses what the report of an exercise rests on: another one, and it is made
            again.
    """

    name: str
    report: Callable[..., Report]
    examine: Callable[[str], Report]
    fingerprint: Callable[[str], str]

    @property
    def path(self) -> Path:
        return RESULTS / f"{self.name}.json"

    def stored(self) -> dict[str, Report]:
        """The reports that still hold, by exercise."""
        return {
            name: self.report(**kept["found"])
            for name, kept in self._all().items()
            if name in CHECKS and kept["of"] == self.fingerprint(name)
        }

    def run(self, names: Sequence[str], jobs: int) -> Iterator[tuple[str, Report]]:
        """Examine exercises in processes; yield each report, first those that are stored."""
        stored = self.stored()
        yield from ((name, stored[name]) for name in names if name in stored)
        missing = [name for name in names if name not in stored]
        with ProcessPoolExecutor(jobs, get_context("spawn"), _start) as pool:
            for name, report in zip(missing, pool.map(self.examine, missing), strict=True):
                self._store(name, report)
                yield name, report

    def _all(self) -> dict[str, Any]:
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}

    def _store(self, name: str, report: Report) -> None:
        kept = self._all() | {name: {"of": self.fingerprint(name), "found": asdict(report)}}  # type: ignore[call-overload]
        in_order = {name: kept[name] for name in CHECKS if name in kept}
        with replacing(self.path) as new:
            new.write_text(json.dumps(in_order, indent=1, ensure_ascii=False) + "\n", "utf-8")


def drawn_by(check: Check) -> str:
    """The source of what draws the cases of an exercise."""
    module = sys.modules[check.draw.__module__]
    near = {inspect.getmodule(value) for value in vars(module).values() if callable(value)}
    sources = {m.__name__: inspect.getsource(m) for m in near if m and "catalogue" in m.__name__}
    return inspect.getsource(module) + str(sorted(sources.items()))


def condensed(*parts: object) -> str:
    """A short text that is another one where any part is."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


def console() -> Console:
    return Console(highlight=False, soft_wrap=True)


def examined(
    audit: Audit[Report],
    lines: Callable[[str, Report], Iterator[str]],
    arguments: Sequence[str] | None,
) -> list[Report]:
    """Run an audit as the command line asks; print the lines of each report."""
    parser = argparse.ArgumentParser(f"python -m authoring.{audit.name}")
    parser.add_argument("names", nargs="*", help="exercises whose names hold one of these")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args(arguments)
    names = [n for n in CHECKS if not wanted.names or any(part in n for part in wanted.names)]
    if not names:
        parser.error(f"no exercise has a name with {' or '.join(wanted.names)} in it")
    use_interpreter()  # before anything imports Triton
    shown, reports = console(), []
    with Progress(console=shown, transient=True, disable=not shown.is_terminal) as progress:
        for name, report in progress.track(audit.run(names, wanted.jobs), len(names)):
            reports.append(report)
            for line in lines(name, report):
                shown.print(line, markup=False)
    return reports


def _start() -> None:
    use_interpreter()
    torch.set_num_threads(1)  # the processes share the cores, and can be forked
