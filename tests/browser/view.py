"""An attention explorer as a reader uses it, and what it should say."""

import base64
import json
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from nbformat import NotebookNode
from playwright.sync_api import Locator, Position, expect

STATE = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)


class Truth(NamedTuple):
    """The input of an explorer, as stored in its page; a unit test compares that with the input.

    ``weights`` is ``(layers, heads, queries, keys)``.
    """

    weights: npt.NDArray[np.float64]
    query_tokens: list[str]
    key_tokens: list[str]

    def tooltip(self, layer: int, head: int, query: int, key: int) -> str:
        """Return what the tooltip should say."""
        return (
            f"query {self.query_tokens[query]} ({query})\nkey {self.key_tokens[key]} ({key})\n"
            f"weight {self.weights[layer, head, query, key]:.4f}"
        )


def truth_of(page: str) -> Truth:
    """Return the input of the first explorer in the HTML ``page``."""
    found = STATE.search(page)
    assert found, "there is no explorer in the page"
    state = json.loads(found[1])
    fixed = np.frombuffer(base64.b64decode(state["data"]), dtype="<u2").reshape(state["shape"])
    return Truth(fixed / 65535, state["query_tokens"], state["key_tokens"])


def first_explorer(notebook: NotebookNode) -> tuple[int, Truth]:
    """Return the cell of the first explorer in an executed notebook, and the explorer's input."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            page = output.get("data", {}).get("text/html", "")
            if "attention-explorer-page" in page:
                return index, truth_of(page)
    raise AssertionError("no cell of the notebook shows an explorer")


class View:
    """The parts of one explorer on a page."""

    def __init__(self, root: Locator) -> None:
        self.root = root
        self.canvas = root.locator("canvas")
        self.tooltip = root.locator(".lesson-tooltip")
        self.status = root.locator(".lesson-status")
        self.head = root.locator("select.lesson-head")
        self.layer = root.locator("select.lesson-layer")
        self.panel = root.locator(".lesson-panel")

    def hover(self, query: int, key: int) -> None:
        """Move the mouse to the middle of a cell."""
        self.canvas.hover(position=self._middle(query, key))

    def says(self, query: int, key: int, said: str) -> None:
        """Hover a cell, and check the tooltip: again where the page moved under the mouse.

        JupyterLab measures the cells that it shows, and may shift them after the mouse has come.
        """
        for _ in range(3):
            self.hover(query, key)
            try:
                expect(self.tooltip).to_have_text(said, timeout=2000)
            except AssertionError:
                continue
            return
        expect(self.tooltip).to_have_text(said)

    def click(self, query: int, key: int) -> None:
        """Click the middle of a cell."""
        self.canvas.click(position=self._middle(query, key))

    def _middle(self, query: int, key: int) -> Position:
        queries, keys, height, width = self.canvas.evaluate(
            "map => [map.height, map.width, map.offsetHeight, map.offsetWidth]"
        )
        return {"x": (key + 0.5) * width / keys, "y": (query + 0.5) * height / queries}


def interact(view: View, truth: Truth) -> None:
    """Hover, change the head, pin and use the keyboard, and check every text against the truth."""
    layers, heads, queries, keys = truth.weights.shape
    query, key = queries - 1, keys // 2
    view.says(query, key, truth.tooltip(0, 0, query, key))

    layer, head = layers - 1, heads - 1
    if heads > 1:
        view.head.select_option(str(head))
        view.says(query, key, truth.tooltip(0, head, query, key))
    if layers > 1:
        view.layer.select_option(str(layer))
        view.says(query, key, truth.tooltip(layer, head, query, key))

    view.click(query, key)
    row = truth.weights[layer, head, query]
    strongest = int(row.argmax())
    pinned = f"{truth.query_tokens[query]} ({query}) attends to"
    expect(view.panel.locator(".lesson-heading")).to_have_text(pinned)
    first = view.panel.get_by_role("listitem").first
    expect(first.locator(".lesson-token")).to_have_text(
        f"{truth.key_tokens[strongest]} ({strongest})"
    )
    expect(first.locator(".lesson-number")).to_have_text(f"{row[strongest]:.4f}")

    view.canvas.press("Home")
    view.canvas.press("ArrowUp")
    view.canvas.press("ArrowRight")
    said = truth.tooltip(layer, head, query - 1, 1)
    expect(view.tooltip).to_have_text(said)
    which = [f"layer {layer}"] * (layers > 1) + [f"head {head}"] * (heads > 1)
    expect(view.status).to_have_text(", ".join([*said.split("\n"), *which]))
    expect(view.panel.locator(".lesson-heading")).to_have_text(pinned)
    view.canvas.press("Escape")
    expect(view.panel.locator(".lesson-heading")).to_have_count(0)
