"""Files that are replaced whole or not at all, and an output that takes any character."""

import io
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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


def _replace(new: Path, path: Path) -> None:
    # Windows refuses while another process has the target open.
    for _ in range(20):
        with suppress(PermissionError):
            os.replace(new, path)
            return
        time.sleep(0.01)
    os.replace(new, path)
