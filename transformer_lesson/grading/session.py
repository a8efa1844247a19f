"""The grader's side of a worker: start it, ask it, and outlive whatever happens to it."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, Literal, Self

from torch import Tensor

import transformer_lesson
from transformer_lesson.checks.calls import SECONDS
from transformer_lesson.checks.exercise import Case, Check, Outcome
from transformer_lesson.grading import wire


@dataclass(frozen=True)
class Limits:
    """Seconds that things may take.

    Attributes:
        start: until a worker answers for the first time.
        cell: one cell of a notebook.
        cells: all cells of a notebook together, runs after a restart included.
        exercise: all calls of one answer together.
        grace: what a worker may take beyond a call's limit before it is killed.
    """

    start: float = 60.0
    cell: float = 30.0
    cells: float = 120.0
    exercise: float = SECONDS
    grace: float = 2.0


class WorkerFailed(Exception):
    """No reply. The message continues the sentence "the cell …"."""

    status: Literal["crashed", "timeout"]


class WorkerEnded(WorkerFailed):
    """The worker's process ended, or sent something else than a reply."""

    status = "crashed"


class WorkerLate(WorkerFailed):
    """The worker sent nothing in time."""

    status = "timeout"


class StartFailed(RuntimeError):
    """A worker did not even start: a fault of the installation, not of a submission."""


def start_worker(home: Path, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process that learner's code runs in: the one place to put walls around it.

    Args:
        home: an empty folder that the process may write to; its working directory.
        errors: where it writes why it could not start.
    """
    kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")  # what it takes to start Python and PyTorch
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {
        "HOME": str(home),
        "IPYTHONDIR": str(home / ".ipython"),
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        # The worker's folder is not ours, so say where the package is.
        "PYTHONPATH": str(Path(transformer_lesson.__file__).parents[1]),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "transformer_lesson.grading.worker"],
        cwd=home,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,  # so that it can be killed with all that it started
    )


class Worker:
    """One worker process."""

    def __init__(self, limits: Limits) -> None:
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._numbers = count()
        with tempfile.TemporaryFile() as errors:
            self._process = start_worker(Path(self._home.name), errors)
            try:
                self.ask({"do": "hello"}, limits.start)
            except WorkerFailed as failure:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip() or "It said nothing."
                raise StartFailed(f"a worker {failure} before it was ready.\n{said}") from failure
            except BaseException:
                self.close()
                raise

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and wait for its reply. After a failure the worker is closed.

        Raises:
            WorkerEnded: the process ended or broke the protocol.
            WorkerLate: nothing came within ``seconds``.
        """
        number = next(self._numbers)
        reply: Queue[bytes] = Queue()
        # In a thread, because a worker that is stopped blocks writing as well as reading.
        self._talk = Thread(
            target=self._exchange, args=(wire.dump(request | {"id": number}), reply), daemon=True
        )
        self._talk.start()
        try:
            line = reply.get(timeout=seconds)
        except Empty:
            self.close()
            raise WorkerLate(f"ran longer than {seconds:.3g} s") from None
        try:
            message = wire.load(line)
            if message.get("id") != number:
                raise wire.WireError("the reply belongs to no request")
        except wire.WireError as error:
            raise WorkerEnded(self._cause(line)) from error
        return message

    def _exchange(self, request: bytes, reply: Queue[bytes]) -> None:
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
            reply.put(self._process.stdout.readline(wire.LINE_BYTES))
        except OSError:  # the worker is gone: an empty line says so
            reply.put(b"")

    def _cause(self, line: bytes) -> str:
        """Say in words why there is no reply, and close the worker."""
        if line:
            self.close()
            return "broke the connection to the grader"
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.close()
            return "closed the connection to the grader"
        self.close()
        if code < 0:  # real-time signals have numbers and no names
            named = {one.value: one.name for one in signal.Signals}
            return f"ended the process with {named.get(-code, f'signal {-code}')}"
        return f"ended the process with exit code {code}"

    def close(self) -> None:
        """Kill the process with everything it started, and remove its folder."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):  # nothing of it is left
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        self._talk.join(timeout=1)
        if not self._talk.is_alive():  # closing a pipe that a thread reads from would wait for it
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe
                with suppress(BrokenPipeError):  # a request that nobody will read
                    pipe.close()
        self._home.cleanup()


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

    def __init__(self, cells: Sequence[str], limits: Limits) -> None:
        self.trouble: dict[int, Trouble] = {}
        self._cells, self.limits = cells, limits
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
            worker = Worker(self.limits)
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
        except WorkerFailed as failure:
            self.trouble[position] = Trouble(failure.status, str(failure))
            raise
        finally:
            self._left -= time.monotonic() - started
        self.trouble.pop(position, None)
        if error := reply.get("error"):
            self.trouble[position] = Trouble("error", f"raised {wire.clean(str(error))}")

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
                return wire.clean(str(reply["missing"]))
            return wire.unpack_outcome(reply.get("outcome"), _value_names(check, case))
        except WorkerLate:
            self._worker = None
            return Outcome(timed_out=True)
        except WorkerEnded:
            self._worker = None
            raise
        except wire.WireError as error:
            self._worker.close()
            self._worker = None
            raise WorkerEnded("broke the connection to the grader") from error


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
