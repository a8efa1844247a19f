"""The grader's side of a worker: start it, ask it, and outlive whatever happens to it."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, Full, Queue
from threading import Thread
from typing import Any, Literal

from transformer_checks.checks.calls import SECONDS
from transformer_checks.grading.sandbox import protocol
from transformer_checks.grading.sandbox.isolation import Isolation
from transformer_checks.grading.sandbox.launch import StartFailed
from transformer_checks.grading.sandbox.resources import Resources

_ABANDONED = 60.0  # seconds after which nobody will take a reply any more


@dataclass(frozen=True)
class Limits:
    """What a notebook may take: seconds, and the rest.

    Attributes:
        start: until a worker answers for the first time.
        cell: one cell of a notebook.
        cells: all cells of a notebook together.
        reruns: all that run them again, because an answer took the worker down.
        exercise: all calls of one answer together.
        grace: what a worker may take beyond a call's limit before it is killed.
        resources: what a notebook may use besides time.
    """

    start: float = 60.0
    cell: float = 30.0
    cells: float = 120.0
    reruns: float = 240.0
    exercise: float = SECONDS
    grace: float = 2.0
    resources: Resources = field(default_factory=Resources)


class WorkerFailed(Exception):
    """No reply. The message continues the sentence "the cell …".

    Attributes:
        status: what this is in a report.
        replies: how many replies to the same request had come before.
    """

    status: Literal["crashed", "timeout"]
    replies = 0


class WorkerEnded(WorkerFailed):
    """The worker's process ended, or sent something other than a reply."""

    status = "crashed"


class WorkerTimeout(WorkerFailed):
    """The worker sent nothing in time."""

    status = "timeout"


class WorkerClient:
    """One worker process, as the grader talks with it."""

    def __init__(self, limits: Limits, isolation: Isolation) -> None:
        try:
            self._start(limits, isolation)
        except WorkerFailed:  # not the notebook's fault: perhaps the fork server was killed
            try:
                self._start(limits, isolation)
            except WorkerFailed as failure:
                said = self._process.complaint() or "It said nothing."
                raise StartFailed(f"a worker {failure} before it was ready.\n{said}") from failure

    def _start(self, limits: Limits, isolation: Isolation) -> None:
        self._process = isolation.start(limits.resources)
        self.ask({"do": "hello"}, limits.start)

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and wait for its reply. After a failure the worker is closed.

        Raises:
            WorkerEnded: the process ended or broke the protocol.
            WorkerTimeout: nothing came within ``seconds``.
        """
        (reply,) = self.ask_each(request, 1, lambda: seconds)
        return reply

    def ask_each(
        self, request: dict[str, Any], count: int, patience: Callable[[], float]
    ) -> Iterator[dict[str, Any]]:
        """Send a request and yield its replies, all of which must be taken.

        Args:
            request: what to do.
            count: how many replies it has.
            patience: asked before each reply: the seconds to wait for it.

        Raises:
            WorkerEnded, WorkerTimeout: see ``ask``.
        """
        # Not a counter: nothing that a cell writes into the connection may match a later request.
        number = secrets.token_hex(8)
        replies: Queue[bytes] = Queue(maxsize=2)  # a worker may send more than memory holds
        # In a thread, because a stopped worker blocks writing as well as reading.
        self._talk = Thread(
            target=self._exchange,
            args=(protocol.dump(request | {"id": number}), count, replies),
            daemon=True,
        )
        self._talk.start()
        for done in range(count):
            try:
                yield self._reply(replies, number, patience())
            except WorkerFailed as failure:
                failure.replies = done
                raise

    def _reply(self, replies: Queue[bytes], number: str, seconds: float) -> dict[str, Any]:
        """The next reply to a request."""
        try:
            line = replies.get(timeout=max(seconds, 0))
        except Empty:
            raise self._late(seconds) from None
        except BaseException:
            self.close()
            raise
        try:
            message = protocol.load(line)
            if message.get("id") != number:
                raise protocol.ProtocolError("the reply belongs to no request")
        except protocol.ProtocolError as error:
            raise WorkerEnded(self._cause(line)) from error
        return message

    def _exchange(self, request: bytes, count: int, replies: Queue[bytes]) -> None:
        with suppress(Full):  # nobody waits for them any more
            try:
                self._process.requests.write(request)
                self._process.requests.flush()
                for _ in range(count):
                    line = self._process.replies.readline(protocol.LINE_BYTES)
                    replies.put(line, timeout=_ABANDONED)
            except (OSError, ValueError):  # the worker is gone: an empty line says so
                replies.put(b"", timeout=_ABANDONED)

    def _late(self, seconds: float) -> WorkerFailed:
        words = self._process.end(wait=0)
        self.close()
        # A child may hold the connection open when the worker itself is gone.
        return WorkerEnded(words) if words else WorkerTimeout(f"ran longer than {seconds:.3g} s")

    def _cause(self, line: bytes) -> str:
        """Say in words why there is no reply, and close the worker."""
        words = "" if line else self._process.end(wait=1)
        self.close()
        return words or f"{'broke' if line else 'closed'} the connection to the grader"

    def broken(self) -> WorkerFailed:
        """Close the worker, because what it sent is no reply, and return the failure."""
        self.close()
        return WorkerEnded("broke the connection to the grader")

    def close(self) -> None:
        """Kill the process with everything it started, and remove its folder."""
        self._process.end(wait=0)
        self._talk.join(timeout=1)
        if not self._talk.is_alive():  # closing a pipe that a thread reads from would wait for it
            for pipe in (self._process.requests, self._process.replies):
                with suppress(OSError):  # a request that nobody will read
                    pipe.close()
