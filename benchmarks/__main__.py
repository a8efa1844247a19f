"""Run benchmarks, all that need no GPU or those named, and keep what they measured.

``python -m benchmarks checks model`` runs two. Each figure goes to ``results/promises.json``, with
the machine and its load; ``python -m benchmarks.table --write`` puts them into the README.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import torch

from benchmarks.harness import RECORD
from benchmarks.table import RESULTS, broken, measured

NO_BENCHMARK = ("__main__", "harness", "table")
SCRIPTS = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in NO_BENCHMARK and not path.stem.endswith("_gpu")
)


def figures(script: str) -> tuple[int, list[dict[str, Any]]]:
    """Run a script in a process of its own; return its exit code and what it measured."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        environment = {**os.environ, RECORD: str(record)}
        before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        command = [sys.executable, "-m", f"benchmarks.{script}"]
        code = subprocess.run(command, env=environment).returncode
        found = json.loads(record.read_text("utf-8")) if record.exists() else []
    where = {
        "script": script,
        "date": f"{date.today()}",
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "load before": before,
    }
    return code, [figure | where for figure in found]


def keep(script: str, found: list[dict[str, Any]]) -> None:
    """Put the figures of a script in the place of its last ones."""
    others = [figure for figure in measured() if figure["script"] != script]
    rows = sorted([*others, *found], key=lambda figure: (figure["script"], figure["what"]))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    RESULTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> int:
    """Run each script; return 1 if a promise was broken or a script failed."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("scripts", nargs="*", metavar="NAME", help=", ".join(SCRIPTS))
    scripts = parser.parse_args().scripts or SCRIPTS
    if unknown := sorted(set(scripts) - set(SCRIPTS)):
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(SCRIPTS)}")
    failed = []
    for script in scripts:
        print(f"--- {script}", flush=True)
        code, found = figures(script)
        if code:
            failed.append(script)
        if found:
            keep(script, found)
    for figure in broken():
        print(f"Broken: {figure['what']} ({figure['script']}, {figure['date']})")
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
