"""Notice that a notebook was saved, by looking at it a few times a second."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

PAUSE_S = 0.25
# For as long a file that is not whole counts as still being written.
PATIENCE_S = 3.0

Stamp = tuple[int, int]


def saves(
    find: Callable[[], Sequence[Path]], pause: Callable[[float], None] = time.sleep
) -> Iterator[Path]:
    """Yield a notebook each time it is saved, once it is whole. Never ends.

    Args:
        find: names the notebooks; asked again each time, since files come and go.
        pause: waits for as many seconds as it is given.
    """
    seen = {path: _stamp(path) for path in find()}
    while True:
        pause(PAUSE_S)
        for path in find():
            stamp = _stamp(path)
            if stamp is None or stamp == seen.get(path):
                continue  # gone for a moment, as when an editor puts a new file in its place
            # Before it is read: what is saved from now on is noticed the next time.
            seen[path] = _settled(path, pause)
            yield path


def _settled(path: Path, pause: Callable[[float], None]) -> Stamp | None:
    """Wait until a file is whole, or until nothing more comes."""
    before, waited = _stamp(path), 0.0
    while waited < PATIENCE_S:
        pause(PAUSE_S)
        now = _stamp(path)
        waited = waited + PAUSE_S if now == before else 0.0
        if now == before and _whole(path):
            break
        before = now
    return before


def _whole(path: Path) -> bool:
    with suppress(OSError, ValueError, RecursionError):
        json.loads(path.read_bytes())
        return True
    return False


def _stamp(path: Path) -> Stamp | None:
    with suppress(OSError):
        status = path.stat()
        return status.st_mtime_ns, status.st_size
    return None
