"""What was measured: one JSON file for each claim, with versions and machine."""

import json
import platform
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

from careful_io import replacing
from evidence.claim import Claim, Condition, Numbers, Runs
from evidence.fingerprint import fingerprint

FOLDER = Path(__file__).parent / "results"
AND = " and "  # between the processors that made the runs of one claim


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
            for seed in claim.seeds_of(condition)
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
        return Runs(
            {
                c.name: [self.measured[c.name][seed] for seed in claim.seeds_of(c)]
                for c in claim.conditions
            }
        )


def load(claim: Claim, folder: Path = FOLDER) -> Results:
    """Return the stored runs of a claim: what its module, settings and seeds would make today."""
    stored = _read(claim, folder)
    if not stored or stored["about"].get("module") != fingerprint(claim.measure):
        return Results()
    written = json.dumps({c.name: dict(c.settings) for c in claim.conditions})
    settings = json.loads(written)  # as they are stored, where a tuple is a list
    today = [name for name in settings if stored["settings"].get(name) == settings[name]]
    kept = {
        name: {seed: runs[seed] for seed in claim.seeds if seed in runs}
        for name, runs in _by_seed(stored, today).items()
    }
    made = {name: runs for name, runs in kept.items() if runs}
    return Results(made, stored["seconds"], stored["about"])


def load_to_show(claim: Claim, folder: Path = FOLDER) -> Runs:
    """Return the stored runs of a claim, whatever made them, by those conditions that have some.

    A lesson shows them also where an author has changed the measurement since: that they are stale
    is a matter of the tests.
    """
    stored = _read(claim, folder)
    measured = _by_seed(stored, [c.name for c in claim.conditions]) if stored else {}
    needed = {claim.metric} if isinstance(claim.along, str) else {*claim.along.values()}
    kept = {
        name: [runs[seed] for seed in sorted(runs) if needed <= runs[seed].keys()]
        for name, runs in measured.items()
    }
    return Runs({name: runs for name, runs in kept.items() if runs})


def _read(claim: Claim, folder: Path) -> dict[str, Any]:
    path = folder / claim.file
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _by_seed(stored: dict[str, Any], conditions: list[str]) -> dict[str, dict[int, Numbers]]:
    return {
        name: {int(seed): numbers for seed, numbers in runs.items()}
        for name in conditions
        if (runs := stored["measured"].get(name))
    }


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
    before = results.about.get("processor", "").split(AND)
    results.about = {
        "module": fingerprint(claim.measure),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "processor": AND.join(sorted({*before, _processor()} - {""})),
    }
    made = [condition for condition in claim.conditions if condition.name in results.measured]
    content = {
        "about": results.about,
        "settings": {condition.name: dict(condition.settings) for condition in made},
        "seconds": {condition.name: results.seconds[condition.name] for condition in made},
        "measured": {c.name: dict(sorted(results.measured[c.name].items())) for c in made},
    }
    with replacing(folder / claim.file) as new:
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
