"""authoring.sample: what a commit draws, what is never left out, and how much was looked at."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from authoring import sample
from authoring.changed import long_tests_of
from tests.fixtures import Patch

NAMES = [f"test_{number}" for number in range(100)]
TESTS = """
import pytest

@pytest.mark.sampled(5)
@pytest.mark.parametrize("number", range(10))
def test_slow(number):
    assert number < {fails_from}

def test_fast():
    pass

@pytest.mark.skip
def test_elsewhere():
    pass
"""
RARE = """
import pytest

pytestmark = pytest.mark.rare

@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(8))
def test_slow(number):
    pass
"""


def test_each_commit_draws_another_share_and_in_time_all(monkeypatch: Patch) -> None:
    seen = set()
    for digest in map(str, range(60)):
        monkeypatch.setattr(sample, "commit", lambda digest=digest: digest)
        drawn = sample.sample(NAMES, 10, ["test_7"])
        assert drawn == sample.sample(NAMES[::-1], 10, ["test_7"])
        assert len(drawn - {name for name in NAMES if "test_7" in name}) <= 10
        assert {"test_7", "test_79"} <= drawn
        seen |= drawn
    assert len(seen) > 95
    assert len(sample.sample(["one"], 10)) == 1


def run(folder: Path, *words: str, tests: str) -> tuple[int, str, list[int]]:
    """The exit code, what is printed, and how many of how many."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    sampled(n)\n    rare\n")
    (folder / "test_one.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-p", "authoring.sample", "--tally", "tally", *words]
    environment = {**os.environ, "PYTHONPATH": str(sample.ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, json.loads((folder / "tally").read_text())


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ((), 11),
        (("--sample", "marked"), 3),
        (("--sample", "marked", "--always", "test_one.py"), 11),
        (("--sample", "tests:6"), 2),
        (("--sample", "files:3"), 11),
        (("--sample", "marked", "-n", "2"), 3),
    ],
)
def test_it_says_how_many_of_how_many_ran(
    words: tuple[str, ...], some: int, tmp_path: Path
) -> None:
    code, printed, tally = run(tmp_path, *words, tests=TESTS.format(fails_from=99))
    if "tests:6" in words:  # the sample may hold the test that is skipped in any case
        assert tally in ([1, 12], [2, 12])
        return
    assert (code, tally) == (0, [some, 12])
    assert f"Looked at {some} of 12 tests\n" in printed


def test_rare_tests_of_all_files_are_drawn_together(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(RARE)
    assert run(tmp_path, "--sample", "marked", tests=RARE)[2] == [4, 16]


def test_what_takes_longest_is_begun_first(tmp_path: Path) -> None:
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text("def test_it():\n    pass\n")
    first = ("--first", "test_one.py", "--first", "test_b.py")
    _, printed, _ = run(tmp_path, "-v", *first, tests=TESTS.format(fails_from=99))
    begun = re.findall(r"^(test_\w+\.py)::", printed, re.MULTILINE)
    assert list(dict.fromkeys(begun)) == ["test_one.py", "test_b.py", "test_a.py"]


@pytest.mark.rare
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_takes_too_long_is_stopped_and_not_green(
    workers: tuple[str, ...], tmp_path: Path
) -> None:
    slow = "import time\n\ndef test_0():\n    pass\n\ndef test_1():\n    time.sleep(900)\n"
    code, printed, (some, of) = run(tmp_path, "--seconds", "9", *workers, tests=slow)
    assert (code, some < 2) == (sample.CUT_SHORT, True)  # xdist may not have begun
    assert f"Looked at {some} of {of} tests\n" in printed
    code, _, tally = run(tmp_path, "--seconds", "99", tests=TESTS.format(fails_from=0))
    assert (code, tally) == (1, [11, 12])


def test_what_changed_brings_its_long_suites() -> None:
    assert "tests/grading" in long_tests_of("notebook_judge/grading/sandbox/seccomp.py")
    heads = long_tests_of("transformer_lesson/widgets/heads.js")
    assert "tests/browser/test_heads_page.py" in heads and "tests/browser" not in heads
    assert "tests/browser" in long_tests_of("transformer_lesson/widgets/common.js")
    assert "notebooks/05_encoder.ipynb" in long_tests_of("notebooks/05_encoder.ipynb")
