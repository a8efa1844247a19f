"""Pages that hold views and have no kernel."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import BrowserContext, Locator, Page, expect

from authoring.execute import strip
from transformer_lesson.widgets.view import View

SIX = ["The", "cat", "sat", "on", "the", "mat"]


def random_weights(*shape: int) -> npt.NDArray[np.float64]:
    """Weights rounded to the precision with which they are sent."""
    scores = np.exp(np.random.default_rng(0).normal(scale=2, size=shape))
    return np.rint(65535 * scores / scores.sum(axis=-1, keepdims=True)) / 65535


def script(name: str) -> str:
    """Return a function in JavaScript that a page is to evaluate."""
    return (Path(__file__).parent / "scripts" / f"{name}.js").read_text(encoding="utf-8")


def slide(root: Locator, name: str, value: int) -> None:
    """Set a slider as a reader would."""
    root.get_by_label(name, exact=True).evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", value
    )


def html_of(view: View) -> str:
    """Return the static page of a view."""
    return str(view._repr_mimebundle_()[0]["text/html"])


def open_page(context: BrowserContext, *views: View) -> tuple[Page, list[Locator]]:
    """Open a page that holds the views; any error in its scripts fails the test."""
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    page.set_content("<!doctype html>" + "".join(map(html_of, views)))
    roots = page.locator(".lesson-view")
    expect(roots).to_have_count(len(views))
    return page, [roots.nth(i) for i in range(len(views))]


def stored(*views: View) -> NotebookNode:
    """Return a notebook that shows the views, as the course stores it."""
    outputs = [new_output("display_data", view._repr_mimebundle_()[0]) for view in views]
    return strip(new_notebook(cells=[new_code_cell("views", outputs=outputs)]))


def exported(notebook: NotebookNode, folder: Path, theme: str = "light") -> Path:
    """Write ``notebook`` as nbconvert exports it; return the page."""
    body, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    path = folder / f"exported-{len(notebook.cells)}-{theme}.html"
    path.write_text(body, encoding="utf-8")
    return path


def requests_of(context: BrowserContext, page_file: Path) -> tuple[Page, set[str]]:
    """Open a file; return its page and the addresses that it requests, answered or not."""
    page = context.new_page()
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(page_file.as_uri())
    return page, {url for url in asked if not url.startswith(("data:", "blob:", "file:"))}
