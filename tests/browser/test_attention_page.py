"""The attention explorer in pages without a kernel: exported, and at all sizes."""

import copy
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, Page, expect

from transformer_lesson.widgets import AttentionExplorer

from .pages import SIX, exported, html_of, open_page, random_weights, requests_of
from .view import View, first_explorer, interact, truth_of

LIVE_VIEW = "application/vnd.jupyter.widget-view+json"


def show(context: BrowserContext, *explorers: AttentionExplorer) -> tuple[Page, list[View]]:
    """Open a page that holds the explorers."""
    page, roots = open_page(context, *explorers)
    return page, [View(root) for root in roots]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_exported_page_answers_with_the_network_cut_off(
    context: BrowserContext, executed: NotebookNode, tmp_path: Path, screenshots: Path, theme: str
) -> None:
    _, truth = first_explorer(executed)
    context.set_offline(True)
    path = exported(executed, tmp_path, theme)
    page, _ = requests_of(context, path)
    root = page.locator(".attention-explorer").first
    interact(View(root), truth)
    View(root).canvas.press("Enter")
    root.screenshot(path=screenshots / f"{path.stem}.png")


def test_a_notebook_saved_with_its_live_view_exports_as_well(
    context: BrowserContext, executed: NotebookNode, tmp_path: Path
) -> None:
    cell, _ = first_explorer(executed)
    saved = copy.deepcopy(executed)
    saved.cells = [saved.cells[cell]]
    for output in saved.cells[0].outputs:
        output.data[LIVE_VIEW] = {"model_id": "gone", "version_major": 2, "version_minor": 0}
    context.set_offline(True)
    page, _ = requests_of(context, exported(saved, tmp_path))
    expect(page.locator(".attention-explorer canvas")).to_be_visible()


@pytest.mark.parametrize("tokens", [1, 6, 12, 64, 128, 512])
def test_every_size_says_the_truth(context: BrowserContext, screenshots: Path, tokens: int) -> None:
    words = [f"word{i}" for i in range(tokens)]
    explorer = AttentionExplorer(random_weights(tokens, tokens), words)
    page, [view] = show(context, explorer)
    truth = truth_of(html_of(explorer))
    for query, key in np.random.default_rng(1).integers(tokens, size=(10, 2)).tolist():
        view.hover(query, key)
        expect(view.tooltip).to_have_text(truth.tooltip(0, 0, query, key))
    view.click(tokens // 3, tokens // 2)
    page.screenshot(path=screenshots / f"page-{tokens}.png")


def test_the_mean_of_heads_is_the_mean(context: BrowserContext) -> None:
    weights = random_weights(3, 4, 6)
    _, [view] = show(context, AttentionExplorer(weights, SIX[:4], SIX))
    view.head.select_option("mean of heads")
    view.hover(3, 5)
    expect(view.tooltip).to_contain_text(f"weight {weights.mean(axis=0)[3, 5]:.4f}")
    expect(view.layer).to_have_count(0)


def test_brackets_go_through_the_heads_and_around(context: BrowserContext) -> None:
    _, [view] = show(context, AttentionExplorer(random_weights(2, 6, 6), SIX))
    shown = []
    for key in "]]][":
        view.canvas.press(key)
        shown.append(view.head.input_value())
    assert shown == ["1", "-1", "0", "-1"]


@pytest.mark.parametrize("chord", ["Shift+Enter", "Control+Enter", "Control+]", "Alt+ArrowRight"])
def test_keys_with_modifiers_are_left_to_the_page(context: BrowserContext, chord: str) -> None:
    _, [view] = show(context, AttentionExplorer(random_weights(2, 6, 6), SIX))
    view.canvas.press("ArrowRight")
    before = view.status.text_content()
    view.canvas.press(chord)
    assert view.status.text_content() == before
    assert view.head.input_value() == "0"
    expect(view.panel.locator(".lesson-heading")).to_have_count(0)


def test_every_key_moves_the_cursor_where_it_should(context: BrowserContext) -> None:
    _, [view] = show(context, AttentionExplorer(random_weights(6, 6), SIX))
    moves = [
        ("ArrowRight", (0, 1)),
        ("End", (0, 5)),
        ("ArrowRight", (0, 5)),
        ("ArrowDown", (1, 5)),
        ("PageDown", (5, 5)),
        ("ArrowLeft", (5, 4)),
        ("PageUp", (0, 4)),
        ("Home", (0, 0)),
    ]
    for key, (query, column) in moves:
        view.canvas.press(key)
        said = f"query {SIX[query]} ({query}), key {SIX[column]} ({column})"
        expect(view.status).to_contain_text(said)


def test_a_pinned_row_stays_while_the_mouse_moves_on(context: BrowserContext) -> None:
    _, [view] = show(context, AttentionExplorer(random_weights(6, 6), SIX))
    heading = view.panel.locator(".lesson-heading")
    view.click(4, 2)
    view.hover(1, 1)
    expect(heading).to_have_text("the (4) attends to")
    view.click(4, 0)
    expect(heading).to_have_count(0)
    for key in ("Enter", "Space"):
        view.canvas.press(key)
        expect(heading).to_have_text("the (4) attends to")
        view.canvas.press("Escape")
        expect(heading).to_have_count(0)


def test_an_empty_row_attends_to_nothing(context: BrowserContext) -> None:
    weights = random_weights(6, 6)
    weights[2] = 0
    _, [view] = show(context, AttentionExplorer(weights, SIX))
    view.click(2, 2)
    expect(view.panel.locator(".lesson-heading")).to_have_text("sat (2) attends to nothing")


def test_cross_attention_names_its_axes(context: BrowserContext, screenshots: Path) -> None:
    target = ["Die", "Katze", "saß", "auf", "der", "Matte", ".", "<eos>", "<pad>"]
    page, [cross, cached] = show(
        context,
        AttentionExplorer(random_weights(9, 6), target, SIX),
        AttentionExplorer(random_weights(2, 6), SIX[-2:], SIX),
    )
    expect(cross.root.locator(".lesson-row-title")).to_have_text("query (target)")
    expect(cross.root.locator(".lesson-column-title")).to_have_text("key (source)")
    expect(cached.root.locator(".lesson-column-title")).to_have_text("key")
    page.screenshot(path=screenshots / "page-rectangular.png", full_page=True)


PIXEL = "(map, [x, y]) => [...map.getContext('2d').getImageData(x, y, 1, 1).data]"


def test_colors_are_viridis_on_the_scale_of_the_legend(context: BrowserContext) -> None:
    sure = np.eye(2)
    spread = np.full((2, 2), 0.5)
    _, [view] = show(context, AttentionExplorer(np.stack([spread, sure]), SIX[:2]))
    top = view.root.locator(".lesson-ticks span >> nth=0")

    def color() -> list[int]:
        found: list[int] = view.canvas.evaluate(PIXEL, [0, 0])
        return found[:3]

    def viridis(place: float) -> list[float]:
        return [255 * channel for channel in colormaps["viridis"](place)[:3]]

    expect(top).to_have_text("1.00")
    assert color() == pytest.approx(viridis(0.5), abs=6)
    view.root.get_by_role("checkbox").uncheck()
    expect(top).to_have_text("0.50")
    assert color() == pytest.approx(viridis(1.0), abs=6)
