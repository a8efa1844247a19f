"""Choose how a learner's code is isolated: as strongly as this machine allows."""

import os
import sys
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Literal

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import launch, protocol

Choice = Literal["auto", "require", "limits"]
CHOICES: tuple[Choice, ...] = ("auto", "require", "limits")


class NotIsolated(RuntimeError):
    """This machine cannot isolate notebooks as strongly as requested; the message says why."""


@dataclass(frozen=True)
class Isolation:
    """A way to isolate a learner's code.

    Attributes:
        name: what a report calls it: namespaces or limits.
        description: one sentence: what it shuts off, and what it does not.
        mode: see ``fork_server.main``; empty where there is no fork server.
    """

    name: str
    description: str
    mode: str

    def start(self, limits: Limits) -> launch.WorkerProcess:
        """Start an isolated worker.

        Raises:
            StartFailed: it cannot be started.
        """
        if self.mode:
            return launch.fork_server(self.mode).start(limits)
        return launch.FreshWorker(limits)


_IN_NAMESPACES = (
    "Each notebook runs in Linux namespaces of its own, without privileges: it sees Python and the "
    "course's package but no reference, no other file and no other process, has no network and "
    "writes only to a home in memory; time, memory, output, files and processes are limited."
)
_ROOT_NAMESPACES = Isolation("namespaces", _IN_NAMESPACES, "namespaces")
_USER_NAMESPACES = Isolation("namespaces", _IN_NAMESPACES, "user-namespaces")
_LINUX_LIMITS = Isolation(
    "limits",
    "Each notebook runs in a process of its own with limits on time, memory, file size and "
    "processes, and without a network; it can read this machine's files, the course's references "
    "among them, and change or delete those that its user may, so grade in this way only what you "
    "would also run yourself.",
    "none",
)
_PORTABLE_LIMITS = Isolation(
    "limits",
    "Each notebook runs in a process of its own with limits on time and, where the system has "
    "them, on memory and file size; it can read, change and delete what you can, and use "
    "the network, so grade in this way only what you would also run yourself.",
    "",
)
LIMITS = _LINUX_LIMITS if sys.platform == "linux" else _PORTABLE_LIMITS
_choosing = Lock()


def choose(name: Choice = "auto") -> Isolation:
    """Return the isolation to grade with; the first call tries out what this machine allows.

    Args:
        name: ``"auto"`` takes the strongest, ``"require"`` refuses anything weaker than namespaces,
            ``"limits"`` takes resource limits alone.

    Raises:
        NotIsolated: ``"require"``, and this machine has nothing but resource limits; or there
            is nothing else, and the code would run as the superuser.
        ValueError: there is no such choice.
    """
    if name not in CHOICES:
        raise ValueError(f"isolation is {name!r}; expected one of {', '.join(CHOICES)}")
    with _choosing:
        found, reason = (LIMITS, "") if name == "limits" else _strongest()
        superuser = found == LIMITS and _as_superuser()
    if superuser:
        raise NotIsolated(
            "without isolation the notebooks' code would run as the superuser: it could do "
            "anything to this machine. Grade as an ordinary user, or let every user read Python "
            "and the course, so that another user can run it"
        )
    if name == "require" and found == LIMITS:
        raise NotIsolated(
            f"this machine cannot isolate notebooks: {reason}. Grade on a Linux machine that "
            "allows user namespaces, or as its superuser, or choose --isolation limits for "
            "notebooks that you trust"
        )
    return found


@cache
def _strongest() -> tuple[Isolation, str]:
    """The strongest isolation, and why there is nothing stronger."""
    if sys.platform != "linux":
        return LIMITS, f"there are no Linux namespaces on {sys.platform}"
    reason = ""
    # Root may be barred from making namespaces, as in many containers, but not from making user
    # namespaces.
    for candidate in (_ROOT_NAMESPACES, _USER_NAMESPACES)[os.geteuid() != 0 :]:
        reason = why_not(candidate)
        if not reason:
            return candidate, ""
        launch.fork_server(candidate.mode).close()
    return LIMITS, reason


def why_not(isolation: Isolation) -> str:
    """Try an isolation once, and say why it does not work; empty if it does."""
    try:
        reply = _greeted(isolation)
    except launch.StartFailed as error:
        return str(error)
    return "a worker still sees the references" if reply.get("sees_references") else ""


@cache
def _as_superuser() -> bool:
    """Whether code under limits alone would run as the superuser."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    return bool(_greeted(LIMITS).get("superuser"))


def _greeted(isolation: Isolation) -> dict[str, Any]:
    """What a worker says of itself.

    Raises:
        StartFailed: there is none.
    """
    worker = isolation.start(Limits())
    try:
        worker.requests.write(protocol.dump({"do": "hello", "id": ""}))
        worker.requests.flush()
        return protocol.load(worker.replies.readline())
    except (OSError, protocol.ProtocolError) as error:
        ended = worker.end(wait=1) or "said nothing"
        raise launch.StartFailed(f"a worker {ended} before it was ready") from error
    finally:
        worker.end(wait=0)
