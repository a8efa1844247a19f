"""The grader's side of a worker: start it, ask it, and outlive whatever happens to it."""

import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from typing import Any, Literal, Self

from torch import Tensor

from transformer_checks.checks.calls import SECONDS
from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.grading import wire
from transformer_checks.grading.isolation import Isolation
from transformer_checks.grading.launch import StartFailed
from transformer_checks.grading.resources import Resources


@dataclass(frozen=True)
class Limits:
    """What a notebook may take: seconds, and the rest.

    Attributes:
        start: until a worker answers for the first time.
        cell: one cell of a notebook.
        cells: all cells of a notebook together, runs after a restart included.
        exercise: all calls of one answer together.
        grace: what a worker may take beyond a call's limit before it is killed.
        resources: what a notebook may use besides time.
    """

    start: float = 60.0
    cell: float = 30.0
    cells: float = 120.0
    exercise: float = SECONDS
    grace: float = 2.0
    resources: Resources = field(default_factory=Resources)


class WorkerFailed(Exception):
    """No reply. The message continues the sentence "the cell …"."""

    status: Literal["crashed", "timeout"]


class WorkerEnded(WorkerFailed):
    """The worker's process ended, or sent something else than a reply."""

    status = "crashed"


class WorkerLate(WorkerFailed):
    """The worker sent nothing in time."""

    status = "timeout"


class Worker:
    """One worker process."""

    def __init__(self, limits: Limits, isolation: Isolation) -> None:
        try:
            self._start(limits, isolation)
        except WorkerFailed:  # no fault of a notebook: has something killed the fork server?
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
            WorkerLate: nothing came within ``seconds``.
        """
        # Not a count: what a cell writes into the connection must not fit a later request.
        number = secrets.token_hex(8)
        reply: Queue[bytes] = Queue()
        # In a thread, because a worker that is stopped blocks writing as well as reading.
        self._talk = Thread(
            target=self._exchange, args=(wire.dump(request | {"id": number}), reply), daemon=True
        )
        self._talk.start()
        try:
            line = reply.get(timeout=seconds)
        except Empty:
            raise self._late(seconds) from None
        except BaseException:
            self.close()
            raise
        try:
            message = wire.load(line)
            if message.get("id") != number:
                raise wire.WireError("the reply belongs to no request")
        except wire.WireError as error:
            raise WorkerEnded(self._cause(line)) from error
        return message

    def _exchange(self, request: bytes, reply: Queue[bytes]) -> None:
        try:
            self._process.requests.write(request)
            self._process.requests.flush()
            reply.put(self._process.replies.readline(wire.LINE_BYTES))
        except (OSError, ValueError):  # the worker is gone: an empty line says so
            reply.put(b"")

    def _late(self, seconds: float) -> WorkerFailed:
        words = self._process.end(wait=0)
        self.close()
        # A child may hold the connection open when the worker itself is gone.
        return WorkerEnded(words) if words else WorkerLate(f"ran longer than {seconds:.3g} s")

    def _cause(self, line: bytes) -> str:
        """Say in words why there is no reply, and close the worker."""
        words = "" if line else self._process.end(wait=1)
        self.close()
        return words or f"{'broke' if line else 'closed'} the connection to the grader"

    def broken(self) -> WorkerFailed:
        """Close the worker, because its reply is none."""
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


@dataclass(frozen=True)
class Trouble:
    """What went wrong in one cell.

    Attributes:
        status: what an exercise that this cell should have answered gets.
        words: what happened, continuing the sentence "the cell …".
    """

    status: Literal["error", "crashed", "timeout"]
    words: str


class Session:
    """A notebook's cells, run; its answers can be called. A lost worker is replaced.

    Attributes:
        trouble: by position of the cell, what went wrong in it.
        limits: seconds that things may take.
    """

    def __init__(self, cells: Sequence[str], limits: Limits, isolation: Isolation) -> None:
        self.trouble: dict[int, Trouble] = {}
        self._cells, self.limits, self._isolation = cells, limits, isolation
        self._left = limits.cells
        self._worker: Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker:
            self._worker.close()

    def prepare(self) -> None:
        """See to it that there is a worker in which the cells have run.

        Raises:
            StartFailed: see there.
        """
        while self._worker is None:
            worker = Worker(self.limits, self._isolation)
            try:
                for position in range(len(self._cells)):
                    self._run(worker, position)
            except WorkerFailed:
                continue  # the trouble is noted: the next worker leaves that cell out
            except BaseException:
                worker.close()
                raise
            self._worker = worker

    def _run(self, worker: Worker, position: int) -> None:
        before = self.trouble.get(position)
        if before and before.status != "error":
            return
        if self._left <= 0:
            words = f"was not run: the notebook took longer than {self.limits.cells:.3g} s"
            self.trouble[position] = Trouble("timeout", words)
            return
        started = time.monotonic()
        try:
            request = {"do": "cell", "source": self._cells[position]}
            reply = worker.ask(request, min(self.limits.cell, self._left))
            error = wire.text(reply.get("error"))
        except wire.WireError:
            failure = worker.broken()
            self.trouble[position] = Trouble(failure.status, str(failure))
            raise failure from None
        except WorkerFailed as failure:
            self.trouble[position] = Trouble(failure.status, str(failure))
            raise
        finally:
            self._left -= time.monotonic() - started
        self.trouble.pop(position, None)
        if error:
            self.trouble[position] = Trouble("error", f"raised {error}")

    def call(self, check: Check, case: Case, seconds: float) -> Outcome | str:
        """Call the notebook's answer to an exercise.

        Returns:
            What came back; or, where there is nothing to call, the type of what bears the
            answer's name, ``""`` if nothing does.

        Raises:
            WorkerEnded: the call took the worker down.
        """
        self.prepare()
        assert self._worker
        request = {
            "do": "call",
            "name": check.answer,
            "case": wire.pack_case(case),
            "returns": check.returns,
            "forbidden": sorted(check.forbidden),
            "allowed": check.allowed,
            "seconds": seconds,
        }
        try:
            reply = self._worker.ask(request, seconds + self.limits.grace)
            if "missing" in reply:
                return wire.text(reply["missing"])
            return wire.unpack_outcome(reply.get("outcome"), _value_names(check, case))
        except WorkerLate:
            self._worker = None
            return Outcome(timed_out=True)
        except WorkerEnded:
            self._worker = None
            raise
        except wire.WireError as error:
            broken, self._worker = self._worker.broken(), None
            raise broken from error


def _value_names(check: Check, case: Case) -> set[str]:
    """What ``calls.call`` brings back from this case."""
    names = set(check.returns)
    if case.gradients:
        leaves = {**case.inputs, **(case.build.weights if case.build else {})}
        names |= {
            f"gradient of {name}"
            for name, value in leaves.items()
            if isinstance(value, Tensor) and value.is_floating_point()
        }
    return names
