"""Find what was handed in, and open it without trusting it."""

import glob
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from unicodedata import category

from notebook_judge.grading.names import composed, stem
from notebook_judge.grading.sandbox.reading import Unreadable

LARGEST = 64 * 2**20
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar")

_ARCHIVE = "it is an archive; unpack it"
_LEFT = "what systems and programs hide is left out"


class NothingToGrade(ValueError):
    """The paths that were given lead to no notebook."""


@dataclass(frozen=True)
class File:
    """Something that was handed in.

    Attributes:
        path: where it lies, as it was given.
        refused: why it is not graded, known from its name and place alone; empty if it is.
    """

    path: Path
    refused: str = ""


_COPY = re.compile(r"\.copy_\d{4}-\d\d-\d\d_\d{6}(-\d+)?$")


def is_copy(path: Path) -> bool:
    """Whether a file is the copy that ``reset`` made before it emptied an answer."""
    return _COPY.search(path.stem) is not None


def find(paths: Sequence[str], reports: Path | None = None) -> list[File]:
    """Resolve files, folders and patterns, each file once, folders searched to the bottom.

    Args:
        paths: as they were given. In a folder every file is found, notebook or not, so that none
            is passed over in silence; for what is hidden and no notebook see ``hidden``.
        reports: the folder that reports are written to, which is left out.

    Raises:
        NothingToGrade: a path does not exist, or there is no notebook in what was given.
    """
    files = [file for file in _found(paths, reports) if file.refused != _LEFT]
    if all(file.refused for file in files):
        raise NothingToGrade(
            f"no notebook in {', '.join(map(repr, paths))}. A folder is searched for *.ipynb files."
            + (f" {files[0].path.name!r}: {files[0].refused}." if files else "")
        )
    return files


def hidden(paths: Sequence[str], reports: Path | None = None) -> list[str]:
    """What ``find`` leaves out: each name once, and how often if more."""
    left = Counter(file.path.name for file in _found(paths, reports) if file.refused == _LEFT)
    return [f"{name} ({count})" if count > 1 else name for name, count in sorted(left.items())]


def _found(paths: Sequence[str], reports: Path | None) -> list[File]:
    found: dict[Path, File] = {}
    above = Path(os.path.commonpath([os.path.abspath(path) for path in paths]))
    for path in paths:
        for file in _given(path, above, reports and reports.absolute()):
            found.setdefault(file.path.absolute(), file)
    return list(found.values())


def _given(path: str, above: Path, reports: Path | None) -> Iterator[File]:
    matches = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))
    if not matches:
        raise NothingToGrade(
            f"there is no file or folder {path!r}. Give notebooks, or a folder that holds some."
        )
    if matches != [path]:
        above = Path(os.path.abspath(Path(*takewhile(_is_plain, Path(path).parts))))
    for match in map(Path, matches):
        if _linked(match, above):
            yield File(match, "a link leads to it; hand in the file itself")
        else:
            yield from _inside(match, reports)


def _is_plain(part: str) -> bool:
    return not glob.has_magic(part)


def _linked(match: Path, above: Path) -> bool:
    """Whether a link leads to it from the folder that all lie in: perhaps to another's.

    A pattern chose what lies below that folder, the grader's or one that the shell has expanded.
    """
    inside = Path(os.path.abspath(match)).relative_to(above).parts
    return any(Path(above, *inside[:end]).is_symlink() for end in range(1, len(inside) + 1))


def _inside(path: Path, reports: Path | None) -> Iterator[File]:
    """A file itself, or every file in a folder; links are named and not followed."""
    if not path.is_dir():
        yield File(path, _ARCHIVE if path.name.lower().endswith(_ARCHIVES) else "")
        return
    unread: list[OSError] = []
    empty = True
    for here, folders, names in os.walk(path, onerror=unread.append):
        inner = sorted(name for name in folders if Path(here, name).absolute() != reports)
        folders[:] = [name for name in inner if name[0] != "." and name != "__pycache__"]
        for name in inner:
            if name not in folders:
                yield File(Path(here, name), _of_hidden(Path(here, name)))
        for name in folders:
            if Path(here, name).is_symlink():
                yield File(Path(here, name), "it is a link to a folder; hand in the folder itself")
        # nbgrader's own, beside what it has collected: a line for each learner would hide others.
        stamp = {"timestamp.txt"} if any(stem(name) != name for name in names) else set()
        for name in sorted({*names} - stamp):
            dotted = name[0] == "."
            yield File(Path(here, name), _of_hidden(Path(here, name)) if dotted else _refused(name))
            empty &= dotted
    for error in unread:
        yield File(Path(error.filename), f"this folder cannot be read: {error.strerror}")
    if empty and path.suffix == ".ipynb":
        yield File(path)


def _of_hidden(path: Path) -> str:
    """Why something hidden is not graded: a notebook, or a folder with some, is somebody's work.

    macOS puts "._x.ipynb" beside x.ipynb, and Jupyter keeps copies.
    """
    if path.name in (".ipynb_checkpoints", "__pycache__") or path.name.startswith("._"):
        return _LEFT
    held = next(path.rglob("*.ipynb"), None) if path.is_dir() else None
    if held or stem(path.name) != path.name:
        return "it is hidden, because its name begins with a dot; rename it to have it graded"
    return _LEFT


def _refused(name: str) -> str:
    """Why a file is not graded that was found under this name; empty if it is."""
    lower = name.lower()
    if is_copy(Path(name)):
        return "it is a copy that `reset` kept; name it to have it graded"
    if stem(name) != name:
        return ""
    if lower.endswith(_ARCHIVES):
        return _ARCHIVE
    if ".ipynb" in lower:
        return "its name does not end in .ipynb; rename it"
    return "it is no notebook"


def labels(paths: Sequence[Path]) -> list[str]:
    """A short name for each path, distinct and safe as the name of a folder."""
    common = os.path.commonpath([path.absolute().parent for path in paths]) if paths else ""
    taken: Counter[str] = Counter()
    names = []
    for path in paths:
        inside = stem(os.path.relpath(path.absolute(), common))
        inside = composed(inside)
        # Vowels of many scripts are marks, which no pattern counts among the letters.
        safe = [c if c.isalnum() or c == "-" or category(c)[0] == "M" else "_" for c in inside]
        name = re.sub("_+", "_", "".join(safe)).strip("_")[:80] or "notebook"
        while taken[name.casefold()]:
            taken[name.casefold()] += 1
            name = f"{name}-{taken[name.casefold()]}"
        taken[name.casefold()] += 1
        names.append(name)
    return names


def fingerprint(text: str) -> str:
    """The same for two notebooks that say the same to the letter."""
    return hashlib.sha256(text.encode()).hexdigest()


def text_of(path: Path) -> str:
    """What stands in a file, which is opened for reading only.

    Raises:
        Unreadable: it is missing, no regular file, too large, or not text.
    """
    if path.is_symlink():  # it may lead to anything: to a device, to another one's submission
        raise Unreadable("it is a link; hand in the file itself")
    if path.is_dir():
        raise Unreadable("it is a folder")
    if not path.exists():
        raise Unreadable("there is no such file")
    if not path.is_file():
        raise Unreadable("it is no regular file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"it cannot be opened: {error.strerror}") from error
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST // 2**20} MiB; clear its outputs")
    if not data.strip():
        raise Unreadable("it is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("it is not text in UTF-8") from error
