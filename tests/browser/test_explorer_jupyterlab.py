"""An explorer in the real JupyterLab: run, and reopened without running."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, Page, expect

from .lab import Lab
from .view import View, first_explorer, interact

SLOWEST_LESSON_MS = 120_000
RUN_ALL = """async () => {
  const panel = jupyterapp.shell.currentWidget;
  await panel.sessionContext.ready;
  await jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
  await jupyterapp.commands.execute('notebook:run-all-cells');
}"""
# JupyterLab attaches a cell to the page when it comes into sight.
SCROLL_TO = """async index => {
  const notebook = jupyterapp.shell.currentWidget.content;
  await notebook.scrollToItem(index);
}"""
PYTHON = """async code => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code });
  let printed = "";
  future.onIOPub = ({ content }) => { printed += content.text ?? ""; };
  await future.done;
  return printed;
}"""
# The light theme is the default, and last, so that it is there for the next test.
THEMES = ("JupyterLab Dark", "JupyterLab Light")


@contextmanager
def opened(context: BrowserContext, lab: Lab, name: str) -> Iterator[tuple[Page, list[str]]]:
    """Open a notebook: its page and the hosts that it asks for something. End its kernel after."""
    hosts: list[str] = []
    context.on("request", lambda request: hosts.append(urlsplit(request.url).hostname or "page"))
    page = context.new_page()
    page.goto(lab.address(name))
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
    page.evaluate("() => jupyterapp.shell.currentWidget.revealed")
    yield page, hosts
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")


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
        # The live view, not the page for where there is no kernel.
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


def test_python_and_the_view_share_what_is_chosen(
    context: BrowserContext, jupyterlab: Lab, unexecuted: NotebookNode
) -> None:
    jupyterlab.put(unexecuted, "shared.ipynb")
    with opened(context, jupyterlab, "shared.ipynb") as (page, _):
        page.evaluate(RUN_ALL)
        view = View(page.locator(".attention-explorer").first)
        expect(view.canvas).to_be_visible(timeout=SLOWEST_LESSON_MS)
        view.layer.select_option("1")
        view.head.select_option("-1")
        view.click(4, 0)
        chosen = page.evaluate(PYTHON, "print(explorer.layer, explorer.head, explorer.pinned)")
        assert chosen == "1 -1 4\n"

        page.evaluate(PYTHON, "explorer.head, explorer.pinned = 2, 0")
        expect(view.head).to_have_value("2")
        expect(view.panel.locator(".attention-heading")).to_have_text("The (0) attends to")
