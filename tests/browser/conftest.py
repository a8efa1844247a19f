"""A browser, JupyterLab, and notebooks for both."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Browser, BrowserContext

from authoring.browser import running_browser
from authoring.environment import Stop
from authoring.execute import execute, strip

from .lab import Lab, running_lab

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks/02_self_attention.ipynb"
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
SIX_TOKENS = """\
import torch
from transformer_lesson.widgets import AttentionExplorer

generator = torch.Generator().manual_seed(0)
weights = torch.randn(2, 4, 6, 6, generator=generator).mul(2).softmax(dim=-1)
explorer = AttentionExplorer(weights, "The cat sat on the mat".split())
explorer
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; if there is none, an error that says what to do."""
    try:
        with running_browser(FLAGS) as browser:
            yield browser
    except Stop as problem:
        pytest.fail(str(problem), pytrace=False)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile with room for a map of 128 tokens."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, device_scale_factor=2)
    yield context
    context.close()


@pytest.fixture(scope="session")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab that sees copies of notebooks only."""
    with running_lab(tmp_path_factory.mktemp("jupyter")) as lab:
        yield lab


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures to look at: COURSE_SCREENSHOTS, or a temporary one."""
    folder = Path(os.environ.get("COURSE_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session", params=["six_tokens", "lesson_02"])
def executed(request: pytest.FixtureRequest) -> NotebookNode:
    """A notebook with an explorer, as the course stores it: run, and stripped of live views."""
    if request.param == "lesson_02":
        return nbformat.read(LESSON, as_version=4)
    # In a separate thread, because nbclient and Playwright each need an event loop of their own.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(execute, six_tokens(), ROOT).result()


def six_tokens() -> NotebookNode:
    """A notebook that shows ``explorer``: two layers of four heads, not yet run."""
    return strip(new_notebook(cells=[new_markdown_cell("# Six tokens"), new_code_cell(SIX_TOKENS)]))
