"""Every submission of the battery gets the verdict that it must get.

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
from tests.grading.battery import cheating, files, structure, wrong
from tests.grading.battery.submission import QUICK, Submission, around, stored
from tests.grading.battery.verdicts import SEED, cases, grade

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


@cases(FAMILIES)
def test_submission(submission: Submission, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    grade(submission, tmp_path, request)


def test_a_notebook_without_memory_gets_verdicts(tmp_path: Path) -> None:
    """None of them untrue; it is chance which answers still fit into what is freed."""
    nothing = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))"
    result = grade_notebook(around([nothing])(tmp_path), "submission", SEED, QUICK)
    assert (result.status, result.reason) == ("graded", "")
    assert {exercise.status for exercise in result.exercises} <= {"passed", "error", "crashed"}
