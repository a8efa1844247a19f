"""A gap that the reader chooses, in a page without a kernel."""

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from transformer_lesson.widgets import GapExplorer, Sentence

from .pages import open_page

TOKENS = ["The", "cat", "sat", "on", "the", "mat"]
SAT = Sentence(
    TOKENS,
    {
        "masked": [[("a", 0.5), (token, 0.25), ("so", 0.125)] for token in TOKENS[:2]]
        + [[(token, 0.75), ("it", 0.125)] for token in TOKENS[2:]],
        "causal": [[]] + [[("dog", 0.5), ("ran", 0.25)] for _ in TOKENS[1:-1]] + [[("mat", 0.5)]],
    },
)
SHORT = Sentence(
    ["It", "ran"], {"masked": [[("It", 0.5)], [("ran", 0.5)]], "causal": [[], [("ran", 0.5)]]}
)


def test_a_click_moves_the_gap_in_both_models(context: BrowserContext, screenshots: Path) -> None:
    _, [root] = open_page(context, GapExplorer([SAT, SHORT]))
    masked, causal = root.locator(".lesson-model").all()
    root.get_by_role("option", name="cat", exact=True).click()
    expect(root.locator("[aria-selected=true]")).to_have_text("cat")
    expect(masked.locator(".lesson-piece")).to_have_text(["The", "?", "sat", "on", "the", "mat"])
    expect(causal.locator(".lesson-piece")).to_have_text(["The", "?", "", "", "", ""])
    assert "sat" not in str(causal.text_content())

    expect(masked.locator(".lesson-token")).to_have_text(["a", "cat", "so"])
    expect(masked.locator(".lesson-number")).to_have_text(["0.5000", "0.2500", "0.1250"])
    expect(masked.locator(".lesson-tag")).to_have_text(["", "✓ true", ""])
    expect(masked.locator(".lesson-note")).to_have_text(
        ["", "First guess right in 4 of 6 gaps of this sentence."]
    )
    expect(causal.locator(".lesson-note")).to_have_text(
        [
            "cat, the true word, is not among these 2.",
            "First guess right in 1 of 5 gaps of this sentence.",
        ]
    )
    expect(root.locator(".lesson-status")).to_have_text(
        "Gap 2 of 6, the true word is cat. First guess of the masked model: a, 0.5000; the true "
        "word is number 2. First guess of the causal model: dog, 0.5000; cat, the true word, is "
        "not among these 2."
    )
    root.screenshot(path=screenshots / "gap.png")


def test_the_keyboard_moves_the_gap(context: BrowserContext) -> None:
    page, [root] = open_page(context, GapExplorer([SAT]))
    page.keyboard.press("Tab")
    words = root.get_by_role("listbox")
    expect(words).to_be_focused()
    assert words.evaluate("el => getComputedStyle(el).outlineStyle") == "solid"
    chosen = root.locator("[aria-selected=true]")
    expect(chosen).to_have_text("on")
    for key, word in [
        ("ArrowRight", "the"),
        ("End", "mat"),
        ("ArrowRight", "mat"),
        ("ArrowLeft", "the"),
        ("Home", "The"),
        ("ArrowLeft", "The"),
    ]:
        page.keyboard.press(key)
        expect(chosen).to_have_text(word)
        assert words.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    expect(root.locator(".lesson-model").last).to_contain_text("This model was not asked here.")
    page.keyboard.press("Control+ArrowRight")
    expect(chosen).to_have_text("The")


def test_another_sentence_keeps_the_gap_within_it(context: BrowserContext) -> None:
    _, [root] = open_page(context, GapExplorer([SAT, SHORT]))
    root.get_by_label("sentence", exact=True).select_option("1")
    expect(root.locator("[aria-selected=true]")).to_have_text("ran")
    expect(root.locator(".lesson-status")).to_contain_text("Gap 2 of 2, the true word is ran.")
