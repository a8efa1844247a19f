"""The tree of a beam search, in a page without a kernel."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from transformer_lesson.widgets import BeamExplorer, BeamNode, BeamTree

from .pages import open_page

MINUS = "\N{MINUS SIGN}"
TREE = BeamTree(
    ["<s>"],
    [
        [
            BeamNode("a", None, -0.5, -0.5, "kept"),
            BeamNode("</s>", None, -1.0, -1.0, "finished"),
            BeamNode("b", None, -1.5, -1.5, "kept"),
            BeamNode("c", None, -2.5, -2.5, "dropped"),
        ],
        [
            BeamNode("d", 2, -1.75, -1.5, "kept"),
            BeamNode("e", 0, -2.0, -1.75, "kept"),
            BeamNode("f", 2, -3.0, -2.5, "dropped"),
        ],
        [BeamNode("</s>", 1, -2.25, -0.75, "finished"), BeamNode("g", 1, -4.0, -3.0, "kept")],
    ],
    beam_width=2,
)


def boxes(root: Locator) -> Locator:
    return root.locator(".lesson-field .lesson-node:visible .lesson-token")


@pytest.fixture
def opened(context: BrowserContext) -> tuple[Locator, Locator]:
    """The view, and its tree."""
    _, [root] = open_page(context, BeamExplorer(TREE))
    return root, root.get_by_role("application")


def test_steps_show_what_was_weighed_and_what_has_finished(
    opened: tuple[Locator, Locator], screenshots: Path
) -> None:
    root, _ = opened
    slider = root.get_by_label("step", exact=True)
    expect(slider).to_have_value("2")
    expect(root.locator(".lesson-text")).to_have_text(["1. a e </s>", "2. </s>"])
    root.screenshot(path=screenshots / "beam.png")
    slider.press("Home")
    expect(boxes(root)).to_have_text(["a", "</s>", "b", "c"])
    expect(root.locator(".lesson-status")).to_have_text(
        "Step 1 of 3: 4 hypotheses, 2 kept, 1 dropped, 1 finished. "
        f"Best finished: </s>, score {MINUS}1.0000."
    )
    expect(root.locator(".lesson-ranking .lesson-heading")).to_have_text(
        "finished texts up to here, the best first"
    )
    expect(root.locator(".lesson-rank .lesson-number")).to_have_text(
        [f"score {MINUS}1.0000, log-probability {MINUS}1.0000"]
    )
    slider.press("ArrowRight")
    expect(boxes(root)).to_have_count(7)


def test_lines_do_not_cross(opened: tuple[Locator, Locator]) -> None:
    root, _ = opened
    tops = root.locator(".lesson-field .lesson-node:not(.lesson-root)").evaluate_all(
        "all => all.map(box => [box.textContent, box.getBoundingClientRect().y])"
    )
    # Without the sign for dropped nodes.
    height = {text.lstrip("\N{MULTIPLICATION SIGN}"): top for text, top in tops}
    # e extends a, which stands above b; d and f extend b.
    assert height[f"e{MINUS}1.75"] < height[f"d{MINUS}1.50"] < height[f"f{MINUS}2.50"]


def test_the_keyboard_goes_along_the_branches(opened: tuple[Locator, Locator]) -> None:
    root, tree = opened
    status, way = root.locator(".lesson-status"), root.locator(".lesson-node.lesson-way")
    root.get_by_label("step", exact=True).press("Home")
    tree.focus()
    assert tree.evaluate("el => getComputedStyle(el).outlineStyle") == "solid"
    expect(status).to_have_text(
        f"Step 1, 2 of 4: </s>. log-probability {MINUS}1.0000, score {MINUS}1.0000: finished."
    )
    tree.press("ArrowDown")
    tree.press("ArrowRight")  # The next step appears.
    expect(root.get_by_label("step", exact=True)).to_have_value("1")
    expect(status).to_contain_text("Step 2, 1 of 3: b d.")
    expect(status).to_contain_text("kept, but nothing that goes on from it was among the best.")
    expect(way.locator(".lesson-token")).to_have_text(["b", "d"])
    expect(root.locator(".lesson-edge.lesson-way")).to_have_count(2)
    for key, said in [
        ("ArrowDown", "Step 2, 3 of 3: b f."),
        ("ArrowDown", "Step 2, 3 of 3: b f."),
        ("ArrowRight", "Step 2, 3 of 3: b f."),
        ("ArrowLeft", "Step 1, 3 of 4: b."),
        ("ArrowLeft", "Step 1, 3 of 4: b."),
        ("Home", "Step 1, 1 of 4: a."),
        ("ArrowRight", "Step 2, 2 of 3: a e."),
        ("ArrowRight", "Step 3, 1 of 2: a e </s>."),
        ("ArrowDown", "Step 3, 2 of 2: a e g."),
        ("End", "Step 3, 1 of 2: a e </s>."),
        ("Escape", "Step 3 of 3: 2 hypotheses"),
    ]:
        tree.press(key)
        expect(status).to_contain_text(said)
    # Without a cursor the best finished text is marked.
    expect(way.locator(".lesson-token")).to_have_text(["a", "e", "</s>"])


def test_what_is_kept_in_the_last_step_goes_nowhere(opened: tuple[Locator, Locator]) -> None:
    root, _ = opened
    root.locator(".lesson-node", has_text="g").hover()
    status = root.locator(".lesson-status")
    expect(status).to_contain_text("a e g.")
    expect(status).to_contain_text("kept, but the search ends here.")
    root.locator(".lesson-key").hover()
    expect(status).to_contain_text("Step 3 of 3: 2 hypotheses")


def test_a_finished_text_shows_where_it_stands(opened: tuple[Locator, Locator]) -> None:
    root, _ = opened
    root.get_by_role("button", name="2. </s>").press("Enter")
    expect(root.locator(".lesson-node.lesson-current .lesson-token")).to_have_text("</s>")
    expect(root.locator(".lesson-status")).to_contain_text("Step 1, 2 of 4: </s>.")


def test_it_plays_and_stops(opened: tuple[Locator, Locator]) -> None:
    root, tree = opened
    play = root.get_by_role("button", name="play")
    tree.press("Space")
    expect(root.get_by_label("step", exact=True)).to_have_value("0")
    pause = root.get_by_role("button", name="pause")
    expect(pause).to_be_visible()
    tree.press("Space")
    expect(play).to_be_visible()
    play.click()
    expect(root.get_by_label("step", exact=True)).to_have_value("2")
    expect(play).to_be_visible()


def test_a_wide_tree_moves_within_a_narrow_page(browser: Browser) -> None:
    nodes = [[BeamNode("word", i and 0, -1.0 - i, -1.0 - i, "kept")] for i in range(12)]
    nodes[0] = [BeamNode("word", None, -1.0, -1.0, "kept")]
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page, [root] = open_page(context, BeamExplorer(BeamTree(["<s>"], nodes, 1)))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(root.locator(".lesson-ranking")).to_contain_text("no text has finished up to here")
    tree = root.get_by_role("application")
    tree.focus()
    for _ in range(11):
        tree.press("ArrowRight")
    current = root.locator(".lesson-node.lesson-current")
    expect(root.locator(".lesson-status")).to_contain_text("Step 12, 1 of 1")
    box = current.bounding_box()
    assert box
    assert 0 <= box["x"] <= 360 - box["width"]
    context.close()
