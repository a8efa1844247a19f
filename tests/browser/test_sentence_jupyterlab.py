"""A reader's own sentence in the real JupyterLab, whose kernel sends the model."""

import re
import shutil

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import ROOT, strip
from transformer_lesson.translation.translator import Translator

from .lab import PYTHON, RUN_ALL, Lab, opened

PATIENCE_MS = 120_000
CELL = """\
from transformer_lesson.translation.translator import Translator
from transformer_lesson.widgets import SentenceExplorer

translator = Translator.shipped()
explorer = SentenceExplorer(translator, examples=["The cat sat on the mat."])
explorer
"""
OWN = """\
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderOnly

SentenceExplorer(EncoderOnly(ModelConfig(2, d_model=8)), ["[mask]", "cat"])
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


def test_two_views_of_one_model_each_have_their_text_and_files(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    code = "from transformer_lesson.widgets import SentenceExplorer\n" + OWN.replace(
        "SentenceExplorer(", "explorer = SentenceExplorer("
    )
    cell = new_code_cell(f"{code}display(explorer, explorer)")
    jupyterlab.put(strip(new_notebook(cells=[cell])), "two_sentences.ipynb")
    with opened(context, jupyterlab, "two_sentences.ipynb") as (page, _):
        page.evaluate(RUN_ALL)
        views = page.locator(".jp-OutputArea .sentence-explorer")
        expect(views).to_have_count(2, timeout=PATIENCE_MS)
        fields = [view.get_by_label("your text") for view in views.all()]
        for field in fields:  # both ask the kernel before it answers
            field.evaluate("field => field.dispatchEvent(new Event('focus'))")
        for field, view, text in zip(fields, views.all(), ("cat", "cat cat [mask]"), strict=True):
            field.fill(text)
            expect(view.locator(".lesson-output")).to_contain_text("cat", timeout=PATIENCE_MS)
        expect(fields[0]).to_have_value("cat")
        printed = page.evaluate(PYTHON, "print(explorer.text, explorer._files)")
        assert printed == "cat cat [mask] {}\n"


def test_a_saved_view_translates_when_its_kernel_is_gone(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    """Jupyter's server has the course's files, and with them the model; a page has a small one."""
    model = "transformer_lesson/translation/data/model"
    shutil.copytree(ROOT / model, jupyterlab.folder / model)
    (jupyterlab.folder / "notebooks").mkdir(exist_ok=True)
    name = "notebooks/saved.ipynb"
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CELL), new_code_cell(OWN)])), name)
    with opened(context, jupyterlab, name) as (page, _):
        page.evaluate(RUN_ALL)
        expect(page.locator(".sentence-explorer").nth(1)).to_be_visible(timeout=PATIENCE_MS)
        page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    page = context.new_page()
    page.goto(jupyterlab.address(name))
    root = page.locator(".jp-OutputArea .sentence-explorer").first
    root.get_by_label("your English sentence").fill("A dog sees the cat.", timeout=PATIENCE_MS)
    expect(root.locator(".lesson-output")).to_have_text(
        Translator.shipped().translate(["A dog sees the cat."])[0], timeout=PATIENCE_MS
    )
    own = page.locator(".jp-OutputArea .sentence-explorer").nth(1)
    own.get_by_label("your text").fill("cat [mask]")
    # Sooner than a kernel that is busy would be given up.
    expect(own.locator(".lesson-output")).to_have_text(re.compile("cat"), timeout=15_000)
