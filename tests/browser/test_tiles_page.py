"""The view of the tiles of flash attention, in a page."""

import re

from playwright.sync_api import Browser, BrowserContext, expect

from tests.widgets.tile_walks import explorer
from transformer_lesson.widgets.tiles_text import sentence

from .pages import open_page

# Rounding errors differ between Python and the browser.
ROUNDING = re.compile("[0-9][.][0-9]{2}e\N{MINUS SIGN}[0-9]+|error 0 ")


def test_the_page_says_what_python_says(context: BrowserContext) -> None:
    view = explorer(row=6)
    _, [root] = open_page(context, view)
    grid = root.get_by_role("application")
    grid.focus()
    for step in range(3):
        said = root.locator(".lesson-status").text_content() or ""
        expected = sentence(view.walk(), 6, step, view.capacity)
        assert ROUNDING.sub("~", said) == ROUNDING.sub("~", expected)
        read, written = view.walk().moved(step)
        sums = [f"{words.total()}" for words in (read, written)]
        last = root.locator(".lesson-words tr").last
        expect(last).to_have_text("together" + "".join(sums))
        grid.press("ArrowRight")
    expect(root.get_by_role("slider", name="step")).to_have_value("2")


def test_tiles_look_like_what_they_are(context: BrowserContext) -> None:
    page, [root] = open_page(context, explorer(tile_queries=2, tile_keys=2, step=4))
    for name, count in {"visited": 4, "now": 1, "coming": 5, "skipped": 6, "partly": 4}.items():
        expect(root.locator(f".lesson-tile.lesson-{name}")).to_have_count(count)
    key = root.locator(".lesson-key")
    expect(key).to_have_text("visited 4this tileto come 5skipped 6partly masked 4")
    root.get_by_role("checkbox", name="causal").uncheck()
    expect(root.locator(".lesson-tile.lesson-skipped")).to_have_count(0)
    expect(root.get_by_role("slider", name="step")).to_have_attribute("max", "15")
    root.get_by_role("application").focus()
    page.keyboard.press("End")
    expect(root.get_by_role("slider", name="step")).to_have_value("15")
    for name in ("queries in a tile", "keys in a tile"):
        root.get_by_label(name).focus()
        page.keyboard.press("End")
    expect(root.locator(".lesson-status")).to_contain_text("Tile 1 of 1, forward")
    expect(root.get_by_role("slider", name="step")).to_have_value("0")


def test_the_keyboard_steps_and_chooses_a_row(context: BrowserContext) -> None:
    page, [root] = open_page(context, explorer())
    panel = root.locator(".lesson-panel .lesson-heading")
    expect(panel).to_have_text("row 3 is in this tile")
    root.get_by_role("application").focus()
    page.keyboard.press("ArrowDown")
    expect(panel).to_have_text("row 4 has not begun")
    page.keyboard.press("ArrowRight")
    expect(panel).to_have_text("row 4 is in this tile")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    expect(panel).to_have_text("row 3 is finished")
    outline = root.get_by_role("application").evaluate("el => getComputedStyle(el).outlineStyle")
    assert outline == "solid"


def test_a_click_goes_to_the_tile(context: BrowserContext) -> None:
    _, [root] = open_page(context, explorer())
    cell = root.locator("canvas").evaluate("map => map.offsetWidth / map.width")
    root.locator("canvas").click(position={"x": 4.5 * cell, "y": 5.5 * cell})
    expect(root.get_by_role("slider", name="step")).to_have_value("2")
    expect(root.locator(".lesson-panel .lesson-heading")).to_have_text("row 5 is in this tile")
    # A skipped tile is not a step.
    root.locator("canvas").click(position={"x": 7.5 * cell, "y": 0.5 * cell})
    expect(root.get_by_role("slider", name="step")).to_have_value("2")


def test_it_plays_and_pauses(context: BrowserContext) -> None:
    _, [root] = open_page(context, explorer())
    root.get_by_role("button", name="play").click()
    step = root.get_by_role("slider", name="step")
    expect(step).to_have_value("1")
    root.get_by_role("button", name="pause").click()
    expect(root.get_by_role("button", name="play")).to_be_visible()
    root.get_by_role("application").press(" ")
    expect(step).to_have_value("2")
    root.get_by_role("application").press(" ")
    expect(step).to_have_value("0")
    expect(step).to_have_value("2", timeout=5000)
    expect(root.get_by_role("button", name="play")).to_be_visible()


def test_with_less_motion_the_button_goes_one_tile_on(browser: Browser) -> None:
    calm = browser.new_context(reduced_motion="reduce")
    page, [root] = open_page(calm, explorer())
    root.get_by_role("button", name="next tile").click()
    expect(root.get_by_role("slider", name="step")).to_have_value("1")
    page.wait_for_timeout(1500)
    expect(root.get_by_role("slider", name="step")).to_have_value("1")
    calm.close()


def test_what_is_broken_shows(context: BrowserContext) -> None:
    _, [root] = open_page(context, explorer(last_first=True, tile_keys=2, row=0))
    panel = root.locator(".lesson-panel")
    expect(panel).to_contain_text("All of this row's scores here are masked: they count 0.")
    expect(panel.locator(".lesson-results")).not_to_contain_text("✗")
    root.get_by_role("checkbox", name="as a mask").check()
    expect(panel).to_contain_text("each counts exp(0) = 1, until a larger maximum comes")
    expect(panel.locator(".lesson-results tr").nth(1)).to_contain_text("✗")
    expect(panel.locator(".lesson-results tr").nth(2)).not_to_contain_text("✗")
    root.get_by_role("application").press("ArrowRight")
    expect(panel).to_contain_text("the factor 0 wipes out what the masked scores had added")
    expect(panel.locator(".lesson-results")).not_to_contain_text("✗")
    root.get_by_role("checkbox", name="no rescaling").check()
    expect(panel.locator(".lesson-states")).to_contain_text("1.0000, not 0")
    expect(panel.locator(".lesson-results tr").nth(2)).to_contain_text("✗")
    said = panel.locator(".lesson-worst").text_content() or ""
    assert float(said.split(": ")[1].rstrip(".")) > 0.01
    root.get_by_role("combobox", name="maximum").select_option("no maximum")
    root.get_by_role("combobox", name="scores").select_option(index=4)
    root.get_by_role("application").press("End")
    expect(panel.locator(".lesson-worst")).to_contain_text("NaN")


def test_what_does_not_fit_is_said(context: BrowserContext) -> None:
    _, [root] = open_page(context, explorer(capacity=50))
    expect(root.locator(".lesson-memory")).to_contain_text("fast memory: 80 of 50 words")
    expect(root.locator(".lesson-memory")).to_contain_text("This does not fit")
    expect(root.locator(".lesson-status")).to_contain_text("which does not fit")
