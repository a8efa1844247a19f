"""Stop an answer by the processor time that it takes, whatever else the machine does."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import psutil

SECONDS = 10.0  # of processor time, for all cases of one answer together
FAR = 4.0  # so many times as long an answer may do nothing but wait
_TICK = 0.25  # seconds between two looks at what has been computed


class TimeLimitExceeded(BaseException):
    """Not an Exception, so that an answer's ``except Exception`` does not swallow it."""


class Clock:
    """Counts what runs inside ``running``, and stops it when its time is over.

    What counts is the processor time of this process and of those that it starts; far out also the
    time in which it waits, but not for a processor. Imports do not count and are not interrupted:
    PyTorch loads much of itself when it is first used, and half loaded it would spoil what follows.

    Only the main thread can be stopped, where the system has timers; Windows has none, so there an
    endless loop is stopped by the learner.

    Attributes:
        seconds: of processor time that are allowed.
        spent: those that were used until the last look.
    """

    def __init__(self, seconds: float = SECONDS, far: float = FAR) -> None:
        self.seconds, self.spent = seconds, 0.0
        self._patience = far * seconds  # what is left of it
        self._seen = 0.0

    def look(self) -> float:
        """Count what was computed since the last look, and return ``spent``."""
        before, self._seen = self._seen, _computed()
        self.spent += self._seen - before
        return self.spent

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let time pass inside the block.

        Raises:
            TimeLimitExceeded: it is over, again and again in case the answer catches it.
        """
        self._seen = _computed()
        on_main_thread = threading.current_thread() is threading.main_thread()
        if not (on_main_thread and hasattr(signal, "setitimer")):
            yield
            self.look()
            return
        idled, others = list[float](), list[float]()

        def tick(_signal: int, frame: FrameType | None) -> None:
            if _importing(frame):
                self._seen = _computed()
                return
            # Before the others are asked: beside a busy thread that can last beyond the next tick.
            if self.look() >= self.seconds:
                raise TimeLimitExceeded
            # From the first tick on: to ask takes longer than what most answers compute.
            others.append(_computed_by_others())
            idled.append(_idled())
            spent = self.spent + others[-1] - others[0]
            if spent >= self.seconds or idled[-1] - idled[0] >= self._patience:
                raise TimeLimitExceeded

        previous = signal.signal(signal.SIGALRM, tick)
        first = max(min(_TICK, self.seconds - self.spent), 0.001)
        signal.setitimer(signal.ITIMER_REAL, first, _TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
            self.look()
            if idled:
                self._patience -= _idled() - idled[0]


def _computed() -> float:
    """Seconds that this process has computed, and its children that have ended."""
    return sum(os.times()[:4])


def _idled() -> float:
    """By the clock, less what this process has computed or, on Linux, waited for a processor."""
    waited = 0.0
    with suppress(OSError, ValueError, IndexError):
        waited = int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    return time.monotonic() - _computed() - waited


def _computed_by_others() -> float:
    """Seconds that the living processes below this one have computed."""
    seconds = 0.0
    with suppress(psutil.Error):
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                seconds += sum(process.cpu_times()[:4])
    return seconds


def _importing(frame: FrameType | None) -> bool:
    """Whether this frame runs because a module is being imported."""
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
