"""authoring.ci: the browser that it finds for the browser tests."""

import shutil
from pathlib import Path

import pytest

from authoring.ci import find_browser
from course import Stop


def test_the_browser_named_by_the_environment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "my-chromium"
    mine.touch()
    monkeypatch.setenv("COURSE_BROWSER", str(mine))
    assert find_browser() == str(mine)


def test_a_named_browser_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_BROWSER", "no/such/browser")
    with pytest.raises(Stop, match="COURSE_BROWSER=no/such/browser does not exist"):
        find_browser()


def test_chromium_is_preferred_to_chrome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    there = {"chromium-browser": "/bin/chromium-browser", "google-chrome": "/bin/google-chrome"}
    monkeypatch.setattr(shutil, "which", there.get)
    assert find_browser() == "/bin/chromium-browser"


def test_without_any_browser_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr("authoring.ci.step", lambda title, command, log: (1, "no network"))
    with pytest.raises(Stop, match="no browser") as stop:
        find_browser()
    assert "COURSE_BROWSER" in stop.value.remedy
