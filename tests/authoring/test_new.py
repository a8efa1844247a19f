"""authoring.new: what it writes works as it stands, in a copy of the course."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from authoring import new
from authoring.audits.__main__ import AUDITS
from authoring.environment import ROOT
from tests.fixtures import Capture


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a new part touches, and of what proves it."""
    course = tmp_path_factory.mktemp("course")
    for folder in ("authoring", "evidence", "notebooks", "solutions", "transformer_checks"):
        shutil.copytree(ROOT / folder, course / folder)
    for folder in ("transformer_lesson", "notebook_judge", "careful_io", "tests"):
        (course / folder).symlink_to(ROOT / folder)
    return course


def run(course: Path, *words: str) -> str:
    variables = {**os.environ, "PYTHONPATH": str(course), "OMP_NUM_THREADS": "1"}
    asked = [sys.executable, "-m", *words]
    said = subprocess.run(asked, cwd=course, env=variables, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout


@pytest.mark.rare
def test_a_lesson_with_its_first_exercise_and_a_second_one_elsewhere(copy: Path) -> None:
    told = run(copy, "authoring.new", "lesson", "13_scaling")
    assert "[scaling](notebooks/13_scaling.ipynb)" in told
    lesson = nbformat.read(copy / "notebooks/13_scaling.ipynb", as_version=4)
    nbformat.validate(lesson)
    exec("\n".join(cell.source for cell in lesson.cells if cell.cell_type == "code"), {})
    made = run(copy, "authoring.new", "exercise", "13_scaling/scaling.first")
    assert "solutions/13_scaling.ipynb" in made
    run(copy, "authoring.new", "exercise", "encoder.scaled")
    run(copy, "authoring.derive")
    table = run(copy, "authoring.gate", "scaling.first", "encoder.scaled", "--seeds", "3")
    assert "2/2" in table
    found = run(copy, "authoring.audits", "scaling.first", "encoder.scaled")
    assert found.count("; 0 to mend in 2 exercises") == len(AUDITS)
    handed_out = nbformat.read(copy / "exercises/05_encoder.ipynb", as_version=4)
    assert 'check("encoder.scaled", scaled)' in handed_out.cells[-2].source
    assert "BEGIN SOLUTION" not in handed_out.cells[-3].source


@pytest.mark.rare
def test_a_claim_can_be_measured_at_once(copy: Path) -> None:
    told = run(copy, "authoring.new", "claim", "encoder.scaled")
    assert "python -m evidence encoder.scaled" in told
    assert "encoder.scaled: true." in run(copy, "evidence", "encoder.scaled", "--jobs", "1")


@pytest.mark.rare
def test_what_is_made_is_laid_out_as_the_formatter_would(copy: Path) -> None:
    for kind, name in (("exercise", "encoder.formatted"), ("claim", "encoder.formatted")):
        run(copy, "authoring.new", kind, name)
    run(copy, "authoring.new", "lesson", "14_formatted")
    made = [str(path) for path in copy.rglob("*formatted*") if path.suffix in (".py", ".ipynb")]
    assert len(made) == 4
    config = ["--config", str(ROOT / "pyproject.toml")]
    run(copy, "ruff", "format", "--check", *config, *made, "solutions/05_encoder.ipynb")
    run(copy, "ruff", "check", *config, *made)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("lesson", "Scaling"), 2, "'Scaling' is no name of a lesson; it looks like 13_scaling"),
        (("lesson", "05_other"), 1, "notebooks/05_encoder.ipynb is there already"),
        (("exercise", "scaled"), 2, "'scaled' is no name of a new exercise"),
        (("exercise", "scaling.x"), 2, "no exercise starts with 'scaling.'; write its lesson too"),
        (("exercise", "13_scaling/scaling.x"), 2, "no notebooks/13_scaling.ipynb; make the lesson"),
        (("exercise", "encoder.rms_norm"), 1, "encoder/rms_norm.py is there already"),
        (("claim", "encoder.nonlinear"), 1, "encoder/nonlinear.py is there already"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(
    words: tuple[str, str], code: int, told: str, capsys: Capture
) -> None:
    before = subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT)
    try:
        ended = new.main(words)
    except SystemExit as stopped:
        assert isinstance(stopped.code, int)
        ended = stopped.code
    said = capsys.readouterr()
    assert ended == code
    assert told in said.out + said.err
    assert subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT) == before
