"""The grader's side of a worker: start it, ask it, and outlive whatever happens to it."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import Any, Literal

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import protocol
from notebook_judge.grading.sandbox.isolation import Isolation
from notebook_judge.grading.sandbox.launch import StartFailed

# A message; empty if the worker is gone; None for anything that is no reply.
_Received = dict[str, Any] | None
_ABANDONED = 60.0  # seconds after which nobody will take a reply any more


class WorkerFailed(Exception):
    """No reply. The message continues the sentence "the cell …".

    Attributes:
        status: what this is in a report.
        place: of the case that it happened with, where cases were called.
    """

    status: Literal["crashed", "timeout"]
    place = 0


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
        self._process = isolation.start(limits)
        self._numbers: list[str] = []  # of all requests until now
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
        self._numbers.append(secrets.token_hex(8))
        # A worker may send more than memory holds.
        replies: Queue[_Received] = Queue(maxsize=2)
        # In a thread, because a stopped worker blocks writing as well as reading.
        self._talk = Thread(
            target=self._exchange,
            args=(protocol.dump(request | {"id": self._numbers[-1]}), count, replies),
            daemon=True,
        )
        self._talk.start()
        for _ in range(count):
            yield self._reply(replies, patience())

    def _reply(self, replies: Queue[_Received], seconds: float) -> dict[str, Any]:
        """The next reply to a request."""
        try:
            message = replies.get(timeout=max(seconds, 0))
        except Empty:
            raise self._late(seconds) from None
        except BaseException:
            self.close()
            raise
        if message is None:
            raise self.broken()
        if not message:
            raise self._gone()
        return message

    def _exchange(self, request: bytes, count: int, replies: Queue[_Received]) -> None:
        with suppress(Full):  # nobody waits for them any more
            try:
                self._process.requests.write(request)
                self._process.requests.flush()
                for place in range(count):
                    replies.put(self._received(place), timeout=_ABANDONED)
            except protocol.ProtocolError:
                replies.put(None, timeout=_ABANDONED)
            except (OSError, ValueError):
                replies.put({}, timeout=_ABANDONED)

    def _received(self, place: int) -> dict[str, Any]:
        """The reply that has this place among those to the last request; empty if none will come.

        An answer that wrote replies of its own, to the request that it was called by, has left
        the true ones behind: they are passed over, as long as they would fit into one message.
        """
        *former, current = self._numbers
        room = protocol.LINE_BYTES
        while line := self._process.replies.readline(room):
            message = protocol.load(line)
            room -= len(line)
            number, at = message.get("id"), message.get("at")
            if (number, at) == (current, place):
                return message
            if number not in former and not (number == current and at in range(place)):
                raise protocol.ProtocolError("it belongs to no request")
        return {}

    def make_sure_it_is_done(self, seconds: float, room: int = 0) -> bool:
        """See that it has nothing more to do for the requests until now.

        Learner's code that wrote replies of its own may be at work still, or have left something
        other than a reply behind; the next request must not suffer from it.

        Returns:
            Whether it may still take so many bytes (``room``).

        Raises:
            WorkerEnded: it is lost, or gives no sign within ``seconds``.
        """
        try:
            return not self.ask({"do": "hello", "room": room}, seconds).get("full")
        except WorkerTimeout as failure:
            raise WorkerEnded("went on after a reply to the grader") from failure

    def _late(self, seconds: float) -> WorkerFailed:
        words = self._process.end(wait=0)
        self.close()
        # A child may hold the connection open when the worker itself is gone.
        return WorkerEnded(words) if words else WorkerTimeout(f"ran longer than {seconds:.3g} s")

    def _gone(self) -> WorkerFailed:
        """Close the worker, which is gone, and say in words why."""
        words = self._process.end(wait=1)
        self.close()
        return WorkerEnded(words or "closed the connection to the grader")

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
