"""The drawing of the machine at the head of a lesson: what it says and where its parts lead."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from transformer_lesson.widgets import Machine

from .pages import exported, open_page, stored
from .test_sentence_page import SMALL_LABELS

SIZES = [(1440, 900), (791, 900), (390, 844)]


@pytest.mark.parametrize("key", [None, "Enter"])
def test_a_part_opens_its_lesson_in_an_exported_page(
    context: BrowserContext, tmp_path: Path, key: str | None
) -> None:
    """With the other lessons exported beside it, by a click or from the keyboard."""
    for lesson, name in (("05", "05_encoder"), ("02", "02_self_attention")):
        exported(stored(Machine(lesson)), tmp_path).rename(tmp_path / f"{name}.html")
    page = context.new_page()
    page.goto((tmp_path / "05_encoder.html").as_uri())
    part = page.get_by_role("link", name="encoder: self-attention, built in lesson 02")
    part.press(key) if key else part.click()
    expect(page).to_have_url((tmp_path / "02_self_attention.html").as_uri())
    lit = page.locator(".lesson-part.lesson-lit").first
    expect(lit).to_have_attribute("aria-label", "encoder: self-attention, this lesson")


def test_a_lab_looks_for_lessons_above_it(context: BrowserContext) -> None:
    _, [root] = open_page(context, Machine("08", folder="../"))
    part = root.get_by_role("link", name="embedding").first
    expect(part).to_have_attribute("href", "../01_tokens_and_embeddings.html")


def test_buttons_turn_it_into_the_halves_that_bert_and_gpt_keep(context: BrowserContext) -> None:
    _, [root] = open_page(context, Machine("08"))
    for name, gone in (("BERT keeps", "decoder"), ("GPT keeps", "encoder")):
        root.get_by_role("button", name=name).press("Enter")
        expect(root.locator(f".lesson-part[aria-label^='{gone}:']")).to_have_count(0)
    root.locator(".lesson-part[tabindex='0']").focus()
    expect(root.locator(".lesson-told")).to_contain_text("(batch, tokens)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_it_stands_on_one_screen_and_can_be_read(
    browser: Browser, screenshots: Path, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page, [root] = open_page(context, Machine("06"))
    box = root.bounding_box()
    assert box and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.add_style_tag(content=":root { color-scheme: light dark }")
    page.wait_for_timeout(500)  # colors change by and by
    page.screenshot(path=screenshots / f"machine-{width}-{scheme}.png")
    assert root.evaluate(SMALL_LABELS) == []
    context.close()
