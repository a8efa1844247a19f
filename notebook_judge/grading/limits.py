"""What a notebook may take: every limit of the grader stands here."""

from dataclasses import dataclass

from notebook_judge.checks.clock import FAR, SECONDS


@dataclass(frozen=True)
class Limits:
    """Seconds are of processor time, of a notebook and of all that it starts, unless said.

    Attributes:
        start: seconds by the clock until a worker answers for the first time.
        cell: seconds for one cell of a notebook.
        cells: seconds for all cells of a notebook together.
        reruns: seconds for all that run them again, because an answer took the worker down.
        exercise: seconds for all calls of one answer together.
        notebook: seconds by the clock for a notebook, from its reading to its last call.
        far: so many times as long everything may do nothing but wait; what gives no sign for
            twice as long, by the clock, is killed.
        grace: seconds by the clock that a worker may take beyond that.
        memory: bytes in one process, beyond what PyTorch takes when it is loaded; all together
            may have half as much again.
        written: bytes in all files together, where the notebook's home lies in memory.
        file: bytes in one file.
        files: open at a time, in one process.
        processes: at a time.
        cpu: seconds that one process may compute in its whole life.
    """

    start: float = 60.0
    cell: float = 30.0
    cells: float = 120.0
    reruns: float = 240.0
    exercise: float = SECONDS
    notebook: float = 600.0
    far: float = FAR
    grace: float = 2.0
    memory: int = 2 * 2**30
    written: int = 256 * 2**20
    file: int = 64 * 2**20
    files: int = 256
    processes: int = 64
    cpu: int = 600

    @property
    def room(self) -> int:
        """Bytes that a cell or an answer must leave to what follows: else it gets a new process."""
        return self.memory // 8
