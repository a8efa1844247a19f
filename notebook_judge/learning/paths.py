"""Find the learner's notebooks, and those that the course ships."""

from pathlib import Path

from notebook_judge.course import course
from notebook_judge.learning.progress import lesson_names

_AUTHORS_FOLDERS = ("solutions", "notebooks")


class Missing(ValueError):
    """A folder or a notebook is not there; the message says where it was looked for."""


def exercises_folder(named: Path | None = None) -> Path:
    """Return the folder with the learner's notebooks.

    Args:
        named: the folder that was asked for; None looks below and beside the working directory,
            then in the clone that the package belongs to.

    Raises:
        Missing: there is none.
    """
    if named is not None:
        if not _holds_exercises(named):
            raise Missing(f"no exercise notebook of this course is in {str(named)!r}.")
        return named
    here = Path.cwd()
    beside = here.parent / "exercises"
    # The lessons and the solutions bear the same names as the exercises.
    near = [beside, here] if here.name in _AUTHORS_FOLDERS else [here, beside]
    for folder in (here / "exercises", *near, course().home / "exercises"):
        if _holds_exercises(folder):
            return folder
    raise Missing(
        f"no exercise notebook of this course in {here} or its folder exercises. "
        "They come with a clone of the course: go to its folder, or name yours with --folder."
    )


def notebook_path(folder: Path, lesson: str) -> Path:
    """Return a learner's notebook of a lesson.

    Raises:
        Missing: it is not there.
    """
    path = folder / f"{lesson}.ipynb"
    if not path.is_file():
        raise Missing(
            f"{path} is missing. Did you rename it? A fresh one: "
            f"`git checkout -- exercises/{lesson}.ipynb` in the folder of the course."
        )
    return path


def solutions_path(folder: Path, lesson: str) -> Path:
    """Return the notebook with the solutions of a lesson, which the course ships.

    Raises:
        Missing: it is not there.
    """
    candidates = [root / "solutions" / f"{lesson}.ipynb" for root in (course().home, folder.parent)]
    for path in candidates:
        if path.is_file():
            return path
    raise Missing(
        f"{candidates[0]} is missing: the course's own answers and empty stubs come from there. "
        "They need a clone of the course, and its folder solutions/ (`git checkout -- solutions`)."
    )


def _holds_exercises(folder: Path) -> bool:
    return any((folder / f"{lesson}.ipynb").is_file() for lesson in lesson_names())
