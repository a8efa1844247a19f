"""authoring.ci: the parts that it runs, and the browser that it finds for the browser tests."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import course
from authoring import ci
from authoring.changed import exercises
from authoring.ci import find_browser
from authoring.environment import ROOT, Stop
from tests.fixtures import Capture, Patch


def test_the_parts_named_are_run_and_told_with_what_they_looked_at(
    monkeypatch: Patch, capsys: Capture
) -> None:
    ran: list[list[str]] = []

    def failing(command: list[str], environment: dict[str, str]) -> int:
        ran.append(list(map(str, command)))
        Path(ran[-1][-1]).write_text("[30, 40]")
        return 1

    monkeypatch.setattr(ci, "lint", list)
    monkeypatch.setattr(ci, "live", failing)
    monkeypatch.setattr(ci, "changed", lambda: ["tests/test_cache.py"])
    assert ci.main(["lint", "grading"]) == 1
    (words,) = ran
    assert words[-6:-1] == ["--sample", "tests:16", "--always", "tests/test_cache.py", "--tally"]
    out = capsys.readouterr().out
    assert "looked at 5 of 5 linters\n" in out
    assert "looked at 30 of 40 tests, FAILED\n" in out
    assert out.endswith("Failed: grading\n")
    assert ci.main(["lint"]) == 0
    assert capsys.readouterr().out.endswith("All passed.\n")
    assert ci.main(["units"]) == 2
    assert "There is no part units. Parts: lint, gate, unit," in capsys.readouterr().out


def test_what_is_not_looked_at_is_no_part_of_what_passed(
    monkeypatch: Patch, capsys: Capture
) -> None:
    def passing(command: list[str], environment: dict[str, str]) -> int:
        if "--tally" in command:
            Path(command[-1]).write_text("[30, 40]")
        return 0

    monkeypatch.setattr(ci, "live", passing)
    monkeypatch.setattr(ci, "changed", lambda: ["transformer_checks/catalogue/encoder/layer.toml"])
    assert ci.main(["gate", "notebooks"]) == 0
    out = capsys.readouterr().out
    count = len(exercises())
    some, of = re.search(r"looked at (\d+) of (\d+) exercises\n", out).groups()  # type: ignore[union-attr]
    assert (count // 4 <= int(some) < count // 2, int(of)) == (True, count)
    assert out.endswith("What was looked at passed; `all` looks at the rest.\n")
    assert ci.main(["all", "gate"]) == 0
    assert f"looked at {count} of {count} exercises" in capsys.readouterr().out


def test_every_test_belongs_to_one_part_and_every_part_to_the_short_suite() -> None:
    left_out = {word.partition("=")[2] for word in ci.SUITES["unit"] if "--ignore" in word}
    assert left_out == {ci.SUITES[part][-1] for part in ("browser", "grading")}
    assert set(ci.SCOPES["short"]) == set(ci.SCOPES["all"]) == set(ci.PARTS)


def test_pull_requests_take_the_oldest_and_newest_python_and_nights_everything() -> None:
    def jobs(name: str) -> Any:
        page = ROOT / ".github" / "workflows" / f"{name}.yml"
        return yaml.safe_load(page.read_text(encoding="utf-8"))["jobs"]

    minors = range(course.OLDEST_PYTHON[1], course.NEWEST_PYTHON[1] + 1)
    pythons = [f"3.{minor}" for minor in minors]
    assert jobs("tests")["tests"]["strategy"]["matrix"]["python"] == [pythons[0], pythons[-1]]
    nights = jobs("nightly")["tests"]
    assert nights["strategy"]["matrix"]["python"] == pythons
    assert "python course.py test all" in [step.get("run") for step in nights["steps"]]


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


def test_without_a_browser_nothing_waits_for_one_and_the_rest_runs(
    monkeypatch: Patch, capsys: Capture
) -> None:
    def missing() -> str:
        raise Stop("no browser for the browser tests", "Install chromium.")

    monkeypatch.setattr(ci, "find_browser", missing)
    monkeypatch.setattr(ci, "live", lambda *_: pytest.fail("browser tests without a browser"))
    monkeypatch.setattr(ci, "lint", list)
    assert ci.main(["lint", "browser"]) == 1
    out = capsys.readouterr().out
    assert "Install chromium." in out and "looked at 5 of 5 linters" in out
    assert "  browser   could not be run: see above\n  together" in out
    assert out.endswith("Failed: browser\n")
