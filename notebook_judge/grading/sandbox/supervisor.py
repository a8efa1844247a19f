"""The process between the fork server and a worker: it watches, and leaves nothing behind.

In namespaces it is the first process of its PID namespace: when it ends, the kernel kills all
others. Elsewhere it adopts processes that lose their parent, and kills them at the end.
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

import psutil

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import linux, namespaces, seccomp
from notebook_judge.grading.sandbox.resources import restrict, tasks_of

_PAUSE = 0.2  # seconds between two looks at what the worker uses


@dataclass(frozen=True)
class WorkerSetup:
    """How a worker is run.

    Attributes:
        isolated: whether it gets namespaces of its own.
        user: the user that it becomes.
        home: its folder; unused in namespaces, where it gets one in memory.
        limits: what it may use.
        protected: processes that it may not send signals to.
    """

    isolated: bool
    user: int
    home: str
    limits: Limits
    protected: tuple[int, ...]


class _Terminated(Exception):
    """The fork server wants this process to end."""


def supervise(
    channel: int, report: int, setup: WorkerSetup, serve: Callable[[socket.socket], None]
) -> None:
    """Start a worker, watch it until it ends, and report how it ended. Never returns.

    Args:
        channel: descriptor of a socket to the grader, for the worker.
        report: descriptor of a pipe to the fork server, for the words that say how it ended.
        setup: how the worker is run.
        serve: the worker's work.
    """
    signal.signal(signal.SIGTERM, _terminate)
    os.setsid()
    linux.die_with_parent(signal.SIGKILL)
    linux.adopt_orphans()
    linux.show_memory()  # which the server has hidden, /proc/self included
    if setup.isolated:
        namespaces.isolate_worker(setup.limits, setup.user)
    linux.hide_memory()
    supervisor = os.getpid()
    worker = os.fork()
    if worker == 0:
        _become_worker(setup, supervisor)
        os.close(report)
        code = 1
        try:
            serve(socket.socket(fileno=channel))
            code = 0
        finally:
            os._exit(code)
    os.close(channel)
    words = ""
    with suppress(_Terminated):
        words = _watch(worker, setup.limits)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not setup.isolated:
        kill_descendants()
    os.write(report, words.encode())
    os._exit(0)


def _terminate(*_: object) -> None:
    raise _Terminated


def _become_worker(setup: WorkerSetup, supervisor: int) -> None:
    """Give up everything that a learner's code must not have."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    linux.show_memory()
    os.setsid()  # so that a signal to its whole group does not reach the supervisor
    os.nice(5)  # so that the supervisor gets its turn however many processes want one
    home = namespaces.HOME if setup.isolated else setup.home
    os.environ.update(HOME=home, TMPDIR=home)
    os.environ.update(IPYTHONDIR=f"{home}/.ipython", MPLCONFIGDIR=f"{home}/.matplotlib")
    alone = setup.isolated and setup.user == namespaces.UNPRIVILEGED_UID
    restrict(setup.limits, other_tasks=0 if alone else tasks_of(setup.user))
    namespaces.drop_privileges(setup.user)
    linux.die_with_parent(signal.SIGKILL)  # only now: a change of user undoes it
    os.chdir(home)
    seccomp.restrict(() if setup.isolated else (supervisor, *setup.protected))


def _watch(worker: int, limits: Limits) -> str:
    """Wait for the worker's end, or for the moment when it and its children use too much."""
    this = psutil.Process()
    inherited = _resident(this)
    # More than one process can have: its own limit, which raises a clean error, comes first.
    most = 1.5 * limits.memory
    ended_worker = os.pidfd_open(worker)
    while True:
        select.select([ended_worker], [], [], _PAUSE)
        while (status := _reap(worker)) is None:
            pass
        if isinstance(status, int):
            return how_it_ended(os.waitstatus_to_exitcode(status))
        family = this.children(recursive=True)
        if len(family) > limits.processes:
            return f"had more than {limits.processes} processes"
        if sum(max(_resident(one) - inherited, 0) for one in family) > most:
            return f"used more than {most / 2**30:.3g} GiB of memory"


def _reap(worker: int) -> int | str | None:
    """The worker's status if it has ended; None if another one had; else ``""``."""
    pid, status = os.waitpid(-1, os.WNOHANG)
    if pid == worker:
        return status
    return None if pid else ""


def how_it_ended(code: int) -> str:
    """Say how a process ended, continuing the sentence "the cell …"."""
    if code >= 0:
        return f"ended the process with exit code {code}"
    named = {one.value: one.name for one in signal.Signals}  # real-time signals have no names
    return f"ended the process with {named.get(-code, f'signal {-code}')}"


def kill_descendants(spared: frozenset[int] = frozenset()) -> None:
    """Kill the children of this process, then theirs, which it has adopted, until none is left.

    Args:
        spared: children that stay, with all of theirs.
    """
    for _ in range(500):
        victims = [child for child in psutil.Process().children() if child.pid not in spared]
        if not victims:
            return
        for victim in victims:
            with suppress(psutil.Error):
                victim.kill()
            with suppress(ChildProcessError):
                os.waitpid(victim.pid, os.WNOHANG)
        time.sleep(0.002)
    print("a notebook left processes behind", file=sys.stderr)


def _resident(process: psutil.Process) -> int:
    """Bytes of a process that lie in memory."""
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
