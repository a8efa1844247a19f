"""authoring.faults: the list fits the tree, and each fault is shown to what could see it."""

from pathlib import Path
from typing import Any

import pytest

from authoring import faults
from authoring.changed import exercises
from authoring.ci import SCOPES
from tests.fixtures import Capture, Patch


@pytest.mark.parametrize("name", faults.FAULTS)
def test_a_fault_can_be_planted_and_could_be_seen(name: str) -> None:
    fault = faults.FAULTS[name]
    assert (faults.ROOT / fault["file"]).read_text(encoding="utf-8").count(fault["edit"][0]) == 1
    tests = [target for target in fault["seen_by"] if not target.startswith(faults.GATE)]
    assert [target for target in tests if not (faults.ROOT / target).exists()] == []
    for scope in ("short", "all"):
        assert list(faults.commands(fault, scope))


def test_what_changed_is_in_the_short_suite_and_the_rest_by_sample() -> None:
    fault = {
        "file": "notebook_judge/grading/deadlines.py",
        "seen_by": ["gate", "tests/grading", "tests/checks"],
    }
    gate, grading, unit = faults.commands(fault, "short")
    assert len(gate) - 5 == -(-len(exercises()) // 4)
    assert "--always notebook_judge/grading/deadlines.py" in " ".join(grading)
    assert SCOPES["short"]["grading"] in grading
    assert "--always tests/grading" in " ".join(grading)
    assert "marked" in unit
    gate, grading, unit = faults.commands(fault, "all")
    assert len(gate) - 5 == len(exercises())
    assert "--sample" not in grading + unit


def test_the_short_suite_must_notice_what_all_of_it_notices(
    monkeypatch: Patch, capsys: Capture
) -> None:
    def notice(copy: Path, fault: dict[str, Any], scope: str) -> str:
        return "FAILED test_mask" if (scope, "link" in fault["file"]) != ("short", True) else ""

    found = {"file": "README.md", "edit": ["`make test`", "`make tests`"], "seen_by": ["tests"]}
    monkeypatch.setattr(faults, "notice", notice)
    monkeypatch.setattr(faults, "FAULTS", {"one": found})
    assert faults.main([]) == 0
    assert "The short suite noticed 1 of 1 faults, and all of it 1." in capsys.readouterr().out
    monkeypatch.setattr(faults, "notice", lambda copy, fault, scope: "x" * (scope == "all"))
    assert faults.main([]) == 1
    assert "all alone: x" in capsys.readouterr().out
