"""A query that is moved by hand, in a page without a kernel."""

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.widgets.test_query import query_explorer
from transformer_lesson.widgets import QueryExplorer

from .pages import SIX, open_page


def test_the_mouse_and_the_keys_move_it_and_the_numbers_follow(context: BrowserContext) -> None:
    view = query_explorer(SIX)
    page, [root] = open_page(context, view)
    plane = root.get_by_role("application")
    box = plane.bounding_box()
    assert box
    plane.hover(position={"x": box["width"] / 2, "y": box["height"] / 4})
    page.mouse.down()
    page.mouse.up()
    low, high = view.bounds
    width = high - low
    view.query = [low + width / 2, high - width / 4]
    check(root, view, 0.02)
    plane.press("ArrowRight")
    plane.press("ArrowDown")
    view.query = [view.query[0] + 0.1, view.query[1] - 0.1]
    check(root, view, 0.02)


def check(root: Locator, view: QueryExplorer, within: float) -> None:
    weights, output = view.shown()
    numbers = root.locator(".lesson-column").nth(1).locator(".lesson-number").all_inner_texts()
    assert [float(n) for n in numbers] == pytest.approx(weights, abs=within)
    numbers = root.locator(".lesson-column").nth(2).locator(".lesson-number").all_inner_texts()
    assert [float(n) for n in numbers] == pytest.approx(output, abs=within)
    most = view.tokens[int(weights.argmax())]
    expect(root.get_by_role("status")).to_contain_text(f"{most} gets")
