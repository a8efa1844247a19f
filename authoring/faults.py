"""Plant faults, one after the other, and see who notices: the short suite, or all of it alone.

    python -m authoring.faults            # all of tests/faults.toml
    python -m authoring.faults mask hint  # those with one of these words in their names

Each is planted in a copy of the last commit, as a change that has just been made, and tried with
all that could see it, up to the first that fails.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from authoring import named
from authoring.changed import BROWSER, NOTEBOOKS, exercises, exercises_of, long_tests_of
from authoring.ci import NBVAL, SCOPES, SEEDS, SHORT
from authoring.environment import ROOT
from authoring.sample import looked_at, sample

FAULTS: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "tests/faults.toml").read_text("utf-8"))
GATE = "gate"


@contextmanager
def planted(file: str, edit: Sequence[str]) -> Iterator[Path]:
    """A copy of the last commit with an edit of one file.

    Raises:
        ValueError: the old text does not stand there once.
    """
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "course")
        subprocess.run([*git, "add", "--quiet", "--detach", str(copy)], check=True)
        try:
            text = (copy / file).read_text(encoding="utf-8")
            old, new = edit
            if text.count(old) != 1:
                raise ValueError(f"{file} holds {old!r} {text.count(old)} times, not once")
            (copy / file).write_text(text.replace(old, new), encoding="utf-8")
            (copy / ".venv").symlink_to(ROOT / ".venv")
            yield copy
        finally:
            subprocess.run([*git, "remove", "--force", str(copy)], check=True)


def commands(fault: dict[str, Any], scope: str) -> Iterator[list[str]]:
    """What looks at a fault in the short suite, or in all of it; one command for each part."""
    how, file = SCOPES[scope], fault["file"]
    always = {*long_tests_of(file), *exercises_of([file])}
    parts: dict[str, list[str]] = {}
    for target in fault["seen_by"]:
        parts.setdefault(_part(target), []).append(target)
    for part, targets in parts.items():
        kind, _, number = how[part].partition(":")
        if part == GATE:
            wanted = [name for name in exercises() if targets[0].partition(" ")[2] in name]
            taken = sample(exercises(), int(kind), exercises_of([file])) if kind else set(wanted)
            seeds, named_seeds = SEEDS[scope]
            words = [*sorted(taken & set(wanted)), "--seeds", seeds, "--named-seeds", named_seeds]
            if taken & set(wanted):
                yield ["authoring.gate", *words]
            continue
        if kind == "files":
            drawn = sample(_files(part), int(number), always)
            targets, kind = [target for target in targets if target in drawn], ""
        words = ["pytest", "-q", "-x", "--tb=no", "-rfE", "-p", "no:cacheprovider", *targets]
        words += NBVAL if part == "notebooks" else []
        words += ["-p", "authoring.sample", "--sample", how[part]] if kind else []
        if targets:
            yield [
                *words,
                *(word for text in sorted(always) for word in ("--always", text) if kind),
            ]


def _part(target: str) -> str:
    folders = {GATE: GATE, BROWSER: "browser", "tests/grading": "grading"}
    folders |= dict.fromkeys(NOTEBOOKS, "notebooks")
    return next((part for start, part in folders.items() if target.startswith(start)), "unit")


def _files(part: str) -> list[str]:
    patterns = [f"{folder}**/*.ipynb" for folder in NOTEBOOKS]
    patterns = patterns if part == "notebooks" else [f"{BROWSER}/test_*.py"]
    return [path.relative_to(ROOT).as_posix() for one in patterns for path in ROOT.glob(one)]


def notice(copy: Path, fault: dict[str, Any], scope: str) -> str:
    """The first that fails on a fault, in one line; empty if none does."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
    for words in commands(fault, scope):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            starts = ("FAILED", "ERROR", "false", "not named", "no verdict", "incomplete")
            lines = [line for line in done.stdout.splitlines() if line.strip().startswith(starts)]
            return (lines or done.stdout.splitlines()[-1:] or [done.stderr[-300:]])[0]
    return ""


def main(words: Sequence[str]) -> int:
    """Plant the faults that were asked for; return 1 if the short suite misses one that all see."""
    chosen = {n: f for n, f in FAULTS.items() if not words or any(word in n for word in words)}
    seen, missed = 0, 0
    for name, fault in chosen.items():
        with planted(fault["file"], fault["edit"]) as copy:
            short = notice(copy, fault, SHORT)
            whole = short or notice(copy, fault, "all")
        seen, missed = seen + bool(short), missed + (bool(whole) and not short)
        who = f"short: {short}" if short else f"all alone: {whole}" if whole else "nobody"
        print(f"{name}\n    {who}", flush=True)
    print(f"The short suite noticed {seen} of {len(chosen)} faults, and all of it {seen + missed}.")
    print(looked_at(len(chosen), len(FAULTS), "faults").capitalize())
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
