"""How much of the machine a notebook may use, and how the system is told."""

import sys
from dataclasses import dataclass

import psutil

if sys.platform != "win32":
    import resource


@dataclass(frozen=True)
class Resources:
    """What a notebook may use besides time.

    Attributes:
        memory: bytes in one process, beyond what PyTorch takes when it is loaded; all together
            may have half as much again.
        written: bytes in all of its files together, where its home lies in memory.
        file: bytes in one file.
        files: open at a time, in one process.
        processes: at a time.
        cpu: seconds that one process may compute.
    """

    memory: int = 2 * 2**30
    written: int = 256 * 2**20
    file: int = 64 * 2**20
    files: int = 256
    processes: int = 64
    cpu: int = 600


def restrict(resources: Resources, other_tasks: int = 0) -> None:
    """Let the system enforce what it can, for this process and all that it starts.

    Args:
        resources: the limits.
        other_tasks: processes and threads of the same user that have nothing to do with this one,
            but are counted with it.
    """
    if sys.platform == "win32":
        return
    limits = {
        "RLIMIT_AS": psutil.Process().memory_info().vms + resources.memory,
        "RLIMIT_CPU": resources.cpu,
        "RLIMIT_FSIZE": resources.file,
        "RLIMIT_NOFILE": resources.files,
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_MEMLOCK": 0,
    }
    if sys.platform == "linux":
        # Threads count too. The supervisor stops a fork bomb at once; this bounds it until then.
        limits["RLIMIT_NPROC"] = other_tasks + 2 * resources.processes
    for name, value in limits.items():
        if hasattr(resource, name):
            _lower(getattr(resource, name), value)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    # Out of time: first the signal that says so, a second later the one that cannot be ignored.
    most = value + 1 if kind == resource.RLIMIT_CPU and value < hard % 2**63 else value
    try:
        resource.setrlimit(kind, (value, most))
    except (ValueError, OSError):  # macOS refuses some limits that it has names for
        if sys.platform == "linux":
            raise


def tasks_of(user: int) -> int:
    """Processes and threads that a user has on this machine."""
    found = psutil.process_iter(["uids", "num_threads"])
    return sum(one.info["num_threads"] or 0 for one in found if _owner(one) == user)


def _owner(process: psutil.Process) -> int | None:
    """The user that a process belongs to; None if it has ended."""
    return process.info["uids"].real if process.info["uids"] else None
