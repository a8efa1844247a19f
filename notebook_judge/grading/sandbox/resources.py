"""Tell the system how much of the machine a notebook may use."""

import gc
import sys

import psutil

from notebook_judge.grading.limits import Limits

if sys.platform != "win32":
    import resource


def restrict(limits: Limits, other_tasks: int = 0) -> None:
    """Let the system enforce what it can, for this process and all that it starts.

    Args:
        limits: what the notebook may take.
        other_tasks: processes and threads of the same user that have nothing to do with this one,
            but are counted with it.
    """
    if sys.platform == "win32":
        return
    system = {
        "RLIMIT_AS": psutil.Process().memory_info().vms + limits.memory,
        "RLIMIT_CPU": limits.cpu,
        "RLIMIT_FSIZE": limits.file,
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_MEMLOCK": 0,
    }
    if sys.platform == "linux":
        # Threads count too. The supervisor stops a fork bomb at once; this bounds it until then.
        system["RLIMIT_NPROC"] = other_tasks + 2 * limits.processes
    for name, value in system.items():
        if hasattr(resource, name):
            _lower(getattr(resource, name), value)


def room_for(size: int) -> bool:
    """Whether this process may still take so many bytes, once it has dropped what nobody uses."""
    for _ in range(2):
        try:
            bytearray(size)  # zeros that nobody touches take no memory
            return True
        except MemoryError:
            gc.collect()
    return False


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
