"""authoring.ci: the parts that it runs, and the browser that it finds for the browser tests."""

import shutil
from pathlib import Path

import pytest
import yaml

from authoring import ci
from authoring.ci import find_browser
from authoring.environment import ROOT, Stop
from tests.fixtures import Capture, Patch


def test_the_parts_named_are_run_and_no_others(monkeypatch: Patch, capsys: Capture) -> None:
    ran: list[str] = []

    def failing(command: list[str], environment: dict[str, str]) -> int:
        ran.append(command[-1])
        return 1

    monkeypatch.setattr(ci, "lint", lambda: failing(["lint"], {}) and [])
    monkeypatch.setattr(ci, "live", failing)
    assert ci.main(["lint", "grading"]) == 1
    assert ran == ["lint", "tests/grading"]
    assert capsys.readouterr().out.endswith("Failed: grading\n")
    assert ci.main(["units"]) == 2
    assert "There is no part units. Parts: lint, gate, unit," in capsys.readouterr().out


def test_every_test_belongs_to_one_part() -> None:
    left_out = {word.partition("=")[2] for word in ci.SUITES["unit"] if "--ignore" in word}
    assert left_out == {ci.SUITES[part][-1] for part in ("browser", "grading")}


def test_the_workflow_runs_every_part_where_the_environment_was_made() -> None:
    page = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(page)["jobs"]
    made, matrix = (jobs[job]["strategy"]["matrix"] for job in ("environment", "tests"))
    once = [one["part"] for one in matrix.pop("include")]
    assert sorted([*matrix.pop("part"), *once]) == sorted(ci.PARTS)
    assert matrix == made


def test_the_browser_named_by_the_environment_comes_first_and_must_be_there(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    mine = tmp_path / "my-chromium"
    monkeypatch.setenv("COURSE_BROWSER", str(mine))
    with pytest.raises(Stop, match=f"COURSE_BROWSER={mine} does not exist"):
        find_browser()
    mine.touch()
    assert find_browser() == str(mine)


def test_chromium_is_preferred_to_chrome(monkeypatch: Patch) -> None:
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    there = {"chromium-browser": "/bin/chromium-browser", "google-chrome": "/bin/google-chrome"}
    monkeypatch.setattr(shutil, "which", there.get)
    assert find_browser() == "/bin/chromium-browser"


def test_without_any_browser_the_remedy_is_named(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr("authoring.ci.step", lambda title, command, log: (1, "no network"))
    with pytest.raises(Stop, match="no browser") as stop:
        find_browser()
    assert "COURSE_BROWSER" in stop.value.remedy
