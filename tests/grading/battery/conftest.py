"""What serves all notebooks of a battery."""

import pytest

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox.isolation import choose


@pytest.fixture(scope="module", autouse=True)
def _servers() -> None:
    """Start what lives on after each notebook, and is not left behind by one."""
    choose().start(Limits()).end(wait=0)
