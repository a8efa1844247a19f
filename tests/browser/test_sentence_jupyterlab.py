"""A reader's own sentence in the real JupyterLab, whose kernel sends the model."""

import re

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .lab import PYTHON, RUN_ALL, Lab, opened

PATIENCE_MS = 120_000
CELL = """\
from transformer_lesson.translation.translator import Translator
from transformer_lesson.widgets import SentenceExplorer

translator = Translator.shipped()
explorer = SentenceExplorer(translator, examples=["The cat sat on the mat."])
explorer
"""


def test_the_kernel_sends_the_model_and_keeps_nothing_of_it(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CELL)])), "sentence.ipynb")
    with opened(context, jupyterlab, "sentence.ipynb") as (page, _):
        page.evaluate(RUN_ALL)
        root = page.locator(".jp-OutputArea .sentence-explorer").first
        expect(root).to_be_visible(timeout=PATIENCE_MS)
        root.get_by_label("your English sentence").fill("A dog sees the cat.")
        step = root.get_by_label("step", exact=True).and_(root.locator("input"))
        expect(step).to_be_enabled(timeout=PATIENCE_MS)
        expect(root.locator(".lesson-output")).to_have_text(re.compile("[.]$"), timeout=PATIENCE_MS)
        printed = page.evaluate(
            PYTHON, "print(translator.translate([explorer.text])[0], len(explorer._files))"
        )
        output = root.locator(".lesson-output").text_content()
        assert printed == f"{output} 0\n"
