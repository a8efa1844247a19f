"""A notebook in several workers: as it is, and where forbidden operators are wrong."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Self

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.notebook_session import Budget, NotebookSession
from notebook_judge.grading.sandbox.isolation import Isolation


class Sessions:
    """The workers of one notebook, each started when it is first needed.

    Attributes:
        plain: the notebook as it is.
    """

    def __init__(self, text: str, limits: Limits, isolation: Isolation) -> None:
        """Read the notebook.

        Raises:
            Unreadable, StartFailed: see ``NotebookSession``.
        """
        budget = Budget(limits.notebook)
        self._open = partial(NotebookSession, text, isolation=isolation, budget=budget)
        self._limits = limits
        self._stack = ExitStack()
        self.plain = self._stack.enter_context(self._open(limits))
        self._others: dict[frozenset[str], NotebookSession] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def hindered(self) -> bool:
        """See ``NotebookSession``."""
        return any(session.hindered for session in (self.plain, *self._others.values()))

    def poisoned(self, shortcuts: frozenset[str]) -> Iterator[NotebookSession]:
        """The notebook where these shortcuts give wrong numbers.

        First in the workers that are there and in which others do so too: an answer that is right
        in one of them needs no further worker. In the last one these do so alone.
        """
        yield from [session for poison, session in self._others.items() if poison > shortcuts]
        yield self.other(shortcuts)

    def other(self, shortcuts: frozenset[str] = frozenset()) -> NotebookSession:
        """The notebook in a second worker, in which these shortcuts give wrong numbers.

        What it says is never shown, so it may be given solutions. Its cells may take little longer
        than they took at first.
        """
        if shortcuts not in self._others:
            most = min(self._limits.cells, 2 * self.plain.spent + 5)
            limits = replace(self._limits, cells=most, reruns=2 * most)
            session = self._open(limits, poison=shortcuts, cells=self.plain.cells)
            session.exercises = self.plain.exercises
            stopped = {n: one for n, one in self.plain.trouble.items() if one.status != "error"}
            session.trouble.update(stopped)  # once is enough
            self._others[shortcuts] = self._stack.enter_context(session)
        return self._others[shortcuts]
