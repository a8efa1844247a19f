"""Scores under a mask, and the weights that the browser computes."""

import re

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from transformer_lesson.widgets import MaskExplorer

from .pages import open_page

TOKENS = ["The", "cat", "sat", "<pad>", "<pad>"]
SCORES = np.random.default_rng(0).normal(scale=3, size=(5, 5)).astype(np.float32)
WEIGHT = re.compile(r"weight (\d\.\d{4})$")


def weights_of(root: Locator, rows: int, columns: int) -> npt.NDArray[np.float64]:
    """Read all weights by moving over them with the keyboard."""
    maps = root.get_by_role("application")
    maps.focus()
    found = []
    for row in range(rows):
        for _ in range(columns):
            text = root.locator(".lesson-status").text_content() or ""
            match = WEIGHT.search(text)
            assert match, text
            found.append(float(match[1]))
            maps.press("ArrowRight")
        maps.press("Home")
        if row < rows - 1:
            maps.press("ArrowDown")
    maps.press("PageUp")
    return np.reshape(found, (rows, columns))


@pytest.mark.parametrize(("causal", "padding"), [(False, False), (True, False), (True, True)])
def test_the_weights_are_those_of_numpy(
    context: BrowserContext, causal: bool, padding: bool
) -> None:
    widget = MaskExplorer(SCORES, TOKENS, num_padding=2)
    _, [root] = open_page(context, widget)
    root.get_by_role("checkbox", name="causal").set_checked(causal)
    root.get_by_role("checkbox", name="padding").set_checked(padding)
    widget.causal, widget.padding = causal, padding
    assert np.abs(weights_of(root, 5, 5) - widget.weights()).max() < 6e-5
    blocked = int((~widget.mask()).sum())
    expect(root.locator(".lesson-note")).to_have_text(f"{blocked} of 25 scores are blocked.")


def test_queries_are_the_last_of_the_keys(context: BrowserContext) -> None:
    widget = MaskExplorer(SCORES[:2], TOKENS)
    widget.causal = True
    _, [root] = open_page(context, widget)
    assert np.abs(weights_of(root, 2, 5) - widget.weights()).max() < 6e-5
    root.get_by_role("application").focus()
    expect(root.locator(".lesson-status")).to_contain_text("query <pad> (3), key The (0)")


def test_a_row_without_any_key_is_zero_and_marked(context: BrowserContext) -> None:
    _, [root] = open_page(context, MaskExplorer(SCORES[:3, :3], TOKENS[:3], num_padding=3))
    root.get_by_role("checkbox", name="padding").check()
    assert (weights_of(root, 3, 3) == 0).all()
    expect(root.locator(".lesson-empty")).to_have_text(["nothing: all 0"] * 3)
    expect(root.locator(".lesson-note")).to_contain_text("Nothing is left for The (0), cat (1)")
    root.get_by_role("application").focus()
    expect(root.locator(".lesson-panel")).to_contain_text("The (0) attends to nothing")


def test_the_keyboard_switches_masks_and_pins(context: BrowserContext) -> None:
    page, [root] = open_page(context, MaskExplorer(SCORES, TOKENS, num_padding=2))
    root.get_by_role("application").focus()
    for key in ("c", "p", "ArrowDown", "Enter", "ArrowDown"):
        page.keyboard.press(key)
    expect(root.get_by_role("checkbox", name="causal")).to_be_checked()
    expect(root.get_by_role("checkbox", name="padding")).to_be_checked()
    panel = root.locator(".lesson-panel")
    expect(panel.locator(".lesson-heading")).to_have_text("cat (1) attends to")
    expect(panel.get_by_role("listitem")).to_have_count(2)
    expect(panel).to_contain_text("Blocked: sat (2), <pad> (3), <pad> (4).")
    page.keyboard.press("End")
    expect(root.locator(".lesson-status")).to_contain_text("(blocked: causal and padding)")
    page.keyboard.press("Escape")
    expect(panel.locator(".lesson-heading")).to_have_text("sat (2) attends to")


def test_blocked_cells_are_hatched(context: BrowserContext) -> None:
    _, [root] = open_page(context, MaskExplorer(SCORES, TOKENS))
    share_covered = """cover => {
      const { data } = cover.getContext("2d").getImageData(0, 0, cover.width, cover.height);
      return data.filter((alpha, i) => i % 4 === 3 && alpha).length / (data.length / 4);
    }"""

    def share(index: int) -> float:
        return float(root.locator(".lesson-cover").nth(index).evaluate(share_covered))

    assert [share(0), share(1)] == [0, 0]
    root.get_by_role("checkbox", name="causal").check()
    assert [share(0), share(1)] == pytest.approx([10 / 25, 10 / 25], abs=0.01)


def test_without_padding_its_switch_is_off(context: BrowserContext) -> None:
    page, [root] = open_page(context, MaskExplorer(SCORES, TOKENS))
    expect(root.get_by_role("checkbox", name="padding")).to_be_disabled()
    root.get_by_role("application").focus()
    page.keyboard.press("p")
    expect(root.get_by_role("checkbox", name="padding")).not_to_be_checked()
