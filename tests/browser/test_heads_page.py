"""All heads side by side, in a page without a kernel."""

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from transformer_lesson.widgets import HeadsExplorer

from .pages import SIX, open_page, random_weights


def strongest(row: npt.NDArray[np.float64], tokens: list[str]) -> str:
    key = int(row.argmax())
    return f"{tokens[key]} ({key}) {row[key]:.4f}"


def expect_row(root: Locator, maps: npt.NDArray[np.float64], query: int) -> None:
    """The strongest key for the query is written below each head, and the row marked in all."""
    expect(root.locator(".lesson-top")).to_have_text([strongest(map_[query], SIX) for map_ in maps])
    expect(root.locator(".lesson-band:visible")).to_have_count(len(maps))
    expect(root.locator(".lesson-aloud")).to_contain_text(f"query {SIX[query]} ({query})")


def test_pointing_at_a_row_reads_it_in_all_heads(context: BrowserContext) -> None:
    weights = random_weights(2, 8, 6, 6)
    _, [root] = open_page(context, HeadsExplorer(weights, SIX))
    canvases = root.locator("canvas")
    expect(canvases).to_have_count(8)
    size = canvases.nth(5).evaluate("map => map.offsetWidth") / 6
    canvases.nth(5).hover(position={"x": 4.5 * size, "y": 2.5 * size})
    expect_row(root, weights[0], 2)
    expect(root.locator(".lesson-tooltip:visible")).to_have_text(
        f"head 5\nquery sat (2)\nkey the (4)\nweight {weights[0, 5, 2, 4]:.4f}"
    )


def test_the_keyboard_does_what_the_mouse_does(context: BrowserContext) -> None:
    weights = random_weights(2, 4, 6, 6)
    page, [root] = open_page(context, HeadsExplorer(weights, SIX))
    page.keyboard.press("Tab")  # to the select for the layer
    page.keyboard.press("Tab")
    maps = root.get_by_role("application")
    expect(maps).to_be_focused()
    assert maps.evaluate("el => getComputedStyle(el).outlineStyle") == "solid"
    expect_row(root, weights[0], 0)
    page.keyboard.press("ArrowDown")
    expect_row(root, weights[0], 1)
    page.keyboard.press("Enter")
    page.keyboard.press("PageDown")
    expect_row(root, weights[0], 1)  # pinned
    for key, layer in (("]", 1), ("]", 0), ("[", 1)):  # and around
        page.keyboard.press(key)
        expect(root.get_by_role("combobox")).to_have_value(str(layer))
        expect_row(root, weights[layer], 1)
    page.keyboard.press("Escape")
    expect_row(root, weights[1], 5)


def test_a_click_pins_a_row_until_the_next(context: BrowserContext) -> None:
    weights = random_weights(3, 6, 6)
    page, [root] = open_page(context, HeadsExplorer(weights, SIX))
    canvas = root.locator("canvas").first
    canvas.click(position={"x": 5, "y": 5})
    page.mouse.move(0, 600)
    canvas.evaluate("map => map.parentElement.parentElement.blur()")
    expect_row(root, weights, 0)
    expect(root.locator(".lesson-heading")).to_have_text("query The (0), pinned")
    canvas.click(position={"x": 5, "y": 5})
    canvas.evaluate("map => map.parentElement.parentElement.blur()")
    expect(root.locator(".lesson-top")).to_have_text(["", "", ""])


def test_an_empty_row_has_no_strongest_key(context: BrowserContext) -> None:
    weights = random_weights(2, 3, 3)
    weights[1, 0] = 0
    _, [root] = open_page(context, HeadsExplorer(weights, SIX[:3]))
    root.get_by_role("application").focus()
    expect(root.locator(".lesson-top").nth(1)).to_have_text("nothing")


@pytest.mark.parametrize(("heads", "lines"), [(1, 1), (4, 1), (6, 2), (12, 3), (16, 4)])
def test_heads_stand_in_rows_of_at_most_four(
    context: BrowserContext, heads: int, lines: int
) -> None:
    weights = random_weights(heads, 9, 6)
    _, [root] = open_page(context, HeadsExplorer(weights, list("abcdefghi"), SIX))
    tops = root.locator("canvas").evaluate_all(
        "maps => maps.map(map => map.getBoundingClientRect().y)"
    )
    assert len(set(tops)) == lines


def test_sixteen_heads_of_128_tokens_fit(context: BrowserContext) -> None:
    words = [f"token{i}" for i in range(128)]
    _, [root] = open_page(context, HeadsExplorer(random_weights(16, 128, 128), words))
    assert root.evaluate("el => el.scrollWidth <= el.clientWidth")
    root.get_by_role("application").focus()
    expect(root.locator(".lesson-top").first).to_contain_text("token")
