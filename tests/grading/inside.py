"""Look at the world from inside a worker, and at what it leaves behind outside."""

import errno
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import isolation
from notebook_judge.grading.sandbox.client import WorkerClient
from notebook_judge.grading.sandbox.isolation import Isolation

KINDS = {
    "root namespaces": isolation._ROOT_NAMESPACES,
    "user namespaces": isolation._USER_NAMESPACES,
    "limits": isolation._LINUX_LIMITS,
    "elsewhere": isolation._PORTABLE_LIMITS,
}


# As unshare and mount say that this kernel, or its settings, allow no more namespaces, or none.
_REFUSALS = (errno.ENOSPC, errno.EINVAL, errno.ENOSYS)


def isolation_or_skip(name: str) -> Isolation:
    """The isolation of this name; where the machine does not allow it, the test is skipped."""
    if name == "elsewhere":
        return KINDS[name]
    if not Path("/proc/self/ns").is_dir():
        pytest.skip("there are no namespaces on this system")
    if name == "root namespaces" and os.geteuid() != 0:
        pytest.skip("only root can isolate in this way")
    if name != "limits" and (reason := isolation.why_not(KINDS[name])):
        skip_if_refused(f"this machine cannot isolate in this way: {reason}")
    return KINDS[name]


def skip_if_refused(reason: str) -> None:
    """Skip the test if it was the machine that refused; fail if it was a fault of ours."""
    refusals = ("PermissionError", "no Linux namespaces", *map(os.strerror, _REFUSALS))
    skip_or_fail = pytest.skip if any(words in reason for words in refusals) else pytest.fail
    skip_or_fail(reason)


def seen(isolated: Isolation, code: str, limits: Limits | None = None) -> Any:
    """What ``code`` puts into ``seen`` when it runs as a notebook's cell."""
    worker = WorkerClient(limits or Limits(), isolated)
    try:
        told = f"{code}\nimport json\nraise LookupError(json.dumps(seen))"
        notebook = json.dumps({"cells": [{"cell_type": "code", "source": told}]})
        worker.ask({"do": "read", "notebook": notebook, "poison": []}, 60)
        limit = {"seconds": 60, "cell": 60, "far": 1, "room": 0, "exercises": {}, "given": []}
        cells = {"do": "cells", "positions": [0], "needed": [0], **limit}
        error = worker.ask(cells, 60)["error"]
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
