"""Views the next morning: run, saved, the kernel shut down, and the notebook opened again."""

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .lab import RUN_ALL, Lab, opened
from .test_all_jupyterlab import CODE, KERNEL_MS
from .test_all_pages import every_kind

NAME = "morning.ipynb"
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"


def test_views_are_there_when_a_saved_notebook_is_opened_again(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    kinds = [view.kind for view in every_kind()]
    code = f"{CODE}display(AttentionExplorer(np.eye(3), words))"
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(code)])), NAME)
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
