"""A cell of an exercise notebook as nbval runs it, in a kernel that may die."""

import re
import time
from contextlib import suppress
from queue import Empty
from typing import Any, Self

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from notebook_judge.checks.solutions import given
from notebook_judge.course import course
from notebook_judge.learning.nbval_kernel import BEGIN

POLL_S = 1.0
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class KernelDied(Exception):
    """The kernel's process ended while a cell ran."""


class RestartingKernel:
    """The kernel of a notebook. One that died is replaced, and the cells above are run again.

    Attributes:
        file: the notebook, as nbval collected it.
    """

    def __init__(self, file: IPyNbFile, checks: set[int], lesson: str) -> None:
        """``checks`` are the numbers of the cells that define nothing for those below them."""
        self.file, self._lesson = file, lesson
        self._checks = checks
        self._kernel: Any = None
        self._ran = set[int]()
        self._fatal = set[int]()  # cells that ended a kernel, or never came to an end

    def prepare(self, number: int) -> None:
        """Make sure that there is a kernel in which the cells above ``number`` have run."""
        sources = [cell.source for cell in self.file.nb.cells if cell.cell_type == "code"]
        while True:
            self._restart_if_dead()
            missing = set(range(number)) - self._ran - self._fatal - self._checks
            if not missing:
                return
            self._run(min(missing), sources[min(missing)])

    def finished(self, number: int, *, fatal: bool) -> None:
        """Note that a cell has run, and whether it has made the kernel unusable."""
        self._ran.add(number)
        if fatal:
            self._fatal.add(number)

    def _restart_if_dead(self) -> None:
        file = self.file
        if not file.kernel.is_alive():
            with suppress(AttributeError):  # nbval has stopped it already
                file.kernel.stop()
            file.setup()
        if self._kernel is not file.kernel:
            self._kernel, self._ran = file.kernel, set()
            detect_death(file.kernel)
            self._send(BEGIN.format(given=given(self._lesson), first=course().first))

    def _run(self, number: int, source: str) -> None:
        """Run a cell for what it defines; what it shows or raises is reported elsewhere."""
        self._ran.add(number)
        try:
            self._send(source)
        except (KernelDied, Empty):
            self._fatal.add(number)
            self._kernel.stop()

    def _send(self, source: str) -> None:
        """Run a source to its end."""
        request = self._kernel.execute_cell_input(source, allow_stdin=False)
        limit = self.file.config.option.nbval_cell_timeout
        self._kernel.await_reply(request, timeout=limit)
        self._kernel.await_idle(request, 5 * POLL_S)


def retry_start(file: IPyNbFile) -> None:
    """Make ``file`` start a second kernel where the first one died before it answered.

    Free ports are picked for a kernel before it exists. Now and then another program of a busy
    machine has taken one of them when it comes to listen (jupyter_client, issue 154).
    """
    start = file.setup

    def setup() -> None:
        try:
            start()
        except RuntimeError as fault:
            if "died" not in str(fault):
                raise
            start()

    file.setup = setup


def detect_death(kernel: Any) -> None:
    """Make ``kernel`` notice its own death while it waits; nbval would go on waiting."""
    receive = kernel.get_message

    def get_message(stream: str, timeout: float | None = None) -> Any:
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while True:
            left = deadline - time.monotonic()
            try:
                message = receive(stream, timeout=max(min(left, POLL_S), 0.01))
            except Empty:
                if not kernel.is_alive():
                    raise KernelDied from None
                if left <= POLL_S:
                    raise
                continue
            # A panel of progress() renews itself; nbval knows no such message.
            if message["msg_type"] != "update_display_data":
                return message

    kernel.get_message = get_message


class ExerciseCell(IPyNbCell):
    """A cell with a name. It takes no other cell down with it, and reports what its check said."""

    kernel: RestartingKernel

    @classmethod
    def instead_of(
        cls, item: IPyNbCell, name: str, exercise: str, kernel: RestartingKernel
    ) -> Self:
        """Return the cell in the place of nbval's own; ``exercise`` is what it checks, if any."""
        cell: Self = cls.from_parent(
            item.parent, name=name, cell_num=item.cell_num, cell=item.cell, options=item.options
        )
        cell.kernel = kernel
        if exercise:
            cell.user_properties.append(("exercise", exercise))
        return cell

    def reportinfo(self) -> tuple[Any, int, str]:
        """Where it stands, and what its failure is headed with."""
        return self.path, 0, f"{self.path.name}: {self.name}"

    def setup(self) -> None:
        """Expect it to pass: a cell above that never ended is no reason to fail."""
        self.parent.timed_out = False

    def runtest(self) -> None:
        """Run it after the cells above it, in a kernel that is alive."""
        self.kernel.prepare(self.cell_num)
        died = False
        try:
            super().runtest()
        except KernelDied:
            died = True
            raise
        finally:
            self.kernel.finished(self.cell_num, fatal=died or self.parent.timed_out)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        """What the check said, or what went wrong instead."""
        verdict, words = self._verdict(excinfo)
        self.user_properties.append(("verdict", verdict))
        return words

    def _verdict(self, excinfo: pytest.ExceptionInfo[BaseException]) -> tuple[str, str]:
        """The verdict in a word or two, and at length."""
        if isinstance(excinfo.value, KernelDied):
            words = "The kernel died while this cell ran. The other exercises got a new one."
            return "the kernel died", words
        words = super().repr_failure(excinfo)
        if not self.config.get_terminal_writer().hasmarkup:
            words = _ANSI.sub("", words)
        if self.parent.timed_out:
            return "timeout", words
        outputs = self.test_outputs or []
        raised = next((one for one in outputs if "ename" in one), None)
        if raised is None:
            return "failed", words
        if raised.ename != "NotPassed":
            return raised.ename, words
        shown = [one.data.get("text/plain", "") for one in outputs if "data" in one]
        return raised.evalue.partition(": ")[2], "\n".join(shown)
