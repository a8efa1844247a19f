"""A notebook, read and run in a worker, and calls of the answers that it defines."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from torch import Tensor

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import given
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import protocol
from notebook_judge.grading.sandbox.client import (
    WorkerClient,
    WorkerEnded,
    WorkerFailed,
    WorkerTimeout,
)
from notebook_judge.grading.sandbox.isolation import Isolation
from notebook_judge.grading.sandbox.reading import Unreadable

NOT_HERE = "is not on the grading machine"
_STUB = "raise NotImplementedError"
_FULL = "left less than {:.0f} MiB of memory to what follows"
_BUSY = 1.5  # whatever took so many times its limit by the clock had to wait for the machine


def all_answers() -> list[str]:
    """The names of the answers of all exercises. The first call reads the whole catalogue."""
    return sorted({check.answer for check in catalogue().checks.values()})


@dataclass(frozen=True)
class Cell:
    """A code cell, as the worker read it. Of names it holds those that exercises ask for.

    Attributes:
        functions: the functions and classes that it defines.
        names: these, what it gives a value to, and what it imports.
        checks: the exercises that it checks.
        grade_id: what nbgrader calls it.
        first_line: how a message refers to it.
        code: its text, as long as a report shows it; empty if it holds no answer.
        reaches: the first thing that it uses of the machinery around it; empty if there is none.
        shape: see ``ExerciseResult``.
    """

    functions: frozenset[str]
    names: frozenset[str]
    checks: frozenset[str]
    grade_id: str
    first_line: str
    code: str
    reaches: str
    shape: str = ""


@dataclass(frozen=True)
class Trouble:
    """What went wrong in one cell.

    Attributes:
        status: what an exercise that this cell should have answered gets.
        words: what happened, continuing the sentence "the cell …".
        lost: the names that it would have given a value.
    """

    status: Literal["error", "crashed", "timeout"]
    words: str
    lost: frozenset[str] = frozenset()


class OutOfTime(Exception):
    """The time for the whole notebook is over."""


@dataclass
class Budget:
    """What a notebook has by the clock, in all its workers together.

    Attributes:
        seconds: when it begins.
        idled: seconds in which it is known to have waited for nothing.
    """

    seconds: float
    idled: float = 0.0
    _began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(self._began + self.seconds - time.monotonic(), 0)


class NotebookSession:
    """A notebook, read and run; its answers can be called. A lost worker is replaced.

    Attributes:
        cells: its code cells.
        trouble: by position of the cell, what went wrong in it.
        exercises: those that it answers; known when it is read, and needed before it is run.
        limits: what it may take.
        spent: seconds that its cells have computed.
        hindered: whether something ran out of time that the machine did not give it.
    """

    def __init__(
        self,
        text: str,
        limits: Limits,
        isolation: Isolation,
        poison: frozenset[str] = frozenset(),
        cells: tuple[Cell, ...] = (),
        budget: Budget | None = None,
    ) -> None:
        """Read a notebook; run nothing yet.

        Args:
            text: of the file.
            limits: what it may take.
            isolation: how its code is isolated.
            poison: shortcuts whose operators give wrong numbers; then a statement that fails
                leaves the rest of its cell to run.
            cells: what another session has read of this notebook.
            budget: what is left of the time for the notebook; None: all of it.

        Raises:
            Unreadable: it is none, or reading it takes too long.
            StartFailed: there is no worker.
        """
        self.trouble: dict[int, Trouble] = {}
        self._text, self.limits, self._isolation = text, limits, isolation
        self._poison = sorted(poison)
        self._left, self._again = limits.cells, False
        self._budget = budget or Budget(limits.notebook)
        self.exercises: Sequence[Check] = ()
        self.spent = 0.0
        self.hindered = False
        self._worker: WorkerClient | None = None
        self._idle: WorkerClient | None = None  # has read the notebook, and run none of it
        self.cells = cells
        self._idle = self._reader()

    def _reader(self) -> WorkerClient:
        """A worker that has read the notebook; the first one also describes its cells."""
        worker = WorkerClient(self.limits, self._isolation)
        request = {"do": "read", "notebook": self._text, "poison": self._poison}
        request["ids"] = sorted(catalogue().by_cell_id)
        if not self.cells:
            request["answers"] = all_answers()
        try:
            reply = worker.ask(request, self._far(self.limits.cell))
            if "unreadable" in reply:
                raise Unreadable(protocol.text(reply["unreadable"]))
            self.cells = self.cells or tuple(map(_cell, reply.get("cells", ())))
        except WorkerFailed as failure:
            if self.cells:  # it was read before
                self.look_at_the_clock()
            raise Unreadable(f"reading it {failure}") from failure
        except Unreadable:
            worker.close()
            raise
        except protocol.ProtocolError as error:
            raise Unreadable(f"reading it {worker.broken()}") from error
        return worker

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in (self._worker, self._idle):
            if worker:
                worker.close()

    def prepare(self) -> None:
        """Make sure that there is a worker in which the cells have run.

        Raises:
            StartFailed: see there.
            OutOfTime: see there.
        """
        self.look_at_the_clock()
        while self._worker is None:
            worker, self._idle = self._idle or self._another(), None
            try:
                self._run(worker)
            except WorkerFailed:
                self.look_at_the_clock()
                continue  # the trouble is noted: the next worker leaves that cell out
            except BaseException:
                worker.close()
                raise
            self._worker = worker

    def look_at_the_clock(self) -> None:
        """Make sure that there is time left.

        Raises:
            OutOfTime: see there.
        """
        if not self._budget.left:
            self.hindered |= self._budget.idled < self._budget.seconds / 2
            raise OutOfTime

    def _another(self) -> WorkerClient:
        """A worker to run the cells in again, which is not charged to the first run."""
        if not self._again:
            self._left, self._again = self.limits.reruns, True
        return self._reader()

    def _run(self, worker: WorkerClient) -> None:
        """Run the cells, except for those that took another worker down.

        Raises:
            WorkerFailed: one of them took this worker down, which its trouble says.
        """
        stopped = {at for at, trouble in self.trouble.items() if trouble.status != "error"}
        positions = [at for at in range(len(self.cells)) if at not in stopped]
        request = {
            "do": "cells",
            "positions": positions,
            "needed": [at for at in positions if self.cells[at].names],
            "seconds": max(self._left, 0),
            "cell": self.limits.cell,
            "far": self.limits.far,
            "exercises": {
                one.name: (one.answer, next(iter(self.defining(one)), None))
                for one in self.exercises
            },
            "given": [text for one in self.exercises[:1] for text in given(one.lesson)],
            "room": self.limits.room,
        }
        done, began = 0, time.monotonic()
        try:
            for reply in worker.ask_each(
                request, len(positions), lambda: self._far(self.limits.cell)
            ):
                if reply.get("full"):
                    worker.close()
                    raise WorkerEnded(_FULL.format(self.limits.room / 2**20))
                self._note(positions[done], reply, time.monotonic() - began)
                done, began = done + 1, time.monotonic()
            worker.make_sure_it_is_done(self._far(self.limits.exercise))
        except (WorkerFailed, protocol.ProtocolError) as error:
            failure = error if isinstance(error, WorkerFailed) else worker.broken()
            if positions and self._budget.left:
                at = positions[min(done, len(positions) - 1)]
                late = f"ran longer than {self.limits.cell:.3g} s"
                words = late if failure.status == "timeout" else str(failure)
                self.trouble[at] = Trouble(failure.status, words)
                self._count(time.monotonic() - began)
                self.hindered |= failure.status == "timeout"
            raise failure from None

    def _far(self, seconds: float) -> float:
        """How long to wait for what may compute for so many seconds."""
        return min(2 * self.limits.far * seconds + self.limits.grace, self._budget.left)

    def _count(self, seconds: float) -> None:
        """Count what a cell has computed."""
        self._left -= seconds
        self.spent += seconds

    def _note(self, position: int, reply: Mapping[str, Any], waited: float) -> None:
        """Keep what a cell took, and what went wrong in it."""
        error, spent = protocol.text(reply.get("error")), reply.get("spent")
        self._count(spent if isinstance(spent, float) and 0 <= spent <= waited else waited)
        self.trouble.pop(position, None)
        lost = frozenset(protocol.texts(reply.get("lost", [])))
        if reply.get("late"):
            most = self.limits.reruns if self._again else self.limits.cells
            words = f"was not run: the notebook took longer than {most:.3g} s"
            self.trouble[position] = Trouble("timeout", words)
        elif reply.get("over"):
            self.trouble[position] = Trouble("timeout", f"ran longer than {self.limits.cell:.3g} s")
            self._stopped(waited, self.limits.cell, idle=reply.get("idle") is True)
        elif error:
            words = f"needs {absent}" if (absent := not_here(error)) else f"raised {error}"
            self.trouble[position] = Trouble("error", words, lost)

    def _stopped(self, waited: float, limit: float, *, idle: bool) -> None:
        """Note that something was stopped after so many seconds, and whether it had only waited."""
        self._budget.idled += waited * idle
        self.hindered |= waited > _BUSY * limit and not idle

    def uses(self, check: Check, others: Iterable[str]) -> set[str]:
        """Which of these names the answer to an exercise reads; none if the worker is lost."""
        self.prepare()
        assert self._worker
        try:
            names = {"name": check.answer, "exercise": check.name, "of": sorted(others)}
            reply = self._worker.ask({"do": "uses"} | names, self._far(self.limits.cell))
            return set(map(protocol.text, reply.get("uses", ())))
        except (WorkerFailed, protocol.ProtocolError, TypeError):
            self._worker.close()
            self._worker = None
            return set()

    def defining(self, check: Check) -> list[int]:
        """The cell that answers an exercise: the last that defines it, or else names it.

        Behind its check that is a draft, unless nothing is defined before.
        """
        names = [at for at, cell in enumerate(self.cells) if check.answer in cell.names]
        functions = [at for at in names if check.answer in self.cells[at].functions]
        checks = [at for at, cell in enumerate(self.cells) if check.name in cell.checks]
        checked = [at for at in functions if at <= max(checks, default=-1)]
        marked = [
            at
            for at in functions
            if self.cells[at].grade_id == check.cell_id and _STUB not in self.cells[at].code
        ]
        return (checked or marked or functions or names)[-1:]

    def call(
        self, check: Check, cases: Sequence[Case], instead: Sequence[Check] = ()
    ) -> list[Outcome] | str:
        """Call the notebook's answer to an exercise.

        Args:
            check: the exercise.
            cases: the inputs.
            instead: exercises whose solutions it finds in the place of the notebook's answers.

        Returns:
            What came back, up to the first outcome that settles the verdict; or, where there is
            nothing to call, the type of what has the answer's name, ``""`` if nothing does.

        Raises:
            WorkerEnded: a call took the worker down; its ``place`` says which.
        """
        self.prepare()
        worker = self._worker
        assert worker
        request = {
            "do": "call",
            "name": check.answer,
            "exercise": check.name,
            "defined": self.defining(check),
            "cases": [protocol.pack_case(case) for case in cases],
            "instead": {one.answer: one.text.whole for one in instead},
            "returns": check.returns,
            # Where shortcuts give wrong numbers, the values alone tell.
            "forbidden": None if self._poison else sorted(check.forbidden),
            "allowed": check.allowed,
            "seconds": self.limits.exercise,
            "far": self.limits.far,
        }
        missing, outcomes, idle = None, list[Outcome](), False
        began = time.monotonic()
        deadline = began + self._far(self.limits.exercise)

        def left() -> float:
            return deadline - time.monotonic()

        try:
            replies = worker.ask_each(request, len(cases), left)
            for case, reply in zip(cases, replies, strict=True):
                if "missing" in reply:
                    missing = protocol.text(reply["missing"])
                else:
                    outcomes.append(_outcome(check, case, reply))
                    idle = reply.get("idle") is True
            wait = self._far(self.limits.exercise)
            if not worker.make_sure_it_is_done(wait, self.limits.room):
                worker.close()
                self._worker = None  # the next answer need not miss what this one has taken
        except (WorkerFailed, protocol.ProtocolError) as error:
            failure = error if isinstance(error, WorkerFailed) else worker.broken()
            failure.place = min(len(outcomes), len(cases) - 1)
            self._worker = None
            if isinstance(failure, WorkerTimeout):
                self.look_at_the_clock()
                outcomes.append(Outcome(timed_out=True))
            elif not any(outcome.settles for outcome in outcomes):
                raise failure from None
        if missing is not None:
            return missing
        if any(outcome.timed_out for outcome in outcomes):
            self._stopped(time.monotonic() - began, self.limits.exercise, idle=idle)
        last = next((n for n, one in enumerate(outcomes) if one.settles), len(outcomes))
        return outcomes[: last + 1]


def not_here(error: str) -> str:
    """What another machine has, in words that follow "it needs"; empty where that is not it."""
    module = re.search(r"\bModuleNotFoundError: No module named '([^'.]+)", error)
    file = re.search(r"\bFileNotFoundError: .*: '([^']+)'", error)
    what = f"the module `{module[1]}`" if module else f"the file `{file[1]}`" if file else ""
    return f"{what}, which {NOT_HERE}: that sees the notebook alone" if what else ""


def _outcome(check: Check, case: Case, reply: Mapping[str, Any]) -> Outcome:
    return protocol.unpack_outcome(reply.get("outcome"), _value_names(check, case))


def _cell(plain: Any) -> Cell:
    """A cell as the worker described it.

    Raises:
        ProtocolError: this is no such description.
    """
    try:
        return Cell(
            functions=frozenset(map(protocol.text, plain["functions"])),
            names=frozenset(map(protocol.text, plain["names"])),
            checks=frozenset(map(protocol.text, plain["checks"])),
            grade_id=protocol.text(plain["grade_id"]),
            first_line=protocol.text(plain["first_line"])[:60],
            code=protocol.lines(plain["code"]),
            reaches=protocol.text(plain["reaches"]),
            shape=protocol.text(plain["shape"])[:16],
        )
    except (KeyError, TypeError) as error:
        raise protocol.ProtocolError("not a description of a cell") from error


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
