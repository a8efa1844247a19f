"""Every command ends without a word once nobody reads what it prints, as behind ``| head``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from authoring.environment import ROOT
from careful_io import ending_with_its_reader

COURSE = "course.py"
LEARNERS = "-m transformer_checks.cli"
TRANSLATOR = "-m transformer_lesson.translation"
DOORS = [
    f"{COURSE} help",
    f"{COURSE} no-such-command",
    f"{LEARNERS} --help",
    f"{LEARNERS} exercises",
    f"{LEARNERS} hint softmax",
    f"{LEARNERS} solution softmax --yes",
    f"{LEARNERS} grade --help",
    f"{TRANSLATOR} --help",
    f"{TRANSLATOR} translate shipped Hello.",
    # As course.py starts what authors run.
    "-m authoring authoring.quick --help",
    "-m authoring authoring.ci no-such-part",
]


def without_a_reader(words: str, folder: Path, **variables: str) -> tuple[int, str]:
    """The exit code and what stands on the standard error."""
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, *words.split()],
        cwd=ROOT,
        env={**os.environ, "HOME": str(folder), **variables},
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writes)
    return done.returncode, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes of Windows fail in another way")
@pytest.mark.parametrize("door", DOORS)
def test_a_command_ends_with_its_reader(door: str, tmp_path: Path) -> None:
    assert without_a_reader(door, tmp_path, PYTHONUNBUFFERED="") == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="pipes of Windows fail in another way")
@pytest.mark.parametrize("door", [DOORS[0], DOORS[3], DOORS[5], DOORS[8], DOORS[-1]])
def test_so_does_one_that_writes_line_by_line(door: str, tmp_path: Path) -> None:
    assert without_a_reader(door, tmp_path, PYTHONUNBUFFERED="1") == (1, "")


def test_a_pipe_that_breaks_elsewhere_is_an_error() -> None:
    @ending_with_its_reader
    def broken() -> int:
        raise BrokenPipeError("of a worker")

    with pytest.raises(BrokenPipeError, match="of a worker"):
        broken()
