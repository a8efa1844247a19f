"""What was measured: one JSON file for each claim, with versions and machine."""

import ast
import hashlib
import inspect
import json
import platform
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

from evidence.claim import Claim, Condition, Numbers, Runs
from transformer_lesson.files import replacing

CLAIMS = "evidence.claims."
FOLDER = Path(__file__).parent / "results"


@dataclass
class Results:
    """The runs of one claim that were made so far.

    Attributes:
        measured: by condition and seed, what a run gave.
        seconds: what a run of each condition took, on average.
        about: what it was measured with.
    """

    measured: dict[str, dict[int, Numbers]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    def add(self, condition: Condition, seed: int, numbers: Numbers, seconds: float) -> None:
        """Take one more run."""
        runs = self.measured.setdefault(condition.name, {})
        known = self.seconds.get(condition.name, 0.0) * len(runs)
        runs[seed] = numbers
        self.seconds[condition.name] = round((known + seconds) / len(runs), 2)

    def missing(self, claim: Claim) -> list[tuple[Condition, int]]:
        """Return which runs are still to be made."""
        return [
            (condition, seed)
            for condition in claim.conditions
            for seed in range(claim.runs)
            if seed not in self.measured.get(condition.name, {})
        ]

    def runs(self, claim: Claim) -> Runs:
        """Return the runs as the claim's criterion reads them.

        Raises:
            ValueError: some are missing.
        """
        if missing := self.missing(claim):
            condition, seed = missing[0]
            raise ValueError(
                f"{claim.name}: {len(missing)} runs are missing, the first of them "
                f"{condition.name!r} with seed {seed}. Run `python -m evidence {claim.name}`."
            )
        seeds = range(claim.runs)
        names = [condition.name for condition in claim.conditions]
        return Runs({name: [self.measured[name][seed] for seed in seeds] for name in names})


def fingerprint(claim: Claim) -> str:
    """Condense what a claim's module measures: a change of it makes stored runs those of another.

    What it imports from other modules of ``evidence.claims`` counts too. Words, criterion and
    verdict may change: they only read the runs.
    """
    parts: list[str] = []
    modules = [claim.measure.__module__]
    for name in modules:  # grows as imports are met
        tree = ast.parse(inspect.getsource(import_module(name)))
        parts += [ast.dump(part) for part in tree.body if not _reads_only(part)]
        imported = [part.module or "" for part in tree.body if isinstance(part, ast.ImportFrom)]
        modules += [one for one in imported if one.startswith(CLAIMS) and one not in modules]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _reads_only(part: ast.stmt) -> bool:
    match part:
        case ast.FunctionDef(name="decide") | ast.Assign(targets=[ast.Name(id="CLAIM")]):
            return True
        case ast.Expr(value=ast.Constant()):  # the docstring
            return True
    return False


def load(claim: Claim, folder: Path = FOLDER) -> Results:
    """Return the stored runs of a claim: those that its module and settings would make today."""
    path = folder / f"{claim.name}.json"
    if not path.exists():
        return Results()
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored["about"].get("module") != fingerprint(claim):
        return Results()
    measured = {
        condition.name: {int(seed): numbers for seed, numbers in runs.items()}
        for condition in claim.conditions
        if stored["settings"].get(condition.name) == dict(condition.settings)
        and (runs := stored["measured"][condition.name])
    }
    return Results(measured, stored["seconds"], stored["about"])


def save(claim: Claim, results: Results, folder: Path = FOLDER) -> None:
    """Write the runs of a claim; a kill meanwhile leaves the older file whole.

    Runs that another process has stored since are kept, and taken into ``results``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        others = load(claim, folder)
        for name, runs in others.measured.items():
            results.measured[name] = runs | results.measured.get(name, {})
            results.seconds.setdefault(name, others.seconds[name])
        _write(claim, results, folder)


def _write(claim: Claim, results: Results, folder: Path) -> None:
    results.about = {
        "module": fingerprint(claim),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "processor": _processor(),
    }
    made = [condition for condition in claim.conditions if condition.name in results.measured]
    content = {
        "about": results.about,
        "settings": {condition.name: dict(condition.settings) for condition in made},
        "seconds": {condition.name: results.seconds[condition.name] for condition in made},
        "measured": {c.name: dict(sorted(results.measured[c.name].items())) for c in made},
    }
    with replacing(folder / f"{claim.name}.json") as new:
        new.write_text(_readable(content) + "\n", encoding="utf-8")


def _readable(content: dict[str, Any]) -> str:
    """JSON with a line for each run, so that a change of one run is a change of one line."""
    heads = [(part, content[part]) for part in ("about", "settings", "seconds")]
    lines = [f' "{part}": {json.dumps(value, ensure_ascii=False)},' for part, value in heads]
    lines[0] = "{" + lines[0].lstrip()
    lines.append(' "measured": {')
    for name, runs in content["measured"].items():
        rows = [f'   "{seed}": {json.dumps(numbers)}' for seed, numbers in runs.items()]
        title, block = json.dumps(name, ensure_ascii=False), ",\n".join(rows)
        lines.append(f"  {title}: {{\n{block}\n  }},")
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join(lines) + "\n }}"


def _processor() -> str:
    """The kind of processor and what it was asked for, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
