"""The progress panel in the real JupyterLab: it follows the checks, in light and in dark."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .lab import RUN_ALL, Lab, opened
from .pages import script

KERNEL_MS = 120_000
NAME = "02_self_attention.ipynb"
PANEL = "from transformer_lesson.checks import progress\n\nprogress()"
ANSWER = """\
from transformer_lesson.checks import check

def causal_mask(queries, keys):
    import torch
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)

check("attention.causal_mask", causal_mask)
"""
DARK = """() => jupyterapp.commands.execute(
  'apputils:change-theme', { theme: 'JupyterLab Dark' })"""
CONTRAST = script("contrast_of_panel")


def test_the_panel_follows_the_checks_and_a_restart(
    context: BrowserContext, jupyterlab: Lab, screenshots: Path
) -> None:
    jupyterlab.put(strip(new_notebook(cells=[*map(new_code_cell, (PANEL, ANSWER))])), NAME)
    with opened(context, jupyterlab, NAME) as (page, hosts):
        page.evaluate(RUN_ALL)
        panel = page.locator(".jp-OutputArea [role=status]").first
        title = panel.locator("strong")
        expect(title).to_have_text("02_self_attention: 1 of 16 points", timeout=KERNEL_MS)
        row = panel.get_by_role("row", name="attention.causal_mask")
        expect(row).to_contain_text("done")
        expect(panel.get_by_role("img", name="1 of 16 points").first).to_be_visible()
        assert page.evaluate(CONTRAST) >= 4.5
        panel.get_by_text("the course: 1 of").focus()
        page.keyboard.press("Enter")
        expect(panel.get_by_role("row", name="01 tokens and embeddings")).to_be_visible()
        page.evaluate(DARK)
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
        assert page.evaluate(CONTRAST) >= 4.5
        page.screenshot(path=screenshots / "progress_dark.png")
        assert set(hosts) <= {"127.0.0.1", "page"}

    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(PANEL)])), NAME)
    with opened(context, jupyterlab, NAME) as (page, _):
        page.evaluate(RUN_ALL)
        title = page.locator(".jp-OutputArea [role=status] strong").first
        expect(title).to_have_text("02_self_attention: 1 of 16 points", timeout=KERNEL_MS)
