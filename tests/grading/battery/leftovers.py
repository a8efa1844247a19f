"""See whether a notebook left processes behind, whatever session or group they fled to."""

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SET_CHILD_SUBREAPER = 36


@contextmanager
def adopted_orphans(patience: float = 3.0) -> Iterator[list[str]]:
    """Collect the command lines of processes that lost their parent inside the block and live on.

    On Linux a process can ask to become the parent of all orphans below it. Elsewhere the list
    stays empty.
    """
    orphans: list[str] = []
    if not sys.platform.startswith("linux"):
        yield orphans
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = set(_children())
    yield orphans
    deadline = time.monotonic() + patience
    while (new := _alive(before)) and time.monotonic() < deadline:
        time.sleep(0.02)
    orphans.extend(new)
    libc.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _children() -> list[int]:
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    return [int(child) for child in listed.split()]


def _alive(before: set[int]) -> list[str]:
    """Children that are not known from before; the dead among them are buried."""
    found = []
    for child in set(_children()) - before:
        if os.waitpid(child, os.WNOHANG) == (0, 0):
            found.append(f"{child}: {Path(f'/proc/{child}/cmdline').read_text()}")
    return found
