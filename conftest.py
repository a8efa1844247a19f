"""Give the checks of an exercise notebook the names of their exercises in pytest's output."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """``Cell 2`` says little; ``attention-softmax-check`` says which exercise failed."""
    report = yield
    cell = getattr(item, "cell", None)  # only nbval's items have one
    name = cell and cell.metadata.get("nbgrader", {}).get("grade_id")
    # Between the processes of xdist a test must keep the name under which it was collected.
    shared = hasattr(item.config, "workerinput")
    if name and item.parent and not shared:
        report.nodeid = f"{item.parent.nodeid}::{name}"
    return report
