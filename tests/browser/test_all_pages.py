"""What every kind of view does in a page without a kernel."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.widgets.every_view import every_view
from transformer_lesson.widgets.view import View

from .pages import SIX, exported, open_page, requests_of, script, stored


def every_kind() -> list[View]:
    return [make() for make in every_view(SIX).values()]


def test_all_kinds_fit_in_one_page_and_start_once(context: BrowserContext) -> None:
    views = every_kind()
    page, roots = open_page(context, *views, *views)
    for view, root in zip([*views, *views], roots, strict=True):
        assert view.kind in str(root.get_attribute("class")).split()
        assert root.evaluate("el => el.dataset.lmSuppressShortcuts") == "true"
    expect(page.locator("img")).to_have_count(0)


def test_no_kind_is_wider_than_a_phone(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page, _ = open_page(context, *every_kind())
    expect(page.locator("img")).to_have_count(0)  # the pictures of views that have not begun
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


LOOKS = script("looks")


def test_views_look_the_same_alone_and_among_others(context: BrowserContext) -> None:
    views = every_kind()
    # Each brings its style; of rules with equal specificity the last one wins.
    _, among = open_page(context, *views, *reversed(views))
    for view, *roots in zip(views, among, reversed(among), strict=False):
        _, [alone] = open_page(context, view)
        looks = alone.evaluate(LOOKS)
        for root in roots:
            assert root.evaluate(LOOKS) == looks


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_exported_page_is_live_with_the_network_cut_off(
    context: BrowserContext, tmp_path: Path, screenshots: Path, theme: str
) -> None:
    notebook = stored(*every_kind())
    context.set_offline(True)
    page, asked = requests_of(context, exported(notebook, tmp_path, theme))
    for view in every_kind():
        root = page.locator(f".{view.kind}")
        expect(root.get_by_role("status").first).to_be_attached()
        root.screenshot(path=screenshots / f"{view.kind}-{theme}.png")
    # nbconvert's template requests scripts of its own; the views add none.
    bare = notebook.copy()
    bare.cells = []
    _, asked_by_template = requests_of(context, exported(bare, tmp_path))
    assert asked <= asked_by_template


def test_without_scripts_the_pictures_stand(
    browser: Browser, tmp_path: Path, screenshots: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    path = exported(stored(*every_kind()), tmp_path)
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    for view in every_kind():
        picture = page.locator(f".{view.kind}-page img")
        expect(picture).to_be_visible()
        assert picture.get_attribute("alt") == view._alt_text()
        picture.screenshot(path=screenshots / f"{view.kind}-no-scripts.png")
    context.close()


HOSTILE = ["</script><script>document.title='broken'</script>", "<b>&amp;\"'", "$x$"]


@pytest.mark.parametrize("name", every_view(HOSTILE))
def test_tokens_are_text_whatever_they_hold(context: BrowserContext, name: str) -> None:
    page, [root] = open_page(context, every_view(HOSTILE)[name]())
    assert page.title() == ""
    assert page.locator("b").count() == 0
    expect(root).to_be_visible()
