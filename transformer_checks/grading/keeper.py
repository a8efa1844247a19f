"""The process between the fork server and a worker: it watches, and leaves nothing behind.

Inside namespaces it is the first process of its own: when it ends, the kernel kills all others.
Without them it adopts what loses its parent, and kills what it has adopted.
"""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from transformer_checks.grading import linux, shelter, syscalls
from transformer_checks.grading.resources import Resources, restrict, tasks_of

_PAUSE = 0.2  # seconds between two looks at what the worker uses


@dataclass(frozen=True)
class Room:
    """How a worker is kept.

    Attributes:
        walls: whether it gets namespaces of its own.
        user: who it becomes.
        home: its folder; without walls alone, within them it gets one in memory.
        resources: what it may use.
        protected: processes that it may not send signals to.
    """

    walls: bool
    user: int
    home: str
    resources: Resources
    protected: tuple[int, ...]


class _Stopped(Exception):
    """The server wants this to end."""


def keep(channel: int, report: int, room: Room, serve: Callable[[socket.socket], None]) -> None:
    """Start a worker, watch over it until it ends, and say how it did. Returns in the worker only.

    Args:
        channel: a socket to the grader, for the worker.
        report: a pipe to the server, for the words that say how the worker ended.
        room: how the worker is kept.
        serve: the worker's work.
    """
    signal.signal(signal.SIGTERM, _stop)
    os.setsid()
    linux.die_with_parent(signal.SIGKILL)
    linux.adopt_orphans()
    linux.show_memory()  # which the server has hidden, /proc/self included
    if room.walls:
        shelter.enter_room(room.resources, room.user)
    linux.hide_memory()
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        _settle(room, keeper)
        os.close(report)
        code = 1
        try:
            serve(socket.socket(fileno=channel))
            code = 0
        finally:
            os._exit(code)
    os.close(channel)
    words = ""
    with suppress(_Stopped):
        words = _watch(worker, room.resources)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not room.walls:
        sweep()
    os.write(report, words.encode())
    os._exit(0)


def _stop(*_: object) -> None:
    raise _Stopped


def _settle(room: Room, keeper: int) -> None:
    """Become what a learner's code may be."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    linux.show_memory()
    os.setsid()  # so that a signal to its whole group does not reach the keeper
    os.nice(5)  # so that the keeper gets its turn however many processes want one
    home = shelter.HOME if room.walls else room.home
    os.environ.update(HOME=home, TMPDIR=home)
    os.environ.update(IPYTHONDIR=f"{home}/.ipython", MPLCONFIGDIR=f"{home}/.matplotlib")
    others = 0 if room.walls and room.user == shelter.STRANGER else tasks_of(room.user)
    restrict(room.resources, others)
    shelter.become(room.user)
    linux.die_with_parent(signal.SIGKILL)  # only now: a change of user undoes it
    os.chdir(home)
    syscalls.restrict(() if room.walls else (keeper, *room.protected))


def _watch(worker: int, resources: Resources) -> str:
    """Wait for the worker's end, or for the moment when it and its children use too much."""
    born_with = _resident(os.getpid())
    # More than one process can have: its own limit, which raises a clean error, comes first.
    most = 1.5 * resources.memory
    ended_worker = os.pidfd_open(worker)
    while True:
        select.select([ended_worker], [], [], _PAUSE)
        while (status := _reap(worker)) is None:
            pass
        if isinstance(status, int):
            return ended(os.waitstatus_to_exitcode(status))
        family = descendants(os.getpid())
        if len(family) > resources.processes:
            return f"had more than {resources.processes} processes"
        if sum(max(_resident(one) - born_with, 0) for one in family) > most:
            return f"used more than {most / 2**30:.3g} GiB of memory"


def _reap(worker: int) -> int | str | None:
    """The worker's status if it has ended; None if another one had; else ``""``."""
    pid, status = os.waitpid(-1, os.WNOHANG)
    if pid == worker:
        return status
    return None if pid else ""


def ended(code: int) -> str:
    """Say how a process ended, continuing the sentence "the cell …"."""
    if code >= 0:
        return f"ended the process with exit code {code}"
    named = {one.value: one.name for one in signal.Signals}  # real-time signals have no names
    return f"ended the process with {named.get(-code, f'signal {-code}')}"


def sweep(spared: frozenset[int] = frozenset()) -> None:
    """Kill all descendants of this process, and those that they start meanwhile.

    Args:
        spared: children that stay, with all of theirs.
    """
    for _ in range(500):
        victims = descendants(os.getpid(), spared)
        if not victims:
            return
        for victim in victims:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(victim, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(victim, os.WNOHANG)
        time.sleep(0.002)
    print("a notebook left processes behind", file=sys.stderr)


def descendants(ancestor: int, spared: frozenset[int] = frozenset()) -> list[int]:
    """The children of a process and theirs, without those that are spared."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):  # it has ended
                # The name of the program, in parentheses, may hold anything.
                fields = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = list[int](), [ancestor]
    while waiting:
        mine = [child for child in children.get(waiting.pop(), []) if child not in spared]
        found += mine
        waiting += mine
    return found


def _resident(process: int) -> int:
    """Bytes of a process that lie in memory."""
    try:
        pages = Path("/proc", str(process), "statm").read_bytes().split()[1]
    except OSError:  # it has ended
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
