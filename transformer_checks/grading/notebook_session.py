"""A notebook's cells, run in a worker, and calls of the answers that they define."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from torch import Tensor

from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.grading.sandbox import protocol
from transformer_checks.grading.sandbox.client import (
    Limits,
    WorkerClient,
    WorkerEnded,
    WorkerFailed,
    WorkerTimeout,
)
from transformer_checks.grading.sandbox.isolation import Isolation


@dataclass(frozen=True)
class Trouble:
    """What went wrong in one cell.

    Attributes:
        status: what an exercise that this cell should have answered gets.
        words: what happened, continuing the sentence "the cell …".
    """

    status: Literal["error", "crashed", "timeout"]
    words: str


class NotebookSession:
    """A notebook's cells, run; its answers can be called. A lost worker is replaced.

    Attributes:
        trouble: by position of the cell, what went wrong in it.
        limits: seconds that things may take.
    """

    def __init__(self, cells: Sequence[str], limits: Limits, isolation: Isolation) -> None:
        self.trouble: dict[int, Trouble] = {}
        self._cells, self.limits, self._isolation = cells, limits, isolation
        self._left = limits.cells
        self._worker: WorkerClient | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker:
            self._worker.close()

    def prepare(self) -> None:
        """Make sure that there is a worker in which the cells have run.

        Raises:
            StartFailed: see there.
        """
        while self._worker is None:
            worker = WorkerClient(self.limits, self._isolation)
            try:
                for position in range(len(self._cells)):
                    self._run(worker, position)
            except WorkerFailed:
                continue  # the trouble is noted: the next worker leaves that cell out
            except BaseException:
                worker.close()
                raise
            self._worker = worker

    def _run(self, worker: WorkerClient, position: int) -> None:
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
            error = protocol.text(reply.get("error"))
        except protocol.ProtocolError:
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
            What came back; or, where there is nothing to call, the type of what has the
            answer's name, ``""`` if nothing does.

        Raises:
            WorkerEnded: the call took the worker down.
        """
        self.prepare()
        assert self._worker
        request = {
            "do": "call",
            "name": check.answer,
            "case": protocol.pack_case(case),
            "returns": check.returns,
            "forbidden": sorted(check.forbidden),
            "allowed": check.allowed,
            "seconds": seconds,
        }
        try:
            reply = self._worker.ask(request, seconds + self.limits.grace)
            if "missing" in reply:
                return protocol.text(reply["missing"])
            return protocol.unpack_outcome(reply.get("outcome"), _value_names(check, case))
        except WorkerTimeout:
            self._worker = None
            return Outcome(timed_out=True)
        except WorkerEnded:
            self._worker = None
            raise
        except protocol.ProtocolError as error:
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
