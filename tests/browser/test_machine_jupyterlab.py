"""The drawing in the real JupyterLab, which a click on a part must not leave."""

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import BrowserContext, Dialog, Page, expect

from authoring.execute import strip
from transformer_lesson.widgets import Machine

from .lab import PYTHON, RUN_ALL, Lab, opened
from .pages import stored
from .test_reopened_jupyterlab import DIRTY, EDIT

KERNEL_MS = 120_000
CELL = """\
from transformer_lesson.widgets import Machine

machine = Machine("08")
display(machine, machine)
"""
SHOWN = "() => jupyterapp.shell.currentWidget.context?.path"


def lesson() -> NotebookNode:
    """Return a stand-in for the lesson that a part leads to."""
    return new_notebook(cells=[new_markdown_cell("# A lesson")])


def check_click(page: Page, folder: str) -> None:
    """Click a part in a notebook that has changes: its lesson opens in a tab beside it."""
    asked: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.evaluate(f"({EDIT})(), globalThis.stays = true")
    assert page.evaluate(DIRTY)
    part = page.locator(".jp-OutputArea .lesson-part[aria-label^='encoder: self-attention']").first
    part.click(timeout=KERNEL_MS)
    page.wait_for_function(f"({SHOWN})() === '{folder}02_self_attention.ipynb'")
    assert page.evaluate("globalThis.stays") is True
    assert asked == []
    assert len(page.context.pages) == 1


@pytest.mark.parametrize("folder", ["", "notebooks/"])
def test_a_click_on_a_part_opens_a_tab_and_leaves_nothing(
    context: BrowserContext, jupyterlab: Lab, folder: str
) -> None:
    (jupyterlab.folder / folder).mkdir(exist_ok=True)
    jupyterlab.put(lesson(), f"{folder}02_self_attention.ipynb")
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CELL)])), f"{folder}drawn.ipynb")
    with opened(context, jupyterlab, f"{folder}drawn.ipynb") as (page, _):
        page.evaluate(RUN_ALL)
        check_click(page, folder)


def test_so_does_one_in_a_notebook_as_it_was_stored(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    """Its view is a page, which knows nothing of JupyterLab but its address."""
    (jupyterlab.folder / "labs").mkdir(exist_ok=True)
    jupyterlab.put(lesson(), "02_self_attention.ipynb")
    notebook = stored(Machine("08", folder="../"))
    jupyterlab.put(nbformat.from_dict(notebook), "labs/stored.ipynb", trusted=True)
    with opened(context, jupyterlab, "labs/stored.ipynb") as (page, _):
        check_click(page, "")


def test_two_views_of_one_machine_have_states_of_their_own(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CELL)])), "two.ipynb")
    with opened(context, jupyterlab, "two.ipynb") as (page, _):
        page.evaluate(RUN_ALL)
        views = page.locator(".jp-OutputArea .machine-explorer")
        expect(views).to_have_count(2, timeout=KERNEL_MS)
        decoders = [view.locator(".lesson-part[aria-label^='decoder']") for view in views.all()]
        whole = decoders[1].count()
        views.first.get_by_role("button", name="BERT keeps").click()
        expect(decoders[0]).to_have_count(0)
        assert decoders[1].count() == whole
        assert page.evaluate(PYTHON, "print(machine.variant)") == "1\n"
        page.evaluate(PYTHON, "machine.variant = 2")  # Python speaks to both
        encoders = [view.locator(".lesson-part[aria-label^='encoder']") for view in views.all()]
        for encoder in encoders:
            expect(encoder).to_have_count(0)
