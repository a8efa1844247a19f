"""The pages of a graded class in a real browser: hostile text does nothing, everything fits."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.grading.fakes import HOSTILE, RUN, exercise, notebook
from transformer_checks.grading import reports
from transformer_checks.grading.store import Store


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser_hostile_text_does_nothing_and_everything_fits(
    width: int, browser: Browser, tmp_path: Path
) -> None:
    texts = "\n".join(HOSTILE)
    notebooks = [
        notebook("anna", exercise("double", "error", texts, ""), exercise("total", text=texts)),
        notebook("x" * 80, exercise("double", "error", texts, ""), path="/".join(HOSTILE)),
        notebook("cem", reason=texts),
    ]
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
