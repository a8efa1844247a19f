"""Generation step by step, in a page without a kernel."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from authoring.site.pages import mathjax
from transformer_lesson.widgets import GenerationExplorer, GenerationStep

from .pages import open_page

SENTENCE = ["The", "cat", "sat", "on", "the", "mat", "."]
PROMPT = 3
PRICES = ["$5", "and", "$6", "$x$"]


def steps(cached: bool = True) -> list[GenerationStep]:
    """The steps from a prompt of three tokens to the whole sentence."""
    found = []
    for length in range(PROMPT, len(SENTENCE) + 1):
        old = length - 1 if cached and length > PROMPT else 0
        best = SENTENCE[length] if length < len(SENTENCE) else "<eos>"
        candidates = [("a", 0.125), (best, 0.75)]
        found.append(GenerationStep(SENTENCE[:length], candidates, length - old, old))
    return found


def test_a_step_shows_tokens_candidates_and_cache(context: BrowserContext) -> None:
    page, [root] = open_page(context, GenerationExplorer(steps(), num_layers=4))
    expect(root.locator(".lesson-chip")).to_have_text(SENTENCE[:3])
    expect(root.locator(".lesson-cells .lesson-computed")).to_have_count(3)
    expect(root.locator(".lesson-cells .lesson-read")).to_have_count(0)

    root.get_by_label("step").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(root.locator(".lesson-chip")).to_have_text(SENTENCE[:5])
    expect(root.locator(".lesson-latest")).to_have_text("the")
    expect(root.locator(".lesson-cells .lesson-computed")).to_have_count(1)
    expect(root.locator(".lesson-cells .lesson-read")).to_have_count(4)
    first = root.locator(".lesson-candidates").get_by_role("listitem").first
    expect(first).to_contain_text("mat")
    expect(first).to_contain_text("0.7500")
    expect(first).to_contain_text("chosen")
    # Four layers: 3 + 1 + 1 rows in each, without a cache 3 + 4 + 5.
    expect(root.locator(".lesson-totals .lesson-number")).to_have_text(["20", "48"])
    expect(root.locator(".lesson-status")).to_contain_text("so far 20, without a cache 48.")


def test_without_a_cache_both_totals_are_equal(context: BrowserContext) -> None:
    page, [root] = open_page(context, GenerationExplorer(steps(cached=False)))
    root.get_by_label("step").focus()
    page.keyboard.press("End")
    expect(root.locator(".lesson-totals .lesson-number")).to_have_text(["25", "25"])
    expect(root.locator(".lesson-status")).to_contain_text("No next step was given.")


def test_a_chosen_token_may_be_none_of_the_candidates(context: BrowserContext) -> None:
    rare = steps()
    rare[0] = GenerationStep(SENTENCE[:3], [("by", 0.5)], computed=3, cached=0)
    _, [root] = open_page(context, GenerationExplorer(rare))
    expect(root.locator(".lesson-other")).to_have_text("Chosen: on, which is not among these.")


def test_space_and_the_button_play_and_pause(context: BrowserContext) -> None:
    page, [root] = open_page(context, GenerationExplorer(steps()))
    slider, button = root.get_by_label("step"), root.get_by_role("button")
    slider.focus()
    page.keyboard.press("Space")
    expect(button).to_have_text("pause")
    expect(slider).to_have_value("1")
    page.keyboard.press("Space")
    expect(button).to_have_text("play")

    button.focus()
    page.keyboard.press("Space")
    expect(button).to_have_text("pause")
    page.keyboard.press("Space")
    expect(button).to_have_text("play")
    slider.focus()
    page.keyboard.press("End")
    page.keyboard.press("Space")  # After the last step it starts again.
    expect(slider).to_have_value("0")
    page.keyboard.press("ArrowRight")  # Moving the slider stops the playing.
    expect(button).to_have_text("play")


def test_it_stops_at_the_end(context: BrowserContext) -> None:
    _, [root] = open_page(context, GenerationExplorer(steps()[:2]))
    root.get_by_role("button").click()
    expect(root.get_by_label("step")).to_have_value("1")
    expect(root.get_by_role("button")).to_have_text("play")


@pytest.mark.parametrize(("motion", "name"), [("reduce", "none"), (None, "lesson-arrival")])
def test_nothing_fades_for_those_who_want_less_motion(
    browser: Browser, motion: str | None, name: str
) -> None:
    context = browser.new_context(reduced_motion="reduce" if motion else "no-preference")
    _, [root] = open_page(context, GenerationExplorer(steps()))
    cell = root.locator(".lesson-cells .lesson-computed").first
    assert cell.evaluate("cell => getComputedStyle(cell).animationName") == name
    context.close()


def test_dollar_signs_in_tokens_are_no_formulas(context: BrowserContext) -> None:
    """On a page with MathJax, as nbconvert and the site make them."""
    page, [root] = open_page(
        context, GenerationExplorer([GenerationStep(PRICES, [("$", 1)], 4, 0)])
    )
    page.evaluate(
        "document.body.append('The root of $x$.');"
        "window.MathJax = { tex: { inlineMath: [['$', '$']] } }"
    )
    page.add_script_tag(path=mathjax())
    expect(page.locator("mjx-container")).to_have_count(1)
    expect(root.locator("mjx-container")).to_have_count(0)
