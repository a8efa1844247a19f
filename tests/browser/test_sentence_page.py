"""A reader's own sentence on the machine, in a page without a kernel."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from docutils.nodes import make_id
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from authoring.served import served
from authoring.site.weights import write_model
from tests.widgets.small_models import WORDS, small_translator, small_typed
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderOnly, recorded_weights
from transformer_lesson.translation.translator import SHIPPED, Translator
from transformer_lesson.translation.vocabulary import END, START
from transformer_lesson.widgets import SentenceExplorer, sentence

from .pages import html_of, open_page, script

PATIENCE_MS = 60_000  # a model is loaded, and a worker starts
EXAMPLES = ["The cat sat on the mat.", "A dog sees the cat."]
FIELD = "your English sentence"
STATUS = ".lesson-stage > .lesson-status"
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>a page</title>'
    "<style>:root { color-scheme: light dark }</style><main>"
)
SMALL_LABELS = script("small_labels")
SMALL_TARGETS = script("small_targets")


@pytest.fixture(scope="module")
def translator() -> Translator:
    return small_translator()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, translator: Translator) -> Path:
    """A folder with a page that holds a view, and with the model beside it."""
    folder = tmp_path_factory.mktemp("site")
    translator.save(folder / "files", int8=True)
    write_model(folder / "model", folder / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence, "MOST_IN_PAGE", 0)
        patch.setattr(sentence, "_shipped", lambda typed: SHIPPED)
        view = SentenceExplorer(Translator.load(folder / "files"), examples=EXAMPLES)
        (folder / "page.html").write_text(HEAD + html_of(view), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A model needs more of it; other tests get back what they are used to."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=5000)


def opened(context: BrowserContext, address: str) -> tuple[Page, Locator]:
    """Open a page; return it and its view."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    page.goto(address)
    page.locator(".sentence-explorer").wait_for()  # its program is unpacked by and by
    return page, page.locator(".sentence-explorer")


@pytest.fixture
def still(browser: Browser) -> Iterator[BrowserContext]:
    """A profile whose reader wants no motion: the last step is shown at once."""
    context = browser.new_context(reduced_motion="reduce")
    yield context
    context.close()


@pytest.mark.parametrize("from_disk", [False, True])
def test_a_sentence_is_translated_from_a_server_and_from_a_disk(
    still: BrowserContext, folder: Path, translator: Translator, from_disk: bool
) -> None:
    with served(folder) as root:
        address = (folder / "page.html").as_uri() if from_disk else f"{root}/page.html"
        page, view = opened(still, address)
        assert not page.evaluate("'lessonModel' in globalThis")  # nobody has asked for it
        view.get_by_label(FIELD).focus()
        expect(view.locator(".lesson-output")).to_have_text(translator.translate(EXAMPLES)[0])
        # The script is a third larger than the files, and only needed where none can be fetched.
        assert page.evaluate("'lessonModel' in globalThis") == from_disk


def test_keys_alone_reach_every_state(still: BrowserContext, folder: Path) -> None:
    page, view = opened(still, (folder / "page.html").as_uri())
    page.keyboard.press("Tab")
    expect(view.get_by_label(FIELD)).to_be_focused()
    back, said = (view.get_by_role("button", name="back"), view.locator(STATUS))
    expect(said).to_contain_text("That was all")
    back.focus()
    for words in ("The memory is full", "2 layers of the encoder mix", "The text is cut into"):
        while words not in str(said.text_content()):
            page.keyboard.press("Enter")
    expect(back).to_be_disabled()
    # From part to part, in the order of the flow.
    view.locator(".lesson-part[tabindex='0']").focus()
    told = []
    for _ in range(view.locator(".lesson-part[aria-label]").count()):
        told.append(str(said.text_content()))
        page.keyboard.press("ArrowUp")
    first = [words.split(":")[0] for words in told[:4]]
    assert first == ["embedding", "positions", "2 encoder layers", "norm"]
    assert re.search(r"\(1, \d+, 18\)", told[0])  # of this model and this sentence
    part = view.locator(".lesson-part[aria-label^='encoder: self-attention']")
    part.press("Enter")
    expect(part).to_have_attribute("aria-pressed", "true")
    expect(view.get_by_label("part", exact=True)).to_have_value("4")
    view.locator(".lesson-lines").press("ArrowDown")
    expect(said).to_contain_text("looks at")


def test_a_piece_is_taken_instead_and_the_text_goes_on(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).fill("the 日 cat")
    noted = view.locator(".lesson-noted").filter(has_text="日")
    noted.focus()
    expect(view.locator(STATUS)).to_contain_text("has never seen “日”")
    expect(view.locator(".lesson-say")).to_be_empty()
    view.get_by_label("step", exact=True).and_(view.locator("input")).fill("3")
    view.get_by_role("button", name="next piece", exact=True).click()
    numbers = view.locator(".lesson-candidate .lesson-number")
    before = numbers.first.text_content()
    view.get_by_label("temperature").fill("20")
    expect(numbers.first).not_to_have_text(str(before))
    expect(view.locator(".lesson-candidate")).to_have_count(8)
    second = view.locator(".lesson-candidate").nth(1)
    piece = second.locator(".lesson-token").text_content()
    second.press("Enter")
    expect(view.locator(".lesson-given")).to_have_text([str(piece)])
    view.get_by_role("button", name="write freely again").click()
    expect(view.locator(".lesson-given")).to_have_count(0)
    view.get_by_role("button", name="beam search").click()
    expect(view.locator(".lesson-choose")).not_to_have_count(0)


def test_a_word_in_doubt_is_shaded_and_named(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    words = view.locator(".lesson-output .lesson-word")
    expect(words).not_to_have_count(0)
    titles = [str(word.get_attribute("title")) for word in words.all()]
    shares = [int(title.split()[-3].rstrip("%")) for title in titles]
    shades = words.evaluate_all(
        "words => words.map(word => word.style.getPropertyValue('--doubt'))"
    )
    assert [int(shade.rstrip("%")) for shade in shades] == pytest.approx(
        [100 - share for share in shares], abs=1
    )
    said = view.locator(STATUS).text_content() or ""
    doubted = [word for word, share in zip(words.all(), shares, strict=True) if share < 40]
    for word in words.all():
        told = f"“{word.text_content()}” (right" in said
        assert told == any(word.text_content() == one.text_content() for one in doubted[:3])
    assert (f"and {len(doubted) - 3} more" in said) == (len(doubted) > 3)


def test_a_word_that_is_missing_is_named_behind_the_answer(
    still: BrowserContext, tmp_path: Path
) -> None:
    write_model(tmp_path / "model")
    html = html_of(SentenceExplorer(Translator.shipped(), examples=EXAMPLES))
    (tmp_path / "page.html").write_text(HEAD + html, encoding="utf-8")
    _, view = opened(still, (tmp_path / "page.html").as_uri())
    view.get_by_label(FIELD).fill("I forgot to buy bread agian.")
    expect(view.locator(STATUS)).to_contain_text("Nothing seems to be there for “agian”.")


def test_a_kept_sentence_stands_beside_the_next(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    view.get_by_role("button", name="keep").click()
    view.get_by_label(FIELD).fill("The dog sat on the mat.")
    expect(view.locator(".lesson-difference")).to_contain_text("“cat” became “dog”")
    expect(view.locator(".lesson-lines")).to_have_count(2)
    view.get_by_role("button", name="map").click()
    expect(view.locator(".lesson-lines")).to_have_count(0)
    expect(view.locator("canvas")).to_have_count(2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Type a sentence of up to 39 pieces."),
        ("the cat " * 30, "the model reads at most 39"),
        ("the cat " * 900, "This text has 7200 characters"),
        ("-", "There is no letter and no figure to translate: - stays as it is."),
    ],
)
def test_what_is_empty_or_too_long_is_said(
    still: BrowserContext, folder: Path, text: str, said: str
) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(".lesson-output")).to_have_text(re.compile("[^…]$"))
    view.get_by_label(FIELD).fill(text)
    expect(view.locator(".lesson-say")).to_contain_text(said)
    expect(view.locator(".lesson-side")).to_be_hidden()
    for left in ("output", "was", "below", "stage > .lesson-status"):
        assert not "".join(view.locator(f".lesson-{left}").all_text_contents())
    step = view.get_by_label("step", exact=True).and_(view.locator("input"))
    for name in ("back", "play", "step"):
        expect(button := view.get_by_role("button", name=name, exact=True)).to_be_disabled()
        button.dispatch_event("click")  # through nothing, without an error
    expect(step).to_be_disabled()
    expect(step).to_have_attribute("aria-valuetext", "")
    view.get_by_label(FIELD).fill(EXAMPLES[0])
    expect(view.locator(".lesson-output")).to_have_text(re.compile("[^…]$"))


def test_a_page_without_the_model_shows_the_stored_sentences(
    context: BrowserContext, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence, "MOST_IN_PAGE", 0)
    _, [root] = open_page(context, SentenceExplorer(translator, examples=EXAMPLES))
    root.get_by_label(FIELD).focus()
    expect(root.locator(".lesson-say")).to_contain_text("The model could not be used")
    expect(root.locator("td").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (791, 900), (390, 844)], ids=str)
def test_it_stands_on_one_screen(
    browser: Browser, folder: Path, screenshots: Path, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).fill(EXAMPLES[1])
    expect(view.locator(".lesson-output")).to_have_text(re.compile("[^…]$"))
    tabs = [tab for tab in view.locator(".lesson-tab").all() if tab.is_visible()]
    assert len(tabs) == (5 if width < 600 else 4)
    assert len({box["y"] for tab in tabs if (box := tab.bounding_box())}) == 1
    for tab in tabs:
        tab.click()
        drawing = view.locator(".lesson-machine")
        assert drawing.is_visible() == (width > 600 or tab.text_content() == "machine")
        if drawing.is_visible():
            expect(view.locator(".lesson-part.lesson-attention")).to_be_visible()
        assert view.evaluate(SMALL_LABELS) == []
        box = view.bounding_box()
        assert box and box["y"] + box["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert view.evaluate(SMALL_TARGETS) == []
        name = str(tab.text_content()).replace(" ", "-")
        page.screenshot(path=screenshots / f"sentence-{width}-{scheme}-{name}.png")
    context.close()


def test_it_plays_and_pauses(context: BrowserContext, folder: Path) -> None:
    _, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    play = view.locator(".lesson-play")
    expect(play).to_have_text("pause")
    step = view.get_by_label("step", exact=True).and_(view.locator("input"))
    expect(step).not_to_have_value("0")
    play.click()
    expect(play).to_have_text("play")
    stands = step.input_value()
    view.page.wait_for_timeout(1200)  # longer than a step takes
    expect(step).to_have_value(stands)
    view.get_by_role("button", name="beam search").click()
    chosen = view.locator(".lesson-choose").last
    text = str(chosen.locator(".lesson-token").text_content())
    chosen.press("Enter")  # a text that is whole stands at its end
    expect(view.locator(".lesson-output")).to_have_text(text)
    expect(view.get_by_role("button", name="beam search")).to_be_focused()


@pytest.mark.parametrize("keeps", ["decoder", "encoder"])
def test_half_a_machine_goes_on_or_fills(
    still: BrowserContext, screenshots: Path, keeps: str
) -> None:
    if keeps == "decoder":
        typed, text = small_typed(words=True), "the cat sat on"
        model, words, expected = typed.model, ["[pad]", *WORDS[3:]], typed.answer(text)
    else:
        words, text = ["[pad]", "[mask]", *WORDS[3:]], "the [mask] sat"
        config = ModelConfig(len(words), d_model=16, num_heads=2)
        model = EncoderOnly(config, generator=seeded(0))
        expected = SentenceExplorer(model, words, examples=[text]).examples[0][1]
    page, [view] = open_page(still, SentenceExplorer(model, words, examples=[text]))
    view.get_by_label("your text").focus()
    expect(view.locator(".lesson-output")).to_have_text(expected)
    other = "encoder" if keeps == "decoder" else "decoder"
    expect(view.locator(f".lesson-part[aria-label^='{other}']")).to_have_count(0)
    expect(view.get_by_role("button", name="beam search")).to_be_hidden()
    view.get_by_role("button", name="next piece", exact=True).click()
    view.locator(".lesson-candidate").nth(1).click()
    expect(view.locator(".lesson-output")).not_to_have_text(expected)
    page.screenshot(path=screenshots / f"sentence-{keeps}.png", full_page=True)
    view.get_by_label("your text").fill("the zebra sat")
    expect(view.locator(".lesson-say")).to_contain_text("“zebra”: not among the")


def boxes(view: Locator) -> list[Any]:
    """Where the parts of the page are that a walk must not move."""
    names = ".lesson-output, .lesson-machine, .lesson-below, .lesson-side"
    measured: list[Any] = view.locator(names).evaluate_all(
        "nodes => nodes.map(node => JSON.stringify(node.getBoundingClientRect()))"
    )
    return measured


def test_the_answer_stands_before_the_walk_which_any_key_ends(
    context: BrowserContext, folder: Path, translator: Translator
) -> None:
    _, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    step = view.get_by_label("step", exact=True).and_(view.locator("input"))
    expect(view.locator(".lesson-output")).to_have_text(translator.translate(EXAMPLES)[0])
    last = step.get_attribute("max")
    assert int(step.input_value()) < int(last or 0)
    lit = view.locator(".lesson-part.lesson-lit")
    expect(lit).to_have_count(1)  # one part after the other
    before = boxes(view)
    expect(step).not_to_have_value("0")
    assert boxes(view) == before
    view.locator(".lesson-part[tabindex='0']").press("x")
    expect(step).to_have_value(str(last))
    expect(lit).to_have_count(0)
    assert boxes(view) == before


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_first_answer_comes(
    browser: Browser, folder: Path, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    _, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).fill("")
    expect(view.locator(".lesson-say")).to_contain_text("Type a sentence")
    names = ".lesson-machine, .lesson-below, .lesson-key"
    places = "nodes => nodes.map(node => node.getBoundingClientRect().y)"
    before = view.locator(names).evaluate_all(places)
    view.get_by_label(FIELD).fill("the cat")
    expect(view.locator(STATUS)).to_contain_text("That was all")
    assert view.locator(names).evaluate_all(places) == pytest.approx(before, abs=0.5)
    context.close()


def test_words_that_the_walk_has_not_reached_are_pale(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    words, pale = (view.locator(f".lesson-output {of}") for of in ("> *", "> .lesson-coming"))
    expect(pale).to_have_count(0)
    slider = view.get_by_label("step", exact=True).and_(view.locator("input"))
    counts = []
    for step in range(int(slider.get_attribute("max") or 0) + 1):
        slider.fill(str(step))
        counts.append(pale.count())
    assert counts[:3] == [words.count()] * 3  # it is read first
    assert counts == sorted(counts, reverse=True)
    assert counts[3] == words.count() - 1
    assert counts[-1] == 0


def test_each_row_of_buttons_is_one_stop_of_the_tab_key(
    still: BrowserContext, folder: Path
) -> None:
    page, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    rows = view.get_by_role("toolbar", include_hidden=True)
    assert rows.count() >= 6
    view.get_by_role("button", name="next piece", exact=True).click()
    stops = "row => [...row.querySelectorAll('button')].filter(one => one.tabIndex === 0).length"
    for row in rows.all():
        assert row.get_attribute("aria-label")
        assert row.evaluate(stops) == 1
    written = view.get_by_role("toolbar", name="written")
    chips = written.locator("button")
    chips.first.focus()
    page.keyboard.press("ArrowRight")
    expect(chips.nth(1)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(chips.nth(1)).to_be_focused()
    # What is not written yet is not reached, and is no stop.
    view.get_by_label("step", exact=True).and_(view.locator("input")).fill("0")
    expect(chips.nth(1)).to_be_hidden()
    assert written.evaluate(stops) == 1
    chips.first.focus()
    page.keyboard.press("ArrowRight")
    expect(chips.first).to_be_focused()


def test_the_key_shows_what_is_seen_in_the_view(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).fill("the 日 cat")
    expect(view.locator(".lesson-noted").filter(has_text="日")).to_be_visible()
    key = view.locator(".lesson-key")
    for name in ("latest", "noted", "word"):
        assert view.locator(f".lesson-stage .lesson-{name}").count() > 0
        expect(key.locator(f".lesson-{name}")).to_be_visible()
    frame = key.locator(".lesson-open").evaluate("node => getComputedStyle(node).borderTopColor")
    opened_part = view.locator(".lesson-part[aria-pressed='true'] > rect").first
    assert opened_part.evaluate("node => getComputedStyle(node).stroke") == frame
    expect(key).to_contain_text("layers and heads count from 0")


def test_each_text_stands_below_the_half_that_reads_it(
    still: BrowserContext, folder: Path, translator: Translator
) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    for half, name, text in (
        ("encoder", "source", translator.vocabulary.all_pieces()[END]),
        ("decoder", "written", translator.vocabulary.all_pieces()[START]),
    ):
        chips = view.get_by_role("toolbar", name=name, exact=True)
        expect(chips.get_by_text(text)).to_be_visible()
        below, drawn = (
            chips.bounding_box(),
            view.locator(f".lesson-part.lesson-embedding[aria-label^='{half}']").bounding_box(),
        )
        assert below and drawn
        middle = drawn["x"] + drawn["width"] / 2
        assert below["x"] < middle < below["x"] + below["width"]
        assert below["y"] >= drawn["y"] + drawn["height"]
    view.get_by_role("button", name="back").click()
    said = str(view.locator(STATUS).text_content())
    read, wrote = re.findall("“(.+?)”", said)[:2]
    expect(view.locator(".lesson-written .lesson-latest")).to_have_text(read)
    expect(view.locator(".lesson-part.lesson-written")).to_have_text(wrote)


@pytest.mark.parametrize("width", [1280, 390])
def test_every_part_opens_on_the_numbers_of_the_text(
    browser: Browser, folder: Path, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 844}, reduced_motion="reduce", has_touch=width < 600
    )
    page, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    parts = view.locator(".lesson-part[aria-label]")
    assert parts.count() == 26
    chosen = view.get_by_label("part", exact=True)
    contents = set()
    for number in range(parts.count()):
        if width < 600:
            view.get_by_role("button", name="machine", exact=True).tap()
        view.locator(".lesson-part[tabindex='0']").focus()
        if number:
            page.keyboard.press("ArrowUp")  # to the next in the order of the flow
        page.keyboard.press("Enter")
        expect(chosen).to_have_value(str(number))
        content = view.locator(".lesson-content")
        expect(
            content.locator("canvas, svg, .lesson-list, .lesson-candidates").first
        ).to_be_visible()
        link = view.locator(".lesson-leads")
        assert re.fullmatch(r"\d\d_\w+\.html#.+", str(link.get_attribute("href")))
        contents.add(content.inner_text())
        assert view.evaluate(SMALL_TARGETS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(contents) == parts.count()
    context.close()


def test_the_numbers_of_a_band_are_told_by_pointer_and_keys(
    still: BrowserContext, folder: Path, translator: Translator
) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    view.locator(".lesson-part.lesson-embedding[aria-label^='encoder']").click()
    view.locator(".lesson-source .lesson-chip").nth(2).click()
    band = view.locator(".lesson-band-rows").first
    band.press("ArrowDown")  # from the row of the table to that row times its factor
    band.press("ArrowRight")
    token = translator.source(EXAMPLES[0])[2]
    weight = translator.model.embedding.weight[token, 1].item()
    # The page has a model rounded to 8 bits.
    told = float(str(view.locator(".lesson-aloud").first.text_content()).split(": ")[1])
    assert told == pytest.approx(weight * translator.model.embedding.scale, abs=0.02)
    expect(view.locator(".lesson-tooltip").first).to_contain_text(f"number 1: {told:.4f}")


def test_what_is_taken_away_changes_the_text_beside_the_old_one(
    still: BrowserContext, folder: Path, translator: Translator, screenshots: Path
) -> None:
    page, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    output, was = view.locator(".lesson-output"), view.locator(".lesson-was")
    before = translator.translate(EXAMPLES)[0]
    expect(output).to_have_text(before)
    view.get_by_role("button", name="change", exact=True).click()
    switch = view.get_by_role("button", name="cross-attention", exact=True)
    switch.press("Enter")
    expect(was).to_have_text(f"before: {before}")
    expect(output).not_to_have_text(before)
    expect(output.locator("ins")).not_to_be_empty()
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".lesson-part.lesson-off")).to_have_count(2)
    page.screenshot(path=screenshots / "sentence-changed.png")
    count = view.locator(".lesson-kinds .lesson-note")
    expect(count).to_be_empty()
    head = view.get_by_role("button", name="decoder's self-attention, layer 1, head 2", exact=True)
    head.click()
    expect(count).to_contain_text("2 are taken away at once")
    head.click()
    # What is away stays away with the next text, beside what that was.
    view.get_by_label(FIELD).fill(EXAMPLES[1])
    memory = view.get_by_role("toolbar", name="the memory of yours")
    expect(memory).to_contain_text("og")  # the field waits for more keys before it asks
    expect(was).to_have_text(f"before: {translator.translate(EXAMPLES)[1]}")
    view.get_by_role("button", name="as it was").click()
    expect(was).to_be_empty()
    expect(output).to_have_text(translator.translate(EXAMPLES)[1])
    view.get_by_label(re.compile("another sentence")).fill("The mat.")
    view.get_by_label(re.compile("another sentence")).press("Enter")
    view.get_by_role("toolbar", name="pieces of the other sentence").get_by_text("mat").press(
        "Enter"
    )
    memory.get_by_role("button").nth(1).press("Enter")
    expect(was).not_to_be_empty()
    swapped = view.get_by_role("button", name=re.compile("← .*mat"))
    expect(swapped).to_be_visible()
    # Rows of one other sentence at a time.
    view.get_by_label(re.compile("another sentence")).fill("A dog.")
    view.get_by_label(re.compile("another sentence")).press("Enter")
    expect(swapped).to_have_count(0)
    expect(was).to_be_empty()


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_taken_away_says_so_where_it_is_opened(
    browser: Browser, folder: Path, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    page, view = opened(context, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    was, said = view.locator(".lesson-was"), view.locator(".lesson-content > .lesson-note").first
    for switch, words in (
        ("positions", ()),
        ("encoder's self-attention, layer 1, head 2", ("1.2",)),
        ("encoder's self-attention", ()),  # without which this model writes the same
    ):
        view.get_by_role("button", name="change", exact=True).click()
        view.get_by_role("button", name=switch, exact=True).click()
        expect(was).not_to_be_empty()
        kind = "positions" if switch == "positions" else "self-attention"
        if width < 600:
            view.get_by_role("button", name="machine", exact=True).click()
        view.locator(f".lesson-part[aria-label^='encoder: {kind}']").click()
        expect(said).to_contain_text("Taken away")
        for word in words:
            expect(said).to_contain_text(word)
        view.locator(".lesson-which").select_option(label="encoder: norm at self-attention")
        expect(said).not_to_contain_text("Taken away")
        if switch == "encoder's self-attention":
            expect(was).to_have_text("as before: this text does without it")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        view.get_by_role("button", name="change", exact=True).click()
        view.get_by_role("button", name="as it was").click()
    context.close()


@pytest.mark.parametrize("site", [False, True])
def test_sections_are_named_as_the_page_names_them(
    still: BrowserContext, translator: Translator, site: bool
) -> None:
    page, _ = open_page(still, SentenceExplorer(translator, examples=EXAMPLES[:1]))
    lead = """site => {
      if (site) document.documentElement.dataset.content_root = "./";
      return Object.values(KINDS).map(({ section }) => {
        const link = document.createElement("a");
        leadTo(link, { get: () => "" }, "", "lesson", section);
        return [section, decodeURIComponent(link.getAttribute("href").split("#")[1])];
      });
    }"""
    source = SentenceExplorer._esm.split("\nexport default")[0]
    page.evaluate(f"globalThis.lead = (() => {{ {source}; return {lead}; }})()")
    for section, anchor in page.evaluate("site => lead(site)", site):
        assert anchor == (make_id(section) if site else section.replace(" ", "-"))


def test_attention_begins_with_the_head_that_aligns_best(
    still: BrowserContext, folder: Path
) -> None:
    """Whose queries look at keys of their own: by the mutual information of the two."""
    translator = Translator.load(folder / "files")
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    written = view.locator(".lesson-written .lesson-chip").all_text_contents()
    pieces = translator.vocabulary.all_pieces()
    target = torch.tensor([[pieces.index(piece) for piece in written]])
    with torch.no_grad(), recorded_weights(translator.model) as weights:
        translator.model(torch.tensor([translator.source(EXAMPLES[0])]), target)
    maps = torch.cat([map_ for name, map_ in weights.items() if "cross" in name])
    told = (maps * (maps / maps.mean(2, keepdim=True)).log()).sum((2, 3))
    layer, head = divmod(int(told.argmax()), told.shape[1])
    expect(view.get_by_label("layer", exact=True)).to_have_value(str(layer))
    expect(view.get_by_label("head", exact=True)).to_have_value(str(head))
    expect(view.locator(".lesson-lines text").nth(2)).to_have_text(f"{written[0]} → {written[1]}")


def test_the_focus_stays_where_a_head_was_chosen(still: BrowserContext, folder: Path) -> None:
    _, view = opened(still, (folder / "page.html").as_uri())
    view.get_by_label(FIELD).focus()
    expect(view.locator(STATUS)).to_contain_text("That was all")
    view.locator(".lesson-part.lesson-heads").first.press(" ")
    for head in (2, 0):
        view.get_by_role("button", name=f"head {head}").press("Enter")
        expect(view.get_by_role("button", name=f"head {head}")).to_be_focused()
        expect(view.locator(".lesson-caption").first).to_have_text(f"head {head}: the query")
