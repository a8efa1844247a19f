"""Every submission of the battery gets the verdict that it must get, and the sums are right.

Those that take too much, or turn on their process, are in test_hostile.py: they mostly wait, and
run beside these.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.sandbox.isolation import NotIsolated, choose
from tests.grading import tiny_course
from tests.grading.battery import cheating, files, structure, test_hostile, wrong
from tests.grading.battery.submission import QUICK, Submission, around, stored, written
from tests.grading.battery.verdicts import SEED, cases, count, grade

FAMILIES = {
    "structure": structure.SUBMISSIONS,
    "files": files.SUBMISSIONS,
    "cheating": cheating.SUBMISSIONS,
    "wrong": wrong.SUBMISSIONS,
    "surroundings": stored("surroundings"),
    "tiny": stored("tiny", tiny_course.LESSON),
    "banned": stored("banned", tiny_course.LESSON),
    "forged": stored("forged", tiny_course.LESSON),
    "right in other ways": stored("right_in_other_ways"),
    "report injection": stored("report_injection"),
}


def test_the_walls_stand_wherever_the_machine_allows_them() -> None:
    """Else what needs them is skipped, and nobody notices."""
    try:
        choose("require")
    except NotIsolated as missing:
        assert not allows_namespaces(), f"`unshare` can make namespaces here, but {missing}"


def allows_namespaces() -> bool:
    """Whether another program than the course's makes the namespaces that its walls are made of."""
    if not (unshare := shutil.which("unshare")):
        return False
    kinds = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--mount-proc", "true"]
    users: tuple[list[str], ...] = ([], ["--user", "--map-root-user"])
    return any(
        subprocess.run([unshare, *user, *kinds], check=False).returncode == 0 for user in users
    )


# How many notebooks each family has: none is lost unseen.
SIZES = {
    "structure": 37,
    "files": 38,
    "cheating": 46,
    "wrong": 29,
    "surroundings": 36,
    "tiny": 13,
    "banned": 20,
    "forged": 9,
    "right in other ways": 16,
    "report injection": 2,
    "resources": 27,
    "process": 39,
}


def test_no_notebook_is_lost() -> None:
    families = FAMILIES | test_hostile.FAMILIES
    assert {family: len({one.name for one in those}) for family, those in families.items()} == SIZES
    assert len(wrong.NAMED) + len(wrong.NAMELESS) == 22
    forged = [answer for one in FAMILIES["forged"] for answer in one.expected]
    assert len(forged) == 23, "each costs its exercise"
    assert len(written("probes")) == 6


@cases(FAMILIES)
def test_submission(submission: Submission, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    grade(submission, tmp_path, request)


def test_a_notebook_without_memory_gets_verdicts(tmp_path: Path) -> None:
    """None of them untrue; it is chance which answers still fit into what is freed."""
    nothing = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))"
    result = grade_notebook(around([nothing])(tmp_path), "submission", SEED, QUICK)
    assert (result.status, result.reason) == ("graded", "")
    assert {exercise.status for exercise in result.exercises} <= {"passed", "error", "crashed"}


def test_the_whole_battery(capsys: pytest.CaptureFixture[str]) -> None:
    count(capsys)
