"""The attention explorer in the real JupyterLab: run, and reopened without running."""

from pathlib import Path

import pytest
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, expect

from .lab import RUN_ALL, SCROLL_TO, Lab, opened
from .view import View, first_explorer, interact

SLOWEST_LESSON_MS = 120_000
# The default theme comes last, so that the next test starts with it.
THEMES = ("JupyterLab Dark", "JupyterLab Light")


def test_it_answers_after_a_fresh_run(
    context: BrowserContext, jupyterlab: Lab, executed: NotebookNode, screenshots: Path
) -> None:
    cell, truth = first_explorer(executed)
    name = f"fresh-{len(executed.cells)}.ipynb"
    jupyterlab.put(executed, name)
    with opened(context, jupyterlab, name) as (page, hosts):
        page.evaluate(RUN_ALL)
        page.evaluate(SCROLL_TO, cell)
        output = page.locator(f".jp-Cell[data-windowed-list-index='{cell}'] .jp-OutputArea")
        root = output.locator(".attention-explorer").first
        expect(root).to_be_visible(timeout=SLOWEST_LESSON_MS)
        # The live view, not its static page.
        expect(output.locator(".attention-explorer-page")).to_have_count(0)
        interact(View(root), truth)
        assert set(hosts) <= {"127.0.0.1", "page"}

        View(root).hover(1, 1)
        for theme in THEMES:
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
            )
            page.wait_for_timeout(1000)
            page.screenshot(path=screenshots / f"{name}-{theme}.png")


@pytest.mark.parametrize("trusted", [False, True])
def test_reopened_it_shows_something_without_a_run(
    context: BrowserContext,
    jupyterlab: Lab,
    executed: NotebookNode,
    screenshots: Path,
    trusted: bool,
) -> None:
    cell, truth = first_explorer(executed)
    name = f"reopened-{len(executed.cells)}-{trusted}.ipynb"
    jupyterlab.put(executed, name, trusted=trusted)
    with opened(context, jupyterlab, name) as (page, _):
        page.evaluate(SCROLL_TO, cell)
        output = page.locator(f".jp-Cell[data-windowed-list-index='{cell}'] .jp-OutputArea")
        if trusted:
            interact(View(output.locator(".attention-explorer").first), truth)
        else:
            picture = output.locator("img[alt^='Attention weights']").first
            expect(picture).to_be_visible()
            assert picture.evaluate("image => image.naturalWidth") > 0
            assert "function" not in output.inner_text(), "the script is shown as text"
        expect(page.get_by_text("Error displaying widget")).to_have_count(0)
        page.screenshot(path=screenshots / f"{name}.png")
