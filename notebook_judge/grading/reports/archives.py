"""Feedback as the archive that each platform takes back: what came in one download in one file."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from notebook_judge.grading.learners import Roster
from notebook_judge.grading.names import composed
from notebook_judge.grading.platforms import page_name, place_of
from notebook_judge.grading.reports import files_of
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.store import Store
from notebook_judge.grading.submissions import labels
from notebook_judge.sanitize import sanitize_line

_FOLDER = "upload"
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same archive for the same pages


def write(
    store: Store, results: Sequence[NotebookResult], paths: Mapping[str, Path], roster: Roster
) -> None:
    """Write all archives, from the pages that stand in the folder, and remove those of before.

    Args:
        store: the folder.
        results: of all notebooks.
        paths: where each notebook lies, by its name; absolute.
        roster: the class.
    """
    written = set[str]()
    for archive, entries in _entries(results, paths, roster).items():
        name = f"{_FOLDER}/{archive}.zip"
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
            for entry, page in entries.items():
                file.writestr(zipfile.ZipInfo(entry, _WHEN), (store.folder / page).read_bytes())
        store.write(name, data.getvalue())
        written.add(name)
    for left in (store.folder / _FOLDER).glob("*.zip"):
        if (name := f"{_FOLDER}/{left.name}") not in written:
            store.remove(name)


def _entries(
    results: Sequence[NotebookResult], paths: Mapping[str, Path], roster: Roster
) -> dict[str, dict[str, str]]:
    """For each archive where in it each page stands, and where in the folder of the run."""
    places = {result.name: place_of(paths[result.name]) for result in results}
    downloads = sorted({place.download for place in places.values() if place})
    # A name for each download, distinct, after its folder.
    names = dict(zip(downloads, labels([one / one.name for one in downloads]), strict=True))
    archives: dict[str, dict[str, str]] = {}
    for result in _told(results):
        place = places[result.name]
        if place:
            archive = f"{place.platform}_{names[place.download]}"
            entry = page_name(place.inside).as_posix()
        else:
            archive, entry = "nbgrader", _in_tree(result, paths[result.name], roster)
        entries = archives.setdefault(archive, {})
        entry = sanitize_line(entry.replace("\\", "_"))
        entries[_distinct(entry, entries)] = files_of(result.name)[0]
    return archives


def _told(results: Sequence[NotebookResult]) -> list[NotebookResult]:
    """Those whose page says something: of who has a notebook, other files need none."""
    have = {result.learner for result in results if result.status == "graded"}
    return [one for one in results if one.status == "graded" or one.learner not in have]


def _in_tree(result: NotebookResult, path: Path, roster: Roster) -> str:
    """nbgrader's folders, after those that the notebook lies in, or after learner and lesson."""
    who, what = path.parts[-3:-1] if len(path.parts) > 3 else ("", "")
    if roster.learner(who) != result.learner:
        who, what = result.learner.replace("/", "_").lstrip("."), result.lesson or "not_graded"
    return f"feedback/{who}/{what}/{page_name(path).name}"


def _distinct(entry: str, taken: Iterable[str]) -> str:
    """Another name where a file system may take two for the same, by accents or capital letters."""
    held = {composed(one).casefold() for one in taken}
    number, whole = 1, entry
    while composed(whole).casefold() in held:
        number += 1
        whole = entry.replace(".html", f"-{number}.html")
    return whole
