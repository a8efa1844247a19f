"""Ctrl-C between two steps instead of in the middle of one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether Ctrl-C was pressed. Pressed twice, it interrupts at once, as everywhere else."""

    pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        """Remember it; the second time raise ``KeyboardInterrupt``."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


@contextmanager
def deferred_interrupt() -> Iterator[Interrupt]:
    """Catch Ctrl-C while the block runs, if this is the main thread: no other receives it."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt.press)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
