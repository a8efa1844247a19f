"""Walls whose workers can all be ended at once, from any thread."""

from dataclasses import dataclass, field
from threading import Event, get_ident

from transformer_checks.grading.isolation import Isolation
from transformer_checks.grading.launch import StartFailed, WorkerProcess
from transformer_checks.grading.resources import Resources


@dataclass(frozen=True)
class Stoppable(Isolation):
    """The same walls as another isolation; after ``stop`` there are no workers behind them.

    Attributes:
        stopped: whether that has happened.
    """

    stopped: Event = field(default_factory=Event, compare=False)
    # By the thread that asked: each has one worker at a time, so that is the one still at work.
    _workers: dict[int, WorkerProcess] = field(default_factory=dict, compare=False)

    def start(self, resources: Resources) -> WorkerProcess:
        """Start a worker.

        Raises:
            StartFailed: see ``Isolation.start``; and always after ``stop``.
        """
        worker = None if self.stopped.is_set() else super().start(resources)
        if worker is None or self.stopped.is_set():
            if worker:
                worker.end(wait=0)
            raise StartFailed("grading was stopped")
        self._workers[get_ident()] = worker
        return worker

    def stop(self) -> None:
        """End the workers; those who wait for their replies see them gone."""
        self.stopped.set()
        for worker in list(self._workers.values()):
            worker.end(wait=0)
