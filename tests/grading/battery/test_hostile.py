"""What takes too much, or turns on its process, gets its verdict and harms nothing beside it."""

from pathlib import Path

import pytest

from tests.grading.battery import resources
from tests.grading.battery.submission import Submission, stored
from tests.grading.battery.verdicts import cases, grade

FAMILIES = {"resources": resources.SUBMISSIONS, "process": stored("process")}


@cases(FAMILIES)
def test_submission(submission: Submission, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    grade(submission, tmp_path, request)
