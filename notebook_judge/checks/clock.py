"""Stop an answer by the processor time that it takes, whatever else the machine does."""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
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
        idle: whether it stopped what did nothing but wait, and not for the machine.
    """

    def __init__(self, seconds: float = SECONDS, far: float = FAR) -> None:
        self.seconds, self.spent, self.idle = seconds, 0.0, False
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
        idled, others, waited = list[float](), list[float](), list[float]()

        def tick(_signal: int, frame: FrameType | None) -> None:
            if _importing(frame):
                self._seen = _computed()
                return
            # Before the others are asked: beside a busy thread that can last beyond the next tick.
            if self.look() >= self.seconds:
                raise TimeLimitExceeded
            # From the first tick on: to ask takes longer than what most answers compute.
            below = _below()
            others.append(_computed_by(below))
            # Of a thread that has ended nobody tells any more for how long it had waited.
            waited.append(max([_waited([psutil.Process(), *below]), *waited[-1:]]))
            idled.append(time.monotonic() - _computed() - others[-1] - waited[-1])
            spent = self.spent + others[-1] - others[0]
            self.idle = spent < self.seconds and idled[-1] - idled[0] >= self._patience
            if spent >= self.seconds or self.idle:
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
                self._patience -= idled[-1] - idled[0]


def _computed() -> float:
    """Seconds that this process has computed, and its children that have ended."""
    return sum(os.times()[:4])


def _waited(processes: Iterable[psutil.Process]) -> float:
    """Seconds that the threads of these processes have waited for a processor; told by Linux alone.

    One that the main thread waits for may be the one that the machine has no time for.
    """
    waited = 0.0
    for process in processes:
        for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
            with suppress(OSError, ValueError, IndexError):
                waited += int(thread.read_text().split()[1]) / 1e9
    return waited


def _below() -> list[psutil.Process]:
    """The living processes below this one."""
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []


def _computed_by(processes: Iterable[psutil.Process]) -> float:
    """Seconds that these processes have computed."""
    seconds = 0.0
    for process in processes:
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
