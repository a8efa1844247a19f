"""The files of text that the package ships: written where they have changed, or compared."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path


def rows(columns: Iterable[Sequence[str]]) -> str:
    """Return lines of columns with tabs between them."""
    return "".join("\t".join(row) + "\n" for row in columns)


def update(folder: Path, files: Iterable[tuple[str, str]], *, check: bool) -> bool:
    """Write the files whose text has changed, as ``folder/name.gz``, and print what happened.

    Args:
        folder: which holds the files.
        files: name and text of each.
        check: compare, and write nothing.

    Returns:
        Whether the text of any file differed.
    """
    changed = False
    for name, text in files:
        path = folder / f"{name}.gz"
        if _held(path) == text:
            print(f"{path.name}: unchanged")
            continue
        changed = True
        if not check:
            # The same text gives the same bytes: the time of writing is not stored.
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        print(f"{path.name}: {'not what this command makes' if check else 'written'}")
    return changed


def _held(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.exists() else ""
