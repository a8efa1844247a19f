"""A reader's own sentence, in a page without a kernel."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.widgets.small_models import WORDS, small_translator, small_typed
from transformer_lesson.translation.translator import Translator
from transformer_lesson.widgets import SentenceExplorer, sentence

from .pages import html_of, open_page
from .served import served

PATIENCE_MS = 60_000  # a model is loaded, and a worker starts
EXAMPLES = ["The cat sat on the mat.", "A dog sees the cat."]
FIELD = "your English sentence"


@pytest.fixture(scope="module")
def translator() -> Translator:
    return small_translator()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, translator: Translator) -> Iterator[str]:
    """The address of a page with a view, and of the model beside it."""
    folder = tmp_path_factory.mktemp("site")
    translator.save(folder / "model", int8=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence, "MOST_IN_PAGE", 0)
        patch.setattr(sentence, "_is_shipped", lambda typed: True)
        view = SentenceExplorer(Translator.load(folder / "model"), examples=EXAMPLES)
        html = html_of(view)
    head = '<!doctype html><html lang="en"><meta charset="utf-8">'
    head += '<meta name="viewport" content="width=device-width">'
    (folder / "page.html").write_text(head + html, encoding="utf-8")
    with served(folder) as root:
        yield f"{root}/page.html"


def open_served(context: BrowserContext, address: str) -> tuple[Page, Locator, list[str]]:
    """Open the page; return it, the view, and the names of the files that it requests."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    page.goto(address)
    return page, page.locator(".sentence-explorer"), asked


@pytest.fixture(autouse=True)
def usual_patience() -> Iterator[None]:
    """Give other tests the patience that they are used to."""
    yield
    expect.set_options(timeout=5000)


def test_a_sentence_is_answered_and_a_piece_appended(
    context: BrowserContext, address: str, translator: Translator
) -> None:
    page, root, asked = open_served(context, address)
    expect(root.locator(".lesson-say")).to_contain_text("up to 39 words or pieces")
    assert "model.safetensors" not in asked
    page.keyboard.press("Tab")
    expect(root.get_by_label(FIELD)).to_be_focused()
    expect(root.locator(".lesson-output")).to_have_text(translator.translate(EXAMPLES)[0])
    assert {"model.safetensors", "config.json", "vocabulary.json"} <= set(asked)
    expect(root.locator("canvas")).to_have_count(9)  # three maps of three heads each

    root.get_by_label(FIELD).fill("the 日 cat")
    expect(root.locator(".lesson-unknown")).to_contain_text("never seen")
    expect(root.locator(".lesson-warning").first).to_contain_text("has never seen “日”")
    expect(root.locator(":scope > .lesson-status")).to_contain_text("Translation: “")
    expect(root.locator(".lesson-texts button")).not_to_have_count(0)

    second = root.locator(".lesson-candidates button").nth(1)
    piece = str(second.text_content())
    second.focus()
    page.keyboard.press("Enter")
    chosen = root.locator(".lesson-translation .lesson-given")
    expect(chosen).to_have_text([piece])
    expect(root.locator(".lesson-translation input[type=range]")).to_be_focused()
    expect(root.locator(".lesson-translation input[type=range]")).to_have_value("1")
    root.get_by_role("button", name="write freely again").click()
    expect(chosen).to_have_count(0)


def test_a_kept_sentence_stands_beside_the_next(context: BrowserContext, address: str) -> None:
    _, root, _ = open_served(context, address)
    pin = root.locator(".lesson-pin")
    expect(pin).to_be_disabled()
    root.get_by_label(FIELD).focus()
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    expect(root.locator(".lesson-difference").last).to_contain_text("are the same")
    root.get_by_label(FIELD).fill("The dog sat on the mat.")
    expect(root.locator(".lesson-difference").last).to_contain_text("“cat” became “dog”")
    expect(root.locator(".lesson-sentence")).to_have_text([EXAMPLES[0], "The dog sat on the mat."])
    root.locator("select.lesson-layer").select_option("1")
    for maps in root.locator(".lesson-heads").all():
        expect(maps).to_have_attribute("aria-label", re.compile("layer 1: attention weights"))
    pin.click()
    expect(root.locator(".lesson-result")).to_have_count(1)


def test_what_is_empty_or_too_long_is_said(context: BrowserContext, address: str) -> None:
    _, root, _ = open_served(context, address)
    field = root.get_by_label(FIELD)
    field.focus()
    expect(root.locator(".lesson-result")).to_have_count(1)
    field.fill("")
    expect(root.locator(".lesson-say")).to_have_text("Type a sentence of up to 39 pieces.")
    field.fill("the cat " * 30)
    expect(root.locator(".lesson-say")).to_contain_text("the model reads at most 39")
    expect(root.locator(".lesson-result")).to_have_count(0)


def test_a_page_without_the_model_shows_the_stored_sentences(
    context: BrowserContext, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence, "MOST_IN_PAGE", 0)
    _, [root] = open_page(context, SentenceExplorer(translator, examples=EXAMPLES))
    root.get_by_label(FIELD).focus()
    expect(root.locator(".lesson-say")).to_contain_text("The model could not be used")
    expect(root.locator("td").first).to_be_visible()
    expect(root.locator("td").first).to_have_text(EXAMPLES[0])


def test_it_fits_a_phone_in_the_dark(browser: Browser, address: str, screenshots: Path) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, color_scheme="dark", reduced_motion="reduce"
    )
    page, root, _ = open_served(context, address)
    root.get_by_label(FIELD).focus()
    expect(root.locator(".lesson-texts button")).not_to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(root.locator(".lesson-play")).to_have_text("next")
    page.screenshot(path=screenshots / "sentence-explorer-phone.png", full_page=True)
    context.close()


def test_a_language_model_in_the_page_goes_on_with_a_text(
    browser: Browser, screenshots: Path
) -> None:
    typed = small_typed(words=True)
    words = ["[pad]", *WORDS[3:]]
    for width, scheme in ((1100, "light"), (390, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800})
        view = SentenceExplorer(typed.model, words, examples=["the cat sat on"])
        page, [root] = open_page(context, view)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.add_style_tag(content=":root { color-scheme: light dark }")
        root.get_by_label("your text").focus()
        expect(root.locator(".lesson-output")).to_have_text(typed.answer("the cat sat on"))
        expect(root.locator("canvas")).to_have_count(3)  # of the self-attention alone
        expect(root.locator(".lesson-translation .lesson-given")).to_have_count(3)
        expect(root.locator(".lesson-texts")).to_have_count(0)
        second = root.locator(".lesson-candidates button").nth(1)
        piece = str(second.text_content())
        second.click()
        expect(root.locator(".lesson-translation .lesson-given")).to_have_count(4)
        expect(root.locator(".lesson-translation .lesson-given").last).to_have_text(piece)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=screenshots / f"sentence-language-{scheme}.png", full_page=True)
        root.get_by_label("your text").fill("the zebra sat")
        expect(root.locator(".lesson-say")).to_contain_text("“zebra”: not among the 8 words")
        context.close()
