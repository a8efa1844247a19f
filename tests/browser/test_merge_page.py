"""A typed text in pieces, in a page without a kernel."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.widgets.test_merge import TEXTS, TOKENIZER
from transformer_lesson.widgets import MergeExplorer
from transformer_lesson.widgets.merge import readable

from .pages import open_page


@pytest.mark.parametrize("text", TEXTS)
def test_the_page_cuts_what_is_typed_as_python_does(context: BrowserContext, text: str) -> None:
    view = MergeExplorer(TOKENIZER, "x")
    _, [root] = open_page(context, view)
    typed = text.replace("\n", " ")  # a field holds one line
    root.get_by_label("text").fill(typed)
    view.text = typed
    boxes = root.locator(".lesson-pieces > span > span:first-child")
    for place in (len(view.stops) - 1, 2, 0):
        root.get_by_label("merges made").fill(str(place))
        pieces = view.pieces(view.stops[place])
        expect(boxes).to_have_text([readable(piece) for piece in pieces])
        said = f"{len(typed.encode())} bytes, {len(pieces)} pieces"
        expect(root.locator(".lesson-status")).to_have_text(said)
