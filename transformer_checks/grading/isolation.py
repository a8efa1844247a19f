"""Choose the walls around a learner's code: the strongest that this machine can build."""

import os
import sys
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Literal

from transformer_checks.grading import launch, wire
from transformer_checks.grading.resources import Resources

Choice = Literal["auto", "require", "limits"]
CHOICES: tuple[Choice, ...] = ("auto", "require", "limits")


class NotIsolated(RuntimeError):
    """This machine cannot build the walls that were asked for; the message says why."""


@dataclass(frozen=True)
class Isolation:
    """A kind of walls.

    Attributes:
        name: what a report calls it: namespaces or limits.
        meaning: one sentence: what it shuts off, and what it does not.
        walls: what the fork server is told; empty where there is none.
    """

    name: str
    meaning: str
    walls: str

    def start(self, resources: Resources) -> launch.WorkerProcess:
        """Start a worker behind these walls.

        Raises:
            StartFailed: it cannot be started.
        """
        if self.walls:
            return launch.fork_server(self.walls).start(resources)
        return launch.FreshWorker(resources)


_BEHIND_NAMESPACES = (
    "Each notebook runs in Linux namespaces of its own, without privileges: it sees Python and the "
    "course's package but no reference, no other file and no other process, has no network and "
    "writes only to a home in memory; time, memory, output, files and processes are limited."
)
_SUPERUSERS = Isolation("namespaces", _BEHIND_NAMESPACES, "namespaces")
_EVERYBODYS = Isolation("namespaces", _BEHIND_NAMESPACES, "user-namespaces")
_LINUX_LIMITS = Isolation(
    "limits",
    "Each notebook runs in a process of its own with limits on time, memory, file size and "
    "processes, and without a network; it can read this machine's files, the course's references "
    "among them, so grade in this way only what you would also run yourself.",
    "none",
)
_BARE_LIMITS = Isolation(
    "limits",
    "Each notebook runs in a process of its own with limits on time and, where the system has "
    "them, on memory and file size; it can read this machine's files and use its network, so "
    "grade in this way only what you would also run yourself.",
    "",
)
LIMITS = _LINUX_LIMITS if sys.platform == "linux" else _BARE_LIMITS
_choosing = Lock()


def choose(name: Choice = "auto") -> Isolation:
    """Return the isolation to grade with.

    Args:
        name: ``"auto"`` takes the strongest, ``"require"`` refuses what is less than namespaces,
            ``"limits"`` takes resource limits alone.

    Raises:
        NotIsolated: ``"require"``, and this machine has nothing but resource limits.
        ValueError: there is no such choice.
    """
    if name not in CHOICES:
        raise ValueError(f"isolation is {name!r}; expected one of {', '.join(CHOICES)}")
    if name == "limits":
        return LIMITS
    with _choosing:
        found, reason = _strongest()
    if name == "require" and found == LIMITS:
        raise NotIsolated(
            f"this machine cannot isolate notebooks: {reason}. Grade on a Linux machine that "
            "allows user namespaces, or as its superuser, or choose --isolation limits for "
            "notebooks that you trust"
        )
    return found


def strongest() -> Isolation:
    """Return the strongest isolation of this machine; the first call tries it out."""
    return choose("auto")


@cache
def _strongest() -> tuple[Isolation, str]:
    """The strongest isolation, and why there is nothing stronger."""
    if sys.platform != "linux":
        return LIMITS, f"there are no Linux namespaces on {sys.platform}"
    reason = ""
    # A superuser who may not make namespaces, as in many containers, may try as everybody else.
    for candidate in (_SUPERUSERS, _EVERYBODYS)[os.geteuid() != 0 :]:
        reason = why_not(candidate)
        if not reason:
            return candidate, ""
        launch.fork_server(candidate.walls).close()
    return LIMITS, reason


def why_not(isolation: Isolation) -> str:
    """Try walls once, and say why they do not stand; empty if they do."""
    try:
        worker = isolation.start(Resources())
    except launch.StartFailed as error:
        return str(error)
    try:
        worker.requests.write(wire.dump({"do": "hello", "id": ""}))
        worker.requests.flush()
        reply = wire.load(worker.replies.readline())
    except (OSError, wire.WireError):
        return f"a worker {worker.end(wait=1) or 'said nothing'} before it was ready"
    finally:
        worker.end(wait=0)
    return "a worker still sees the references" if reply.get("sees_references") else ""
