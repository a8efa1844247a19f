"""Every submission of the battery gets the verdict that it must get, and the sums are right."""

import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from tests.grading.battery import cheating, files, resources, structure, wrong
from tests.grading.battery.leftovers import adopted_orphans
from tests.grading.battery.submission import QUICK, Submission, around, stored
from transformer_checks import catalogue
from transformer_checks.grading.grader import grade_notebook
from transformer_checks.grading.jobs import RunInfo
from transformer_checks.grading.limits import Limits
from transformer_checks.grading.reports import formats, pages
from transformer_checks.grading.results import NotebookResult
from transformer_checks.grading.sandbox.isolation import NotIsolated, choose

FAMILIES = {
    "structure": structure.SUBMISSIONS,
    "files": files.SUBMISSIONS,
    "resources": resources.SUBMISSIONS,
    "process": stored("process"),
    "cheating": cheating.SUBMISSIONS,
    "wrong": wrong.SUBMISSIONS,
    "surroundings": stored("surroundings"),
    "right in other ways": stored("right_in_other_ways"),
    "report injection": stored("report_injection"),
}
CASES = [
    pytest.param(family, submission, id=f"{family}: {submission.name}".replace(" ", "_"))
    for family, submissions in FAMILIES.items()
    for submission in submissions
]
SEED = 5
tally: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def _servers() -> None:
    """Start what serves all notebooks, and lives on after each."""
    choose().start(Limits()).end(wait=0)


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


def test_the_battery_is_large_enough() -> None:
    assert len(CASES) >= 120
    assert len({param.id for param in CASES}) == len(CASES)


@pytest.mark.parametrize(("family", "submission"), CASES)
def test_submission(family: str, submission: Submission, tmp_path: Path) -> None:
    if submission.isolated and choose().name != "namespaces":
        pytest.skip("this machine cannot shut a worker off from its files and processes")
    tally["submissions"] += 1
    tally["no verdict"] += 1  # taken back as soon as there is one
    with adopted_orphans() as orphans:
        result = grade_notebook(submission.build(tmp_path), "submission", SEED, submission.limits)
    tally["no verdict"] -= 1
    assert not orphans, f"processes outlived the notebook: {orphans}"
    if submission.unreadable:
        assert (result.status, result.exercises) == ("unreadable", ())
        assert submission.unreadable in result.reason
    else:
        assert (result.status, result.reason) == ("graded", "")
        compare(submission, result)
    harmless(result)


def test_a_notebook_without_memory_gets_verdicts(tmp_path: Path) -> None:
    """None of them untrue; it is chance which answers still fit into what is freed."""
    nothing = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))"
    result = grade_notebook(around([nothing])(tmp_path), "submission", SEED, QUICK)
    assert (result.status, result.reason) == ("graded", "")
    assert {exercise.status for exercise in result.exercises} <= {"passed", "error", "crashed"}


def harmless(result: NotebookResult) -> None:
    """What a notebook says does nothing in a report; see also test_hostile_text."""
    ET.fromstring(formats.as_junit(RunInfo(SEED, "1.0", "2030-01-01T00:00:00+00:00"), [result]))
    page = pages.notebook_page(result)
    assert "<script" not in page
    assert "onerror=" not in page.replace("&lt;img src=x onerror=", "")
    assert "\x1b" not in page


def compare(submission: Submission, result: NotebookResult) -> None:
    """Count what is amiss, then fail on it."""
    checks = catalogue.of_lesson(submission.lesson)
    assert [e.exercise for e in result.exercises] == [check.name for check in checks]
    amiss = []
    for check, got in zip(checks, result.exercises, strict=True):
        wanted = submission.expected.get(check.answer, "passed")
        slip = submission.slips.get(check.answer, "")
        tally["exercises"] += 1
        tally["false accepts"] += got.passed and wanted != "passed"
        tally["false rejects"] += not got.passed and wanted == "passed"
        tally["to be named"] += bool(slip)
        tally["named"] += bool(slip) and slip == got.slip
        assert got.points == (check.points if got.status in ("passed", "follows") else 0)
        assert got.max_points == check.points
        if got.status != wanted or (slip and slip != got.slip):
            amiss.append((check.answer, wanted, slip, got.status, got.slip, got.headline))
    assert not amiss


def test_the_whole_battery(capsys: pytest.CaptureFixture[str]) -> None:
    if not tally:
        pytest.skip("no submission was graded in this run")
    share = tally["named"] / max(tally["to be named"], 1)
    with capsys.disabled():
        print(
            f"\n{tally['submissions']} submissions, {tally['exercises']} verdicts: "
            f"{tally['false accepts']} false accepts, {tally['false rejects']} false rejects, "
            f"{tally['no verdict']} without a verdict; "
            f"{tally['named']} of {tally['to be named']} slips named ({share:.1%})"
        )
    assert (tally["false accepts"], tally["false rejects"], tally["no verdict"]) == (0, 0, 0)
    assert share >= 0.95
