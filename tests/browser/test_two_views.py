"""Two views of one model: what a reader does in one of them leaves the other as it was."""

import pytest
from playwright.sync_api import BrowserContext

from tests.widgets.small_models import small_translator
from transformer_lesson.widgets import SentenceExplorer
from transformer_lesson.widgets.static_page import SCRIPT
from transformer_lesson.widgets.view import View

from .pages import html_of, script
from .test_all_pages import every_kind
from .view import STATE

VIEWS = {view.kind: view for view in every_kind()}
VIEWS["sentence-explorer"] = SentenceExplorer(small_translator(), examples=["A dog", "The cat"])


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_each_view_of_a_model_has_its_own_state(context: BrowserContext, view: View) -> None:
    """Also where it sets what the other has set before, which is no change to the model."""
    page = context.new_page()
    page.set_content("<!doctype html><div></div><div></div>")
    program = str(view._esm).replace("export default { render };", "")
    tried = f"{program}{SCRIPT}\nconst tried = {script('two_views')}return tried(content);"
    two = page.evaluate(f"(content) => {{ {tried} }}", STATE.findall(html_of(view))[0])
    begun, first_alone, other, then_other = two
    assert first_alone != begun, "the view answers"
    assert other == begun, "and no other with it"
    assert then_other == first_alone, "which answers alike when its turn comes"
