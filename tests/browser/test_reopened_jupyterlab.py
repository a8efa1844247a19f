"""Views the next morning: run, saved, the kernel shut down, and the notebook opened again."""

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .conftest import LESSON
from .lab import RUN_ALL, Lab, opened
from .test_all_jupyterlab import CODE, KERNEL_MS
from .test_all_pages import every_kind

NAME = "morning.ipynb"
DIRTY = "() => jupyterapp.shell.currentWidget.context.model.dirty"
EDIT = """() => {
  jupyterapp.shell.currentWidget.content.model.cells.get(0).sharedModel.source += '!';
}"""
KERNEL_IDLE = """() =>
  jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"""
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"


def test_views_are_there_when_a_saved_notebook_is_opened_again(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    kinds = [view.kind for view in every_kind()]
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CODE)])), NAME)
    with opened(context, jupyterlab, NAME) as (page, _):
        page.evaluate(RUN_ALL)
        for kind in kinds:
            expect(page.locator(f".lesson-view.{kind}")).to_be_visible(timeout=KERNEL_MS)
        page.evaluate(SAVE)

    notebook_7 = f"{jupyterlab.url}/notebooks/{NAME}?token={jupyterlab.token}"
    for address in (jupyterlab.address(NAME), notebook_7):
        page = context.new_page()
        page.goto(address)
        for kind in kinds:
            expect(page.locator(f".lesson-view.{kind}")).to_be_visible(timeout=KERNEL_MS)
        expect(page.get_by_text("Error displaying widget")).to_have_count(0)
        generation = page.locator(".generation-explorer")
        generation.get_by_label("step").press("End")
        expect(generation.locator(".lesson-status")).to_contain_text("Step 2")
        page.close()


def test_a_notebook_that_was_only_opened_is_not_marked_as_changed(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    lesson = nbformat.read(LESSON, as_version=4)
    jupyterlab.put(lesson, "opened.ipynb")
    with opened(context, jupyterlab, "opened.ipynb") as (page, _):
        page.wait_for_function(KERNEL_IDLE, timeout=KERNEL_MS)
        page.wait_for_timeout(2000)  # what it writes about the kernel comes after it is idle
        assert not page.evaluate(DIRTY)
        page.evaluate(EDIT)
        assert page.evaluate(DIRTY)
