"""Look at the world from inside a worker, and at what it leaves behind outside."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from transformer_checks.grading import isolation
from transformer_checks.grading.isolation import Isolation
from transformer_checks.grading.resources import Resources
from transformer_checks.grading.session import Limits, Worker

WALLS = {
    "superuser's": isolation._SUPERUSERS,
    "everybody's": isolation._EVERYBODYS,
    "limits": isolation._LINUX_LIMITS,
    "elsewhere": isolation._BARE_LIMITS,
}


def walls(name: str) -> Isolation:
    """These walls, or a skipped test where the machine cannot build them."""
    if name == "elsewhere":
        return WALLS[name]
    if not Path("/proc/self/ns").is_dir():
        pytest.skip("there are no namespaces on this system")
    if name == "superuser's" and os.geteuid() != 0:
        pytest.skip("only the superuser builds these walls")
    if name != "limits" and (reason := isolation.why_not(WALLS[name])):
        pytest.skip(f"this machine cannot build these walls: {reason}")
    return WALLS[name]


def seen(walls: Isolation, code: str, resources: Resources | None = None) -> Any:
    """What ``code`` puts into ``seen`` when it runs as a notebook's cell."""
    worker = Worker(Limits(resources=resources or Resources()), walls)
    try:
        told = f"{code}\nimport json\nraise LookupError(json.dumps(seen))"
        error = worker.ask({"do": "cell", "source": told}, 60)["error"]
    finally:
        worker.close()
    kind, _, text = error.partition(": ")
    assert kind == "LookupError", error
    return json.loads(text)


def running(mark: str) -> list[int]:
    """Processes of the machine that have ``mark`` in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, status = (folder / "cmdline").read_bytes(), (folder / "status").read_text()
        except OSError:  # it has ended
            continue
        if mark.encode() in command and "State:\tZ" not in status:
            found.append(int(folder.name))
    return found


def wait_until_gone(mark: str) -> None:
    """On a busy machine the system may need a moment to clear a killed process away."""
    deadline = time.monotonic() + 10
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(mark) == []
