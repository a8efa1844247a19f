"""The fork server: it has loaded PyTorch once, and forks a process for each notebook.

It knows no seed, no case and no reference: the grader talks with each worker over a socket of its
own, which is passed on here. Linux only; elsewhere each worker is started afresh.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from notebook_judge.course import load, use
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import linux, namespaces, supervisor, worker

MESSAGE_BYTES = 2**16
_FOUND = {path for path in sys.path if os.path.exists(path)}


def main() -> NoReturn:
    """Serve until the grader closes the connection.

    Command line: the descriptor of the connection; how workers are isolated: none, namespaces or
    user-namespaces; and the course, as ``Course.dump`` writes it.
    """
    use(load(sys.argv[3]))
    control, mode = socket.socket(fileno=int(sys.argv[1])), sys.argv[2]
    if mode != "none":  # first, because unshare demands a single thread
        namespaces.leave_host(user_namespace=mode == "user-namespaces")
        _go_on_in_a_child()  # the first process of the new PID namespace
    gc.disable()  # loading makes no garbage, and a million objects to look through
    worker.load()
    if mode != "none":
        namespaces.build_root()
    linux.adopt_orphans()
    linux.hide_memory()
    gc.freeze()  # so that no worker copies all objects only to look for garbage
    gc.enable()
    Server(control, mode != "none").serve()
    os._exit(0)


def _go_on_in_a_child() -> None:
    """Leave the rest to a child; this process only waits for it."""
    child = os.fork()
    if child == 0:
        linux.die_with_parent(signal.SIGKILL)
        return
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    _, status = os.waitpid(child, 0)
    os._exit(status != 0)


@dataclass
class Server:
    """Starts workers and ends them.

    Attributes:
        control: the connection to the grader.
        isolated: whether workers get namespaces of their own.
    """

    control: socket.socket
    isolated: bool
    # By process id of a supervisor: the pipe on which it says how its worker ended.
    _reports: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # To make a PID namespace for each worker, the server must return to its own each time.
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY) if self.isolated else -1
        user = namespaces.unprivileged_user()
        self._user = user if self.isolated or _can_read(user) else os.geteuid()

    def serve(self) -> None:
        """Answer until the connection is closed, then end every worker."""
        _reply(self.control, {"ready": True})
        while True:
            message, descriptors, *_ = socket.recv_fds(self.control, MESSAGE_BYTES, 1)
            if not message:
                break
            request = json.loads(message)
            try:
                if request["do"] == "start":
                    reply = self._start(request, descriptors[0])
                else:
                    reply = {"words": self._end(request["worker"], request["wait"])}
            except OSError as error:  # the machine is at its limit
                reply = {"failed": str(error)}
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
            _reply(self.control, reply)
        for supervising in list(self._reports):
            self._end(supervising, 0)

    def _start(self, request: dict[str, Any], channel: int) -> dict[str, Any]:
        setup = supervisor.WorkerSetup(
            self.isolated,
            self._user,
            request["home"],
            Limits(**request["limits"]),
            (os.getpid(), os.getppid(), request["grader"]),
        )
        if not self.isolated:
            os.chown(setup.home, self._user, -1)
        report, report_end = os.pipe()
        if self.isolated:
            linux.unshare(linux.CLONE_NEWPID)
        try:
            pid = os.fork()
            if pid == 0:
                self._supervise(channel, report_end, setup)
        except OSError:
            os.close(report)
            raise
        finally:
            os.close(report_end)
            if self.isolated:
                linux.enter(self._own, linux.CLONE_NEWPID)
        self._reports[pid] = report
        return {"worker": pid}

    def _supervise(self, channel: int, report: int, setup: supervisor.WorkerSetup) -> NoReturn:
        try:
            _close_all_but(channel, report)
            supervisor.supervise(channel, report, setup, worker.serve)
        except BaseException as error:
            with suppress(OSError):
                os.write(report, f"could not start: {error!r}".encode())
        os._exit(1)

    def _end(self, supervising: int, wait: float) -> str:
        """Kill a worker with everything it started.

        Args:
            supervising: its supervisor.
            wait: seconds in which it may end by itself, and say how.
        """
        report = self._reports.pop(supervising, None)
        if report is None:  # two threads of the grader end it at the same time
            return ""
        select.select([report], [], [], wait)
        os.set_blocking(report, False)
        words = b""
        with suppress(BlockingIOError):
            words = os.read(report, MESSAGE_BYTES)
        if not words:
            # In namespaces the kernel kills the rest; elsewhere the supervisor does so itself.
            os.kill(supervising, signal.SIGKILL if self.isolated else signal.SIGTERM)
            if not self.isolated and not select.select([report], [], [], 5)[0]:
                os.kill(supervising, signal.SIGKILL)
        os.waitpid(supervising, 0)
        os.close(report)
        if not self.isolated:  # a supervisor that was killed has left what it had adopted
            supervisor.kill_descendants(frozenset(self._reports))
        return words.decode()


def _can_read(user: int) -> bool:
    """Whether a user may import what this process can."""
    if user == os.geteuid():
        return True
    asker = os.fork()
    if asker == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        readable = all(os.access(path, os.R_OK) for path in sys.path if path in _FOUND)
        os._exit(0 if readable else 1)
    return os.waitpid(asker, 0)[1] == 0


def _close_all_but(*kept: int) -> None:
    """Close what the server had open: a worker has no business with it."""
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _reply(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
