"""The fork server: it has loaded PyTorch once, and makes a worker for each notebook by a fork.

It knows no seed, no case and no reference: the grader talks with each worker over a socket of its
own, which is handed through here. Linux only; elsewhere each worker is started afresh.
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

from transformer_checks.grading import keeper, linux, shelter, worker
from transformer_checks.grading.resources import Resources

MESSAGE_BYTES = 2**16
_FOUND = {path for path in sys.path if os.path.exists(path)}


def main() -> NoReturn:
    """Serve until the grader closes the connection.

    Command line: the descriptor of the connection, and the walls: none, namespaces or
    user-namespaces.
    """
    control, walls = socket.socket(fileno=int(sys.argv[1])), sys.argv[2]
    worker.load()
    if walls != "none":
        _go_on_in_a_child()  # it has but one thread, whatever the imports started: unshare asks so
        shelter.leave(user_namespace=walls == "user-namespaces")
        _go_on_in_a_child()
        shelter.furnish()
    linux.adopt_orphans()
    linux.hide_memory()
    gc.freeze()  # so that no worker copies all objects only to look for garbage
    Server(control, walls != "none").serve()
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
class _Kept:
    """A worker's keeper, and the pipe on which it says how the worker ended."""

    keeper: int
    report: int


@dataclass
class Server:
    """Starts workers and ends them.

    Attributes:
        control: the connection to the grader.
        walls: whether workers live in namespaces.
    """

    control: socket.socket
    walls: bool
    _kept: dict[int, _Kept] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A process can be the parent of new namespaces again and again if it comes back to its own.
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY) if self.walls else -1
        stranger = shelter.stranger()
        self._user = stranger if self.walls or _can_read(stranger) else os.geteuid()

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
        for number in list(self._kept):
            self._end(number, 0)

    def _start(self, request: dict[str, Any], channel: int) -> dict[str, Any]:
        room = keeper.Room(
            self.walls,
            self._user,
            request["home"],
            Resources(**request["resources"]),
            (os.getpid(), os.getppid(), request["grader"]),
        )
        if not self.walls:
            os.chown(room.home, self._user, -1)
        report, report_end = os.pipe()
        if self.walls:
            linux.unshare(linux.CLONE_NEWPID)
        try:
            pid = os.fork()
            if pid == 0:
                self._be_keeper(channel, report_end, room)
        except OSError:
            os.close(report)
            raise
        finally:
            os.close(report_end)
            if self.walls:
                linux.enter(self._own, linux.CLONE_NEWPID)
        self._kept[pid] = _Kept(pid, report)
        return {"worker": pid, "user": self._user}

    def _be_keeper(self, channel: int, report: int, room: keeper.Room) -> NoReturn:
        try:
            _close_all_but(channel, report)
            keeper.keep(channel, report, room, worker.serve)
        except BaseException as error:
            with suppress(OSError):
                os.write(report, f"could not start: {error!r}".encode())
        os._exit(1)

    def _end(self, number: int, wait: float) -> str:
        """Kill a worker with everything it started.

        Args:
            number: which.
            wait: seconds in which it may end by itself, and say how.
        """
        kept = self._kept.pop(number, None)
        if kept is None:  # two threads of the grader end it at the same time
            return ""
        select.select([kept.report], [], [], wait)
        os.set_blocking(kept.report, False)
        words = b""
        with suppress(BlockingIOError):
            words = os.read(kept.report, MESSAGE_BYTES)
        if not words:
            # Within walls the kernel kills the rest; without, the keeper does so itself.
            os.kill(kept.keeper, signal.SIGKILL if self.walls else signal.SIGTERM)
            if not self.walls and not select.select([kept.report], [], [], 5)[0]:
                os.kill(kept.keeper, signal.SIGKILL)
        os.waitpid(kept.keeper, 0)
        os.close(kept.report)
        if not self.walls:
            keeper.sweep(frozenset(self._kept))  # what a keeper that was killed had adopted
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
    """Close what the server had open: it is none of a worker's business."""
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _reply(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
