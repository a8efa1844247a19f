"""A wrong answer in the real JupyterLab: one panel, and a cell that counts as failed."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .lab import RUN_ALL, Lab, opened

KERNEL_MS = 120_000
NAME = "02_self_attention.ipynb"
WRONG = """\
from transformer_lesson.checks import check

check("attention.softmax", lambda scores: scores.exp())
"""


def test_a_wrong_answer_shows_one_panel_and_ends_the_run(
    context: BrowserContext, jupyterlab: Lab, screenshots: Path
) -> None:
    cells = [new_code_cell(WRONG), new_code_cell("print('reached')")]
    jupyterlab.put(strip(new_notebook(cells=cells)), NAME)
    with opened(context, jupyterlab, NAME) as (page, _):
        page.evaluate(RUN_ALL)
        outputs = page.locator(".jp-OutputArea-child")
        expect(outputs).to_have_count(2, timeout=KERNEL_MS)
        expect(outputs.filter(visible=True)).to_have_count(1)
        expect(outputs.filter(visible=True).get_by_role("status")).to_contain_text("wrong")
        expect(page.get_by_text("attention.softmax: wrong").filter(visible=True)).to_have_count(1)
        expect(page.get_by_text("reached", exact=True)).to_have_count(0)
        page.screenshot(path=screenshots / "wrong_answer.png")
