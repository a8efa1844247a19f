"""The pages of a graded class in a real browser: hostile text does nothing, and everything fits.

The learners can be sorted and filtered, also from the keyboard, and are all there without scripts.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from notebook_judge.grading import reports
from notebook_judge.grading.store import Store
from tests.grading.fakes import HOSTILE, RUN, exercise, notebook


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser_hostile_text_does_nothing_and_everything_fits(
    width: int, browser: Browser, tmp_path: Path
) -> None:
    texts = "\n".join(HOSTILE)
    notebooks = [
        notebook(
            "anna",
            replace(exercise("double", "error", texts, ""), code=texts, comment=texts),
            replace(exercise("total", "passed"), code=texts),
        ),
        notebook("x" * 80, exercise("double", "error", texts, ""), path="/".join(HOSTILE)),
        notebook("cem", reason=texts),
    ]
    notebooks = [replace(one, learner=texts, notes=(texts,)) for one in notebooks]
    with Store(tmp_path) as folder:
        for one in notebooks:
            reports.write_notebook(folder, one)
        reports.write_class(folder, RUN, notebooks)
    page = browser.new_page(viewport={"width": width, "height": 844})
    happened: list[str] = []
    page.on("console", lambda message: happened.append(message.text))
    page.on("dialog", lambda dialog: happened.append(dialog.message))
    page.on("pageerror", lambda error: happened.append(str(error)))
    page.on("request", lambda request: happened.append(request.url))
    for path in sorted(tmp_path.rglob("*.html")):
        page.goto(path.as_uri())
        assert happened == [path.as_uri()]
        happened.clear()
        assert page.title() != "taken"
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, path.name
    page.close()


@pytest.fixture
def class_page(tmp_path: Path) -> str:
    """Three learners with 0, 4 and 2 points; the third lacks a lesson."""
    full = [exercise("double", "passed"), exercise("total", "passed")]
    none = [exercise("double"), exercise("total")]
    other = replace(notebook("o", *none), lesson="98_other")
    notebooks = [
        replace(notebook("anna_1", *none), learner="anna"),
        replace(other, name="anna_2", learner="anna"),
        replace(notebook("ben_1", *full), learner="ben"),
        replace(other, name="ben_2", learner="ben"),
        replace(notebook("cem_1"), learner="cem"),
    ]
    with Store(tmp_path) as folder:
        reports.write_class(folder, RUN, notebooks)
    return (tmp_path / "index.html").as_uri()


def _learners(page: Page) -> list[str]:
    return page.locator("table.learners tbody tr:visible th").all_inner_texts()


def test_learners_are_sorted_and_filtered_from_the_keyboard(
    class_page: str, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(class_page)
    assert _learners(page) == ["anna", "ben", "cem"]
    page.get_by_role("button", name="Total").press("Enter")
    assert _learners(page) == ["ben", "cem", "anna"]
    total = page.get_by_role("columnheader", name="Total")
    assert total.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Total").press("Enter")
    assert _learners(page) == ["anna", "cem", "ben"]
    page.get_by_role("button", name="98").press("Enter")  # nothing is less than 0 points
    assert _learners(page)[-1] == "cem"
    page.get_by_label("Find").fill("N")
    assert sorted(_learners(page)) == ["anna", "ben"]
    assert page.locator("output").inner_text() == "2 of 3 shown"
    page.get_by_label("Show").select_option("missing")
    assert _learners(page) == []
    page.get_by_label("Find").fill("")
    assert _learners(page) == ["cem"]
    page.close()


def test_without_scripts_the_page_is_complete(class_page: str, browser: Browser) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(class_page)
    assert _learners(page) == ["anna", "ben", "cem"]
    assert not page.get_by_label("Find").is_visible()
    page.close()
