"""Files that are replaced whole or not at all; an output for any character and any reader."""

import io
import os
import secrets
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec

Arguments = ParamSpec("Arguments")


@contextmanager
def replacing(path: Path, *, folder: Path | None = None, sync: bool = False) -> Iterator[Path]:
    """Yield the path of a new file, which takes the place of ``path`` when the block ends.

    Nobody ever sees half a file at ``path``. If the block or the replacement fails, the new file is
    removed and what stood at ``path`` stays. A file that is replaced keeps its permissions.

    Args:
        path: the file to make or to replace.
        folder: where the new file is written, on the same file system; None: beside ``path``.
        sync: whether it must be on the disk before it replaces the old one, so that not even a
            power failure can cost both.

    Raises:
        OSError: the file cannot be written or replaced.
    """
    new = (folder or path.parent) / f".{secrets.token_hex(8)}.new"
    try:
        yield new
        if sync:
            with new.open("r+b") as file:
                os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, new)
        _replace(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def print_somehow() -> None:
    """Let whatever is printed be printed: as a question mark, where the locale has no such
    character."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def ending_with_its_reader(command: Callable[Arguments, int]) -> Callable[Arguments, int]:
    """Let a command end without a word, and return 1, once nobody reads what it prints any more.

    So it does behind a pipe to ``head``, or to a pager that was left.
    """

    @wraps(command)
    def run(*arguments: Arguments.args, **named: Arguments.kwargs) -> int:
        try:
            try:
                return command(*arguments, **named)
            finally:
                if sys.stdout:  # a shell may have closed it: `>&-`
                    sys.stdout.flush()
        except BrokenPipeError:
            if not _has_no_reader(sys.stdout.fileno()):
                raise  # of another pipe
            # What is not written yet is written when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1

    return run


def _has_no_reader(pipe: int) -> bool:
    poll = select.poll()
    poll.register(pipe, 0)
    return bool(poll.poll(0))


def _replace(new: Path, path: Path) -> None:
    # Windows refuses while another process has the target open.
    for _ in range(20):
        with suppress(PermissionError):
            os.replace(new, path)
            return
        time.sleep(0.01)
    os.replace(new, path)
