"""exercises/ is what solutions/ make it; unanswered it says "not yet", answered it passes."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from authoring import derive
from authoring.stated import with_figures
from transformer_checks import COURSE
from transformer_checks.catalogue import find, of_lesson

ROOT = derive.ROOT
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
NAMES = [path.stem for path in SOLUTIONS]


def read(folder: str, name: str) -> NotebookNode:
    return nbformat.read(ROOT / folder / f"{name}.ipynb", as_version=4)


def graded(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


@pytest.mark.parametrize("path", SOLUTIONS, ids=NAMES)
def test_exercises_and_the_packages_answers_are_derived_from_solutions(path: Path) -> None:
    assert derive.derive(path) == read("exercises", path.stem), "run make exercises"
    answers = (COURSE.solutions / f"{path.stem}.txt").read_text(encoding="utf-8")
    assert answers == derive.answers(path), "run `make exercises`"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What nbgrader makes of all solutions."""
    folder = tmp_path_factory.mktemp("nbgrader")
    shutil.copytree(ROOT / "solutions", folder / "source" / "course")
    # nbgrader calls alembic, which stands beside this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", "course", "--create"],
        cwd=folder,
        # nbgrader reads its own files in the encoding of the locale.
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
        check=True,
        capture_output=True,
    )
    return folder / "release" / "course"


@pytest.mark.parametrize("name", NAMES)
def test_exercises_are_what_nbgrader_releases(name: str, released: Path) -> None:
    notebook = nbformat.read(released / f"{name}.ipynb", as_version=4)
    assert notebook.cells == read("exercises", name).cells


@pytest.mark.parametrize("name", NAMES)
def test_check_cells_are_two_lines_and_match_the_catalogue(name: str) -> None:
    cells = graded(read("solutions", name))
    called = []
    for cell in cells:
        first, blank, second = cell.source.split("\n")
        assert (first, blank) == ("from transformer_lesson.checks import check", "")
        match = re.fullmatch(r'check\("([a-z_.]+)", ([A-Za-z_]+)\)', second)
        assert match, second
        exercise = find(match[1])
        assert match[2] == exercise.answer
        assert cell.metadata.nbgrader.points == exercise.points
        assert cell.id == cell.metadata.nbgrader.grade_id
        called.append(exercise.name)
    assert called == [exercise.name for exercise in of_lesson(name)]


@pytest.mark.parametrize("name", NAMES)
def test_prose_states_the_catalogues_figures(name: str) -> None:
    solution = read("solutions", name)
    assert with_figures(solution, of_lesson(name)) == solution


def test_figures_of_an_exercise_are_put_where_it_states_others() -> None:
    solution, checks = read("solutions", "02_self_attention"), of_lesson("02_self_attention")
    others = [
        replace(checks[0], title="A score", minutes=checks[0].minutes + 4, points=9),
        *checks[1:],
    ]
    stated = with_figures(solution, others)
    text = "\n".join(cell.source for cell in stated.cells)
    assert f"## 1. A score\n\n*Difficulty {checks[0].difficulty}/5" in text
    assert f"· about {checks[0].minutes + 4} minutes · 9 points*" in text
    together = sum(check.points for check in others)
    assert f"**Points:** {together}." in text
    assert next(cell for cell in graded(stated)).metadata.nbgrader.points == 9


def test_a_check_without_a_task_is_named() -> None:
    solution, checks = read("solutions", "02_self_attention"), of_lesson("02_self_attention")
    solution.cells = [cell for cell in solution.cells if f'"{checks[1].name}"' not in cell.source]
    with pytest.raises(ValueError, match=re.escape(checks[1].name)):
        with_figures(solution, checks)
    with pytest.raises(ValueError, match=re.escape(f'check("{checks[0].name}"')):
        with_figures(solution, checks[2:])


ASKED = "unanswered"


@pytest.fixture(scope="module", name=ASKED)
def what_is_said_of_unanswered_exercises(request: pytest.FixtureRequest) -> str:
    """What pytest says of the exercises that are looked at, as they are handed out."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asking = [item for item in tests if item.path == request.path and ASKED in item.fixturenames]
    looked_at = [item for item in asking if not item.get_closest_marker("skip")]
    paths = sorted({f"exercises/{item.callspec.params['name']}.ipynb" for item in looked_at})
    assert paths, "else pytest would run all that there is"
    options = ["--nbval-lax", "--nbval-current-env", "-q", "--color=no"]
    command = [sys.executable, "-m", "pytest", *options, *paths]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_every_unanswered_exercise_says_not_yet_and_nothing_else_fails(
    name: str, unanswered: str
) -> None:
    names = [exercise.name for exercise in of_lesson(name)]
    failed = re.findall(rf"^FAILED exercises/{name}\S+::([\w.]+)", unanswered, flags=re.MULTILINE)
    assert failed == names, unanswered
    said = re.findall(r"^([a-z_.]+): not attempted$", unanswered, flags=re.MULTILINE)
    assert [one for one in said if one in names] == names
    assert f"first to do: {names[0]} (not yet)" in unanswered
    assert "notebook_judge/" not in unanswered, "a stack trace from the course's own code"


def test_a_learners_work_is_never_overwritten(tmp_path: Path) -> None:
    target = tmp_path / SOLUTIONS[0].name
    assert derive.write(SOLUTIONS[0], tmp_path).endswith("written")
    assert derive.write(SOLUTIONS[0], tmp_path).endswith("unchanged")
    notebook = nbformat.read(target, as_version=4)
    notebook.cells[3].source += "\n# mine"
    nbformat.write(notebook, target)
    before = target.read_bytes()
    assert "kept, because somebody has typed in it" in derive.write(SOLUTIONS[0], tmp_path)
    assert target.read_bytes() == before


def test_an_older_version_that_nobody_touched_is_renewed(tmp_path: Path) -> None:
    target = tmp_path / SOLUTIONS[0].name
    derive.write(SOLUTIONS[0], tmp_path)
    notebook = nbformat.read(target, as_version=4)
    notebook.cells.pop()
    notebook.metadata.transformer_lesson.derived = derive.fingerprint(notebook)
    nbformat.write(notebook, target)
    assert derive.write(SOLUTIONS[0], tmp_path).endswith("written")
