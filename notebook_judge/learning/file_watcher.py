"""Notice that a notebook was saved, by looking at it a few times a second."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

PAUSE_S = 0.25
PATIENCE_S = 3.0  # how long to wait for the rest of a file that seems half written

Stamp = tuple[int, int]


def watch_files(
    find: Callable[[], Sequence[Path]], pause: Callable[[float], None] = time.sleep
) -> Iterator[Path]:
    """Yield a notebook each time it is saved, once all of it is written. Never ends.

    Args:
        find: returns the notebooks; called again each time, since files come and go.
        pause: waits for a number of seconds.
    """
    seen = {path: _stamp(path) for path in find()}
    while True:
        pause(PAUSE_S)
        for path in find():
            stamp = _stamp(path)
            if stamp is None or stamp == seen.get(path):
                continue  # unchanged, or gone for a moment while an editor replaces it
            # Taken before it is read, so that whatever is saved meanwhile is noticed next time.
            seen[path] = _settled(path, pause)
            yield path


def _settled(path: Path, pause: Callable[[float], None]) -> Stamp | None:
    """Wait until a file is complete, or has stayed incomplete for a while; return its stamp."""
    before, waited = _stamp(path), 0.0
    while waited < PATIENCE_S:
        pause(PAUSE_S)
        now = _stamp(path)
        waited = waited + PAUSE_S if now == before else 0.0
        if now == before and _is_complete(path):
            break
        before = now
    return before


def _is_complete(path: Path) -> bool:
    with suppress(OSError, ValueError, RecursionError):
        json.loads(path.read_bytes())
        return True
    return False


def _stamp(path: Path) -> Stamp | None:
    with suppress(OSError):
        status = path.stat()
        return status.st_mtime_ns, status.st_size
    return None
