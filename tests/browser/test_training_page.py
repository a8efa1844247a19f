"""A training run and its checkpoints, in a page without a kernel."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from transformer_lesson.training import History
from transformer_lesson.widgets import TrainingExplorer

from .pages import SIX, open_page, random_weights

STEPS = [0, 40, 120]
LOSSES = [4 / (1 + step / 20) for step in range(1, 121)]
RATES = [step / 1000 for step in range(1, 121)]
EVALUATIONS = [(0, {"accuracy": 0.125}), (40, {"accuracy": 0.5}), (120, {"accuracy": 0.75})]


def explorer(weights: npt.NDArray[np.float64]) -> TrainingExplorer:
    history = History(losses=LOSSES, learning_rates=RATES, evaluations=EVALUATIONS)
    return TrainingExplorer(history, list(zip(STEPS, weights, strict=True)), SIX)


def expect_maps(root: Locator, maps: npt.NDArray[np.float64], query: int) -> None:
    """The strongest key for the query is written below each map."""
    rows = maps.reshape(-1, *maps.shape[2:])[:, query]
    said = [f"{SIX[int(row.argmax())]} ({int(row.argmax())}) {row.max():.4f}" for row in rows]
    expect(root.locator(".lesson-top")).to_have_text(said)


def test_a_checkpoint_shows_its_numbers_and_its_maps(
    context: BrowserContext, screenshots: Path
) -> None:
    weights = random_weights(3, 2, 5, 6, 6)
    page, [root] = open_page(context, explorer(weights))
    expect(root.locator("canvas")).to_have_count(10)
    status = root.locator(".lesson-status")
    expect(status).to_have_text("Before the first step of 120: evaluation: accuracy 0.125.")
    titles = root.locator(".lesson-curve-title")
    expect(titles).to_have_text(
        ["training loss: none yet", "learning rate: none yet", "evaluation: accuracy: 0.125"]
    )
    root.get_by_label("checkpoint", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(titles).to_have_text(
        ["training loss: 1.33", "learning rate: 0.04", "evaluation: accuracy: 0.5"]
    )
    expect(status).to_have_text(
        "After step 40 of 120: training loss 1.33, learning rate 0.04, evaluation: accuracy 0.5."
    )
    root.get_by_role("application").focus()
    page.keyboard.press("ArrowDown")
    expect_maps(root, weights[1], 1)
    page.keyboard.press("Enter")
    page.keyboard.press("]")
    expect(root.get_by_label("checkpoint", exact=True)).to_have_value("2")
    expect_maps(root, weights[2], 1)
    expect(root.locator(".lesson-aloud")).to_contain_text("step 120, query cat (1), pinned")
    page.keyboard.press("]")  # There is no later checkpoint.
    expect(root.get_by_label("checkpoint", exact=True)).to_have_value("2")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    expect_maps(root, weights[2], 2)
    root.screenshot(path=screenshots / "training.png")


def test_the_curve_is_the_loss_and_a_click_chooses_a_checkpoint(context: BrowserContext) -> None:
    _, [root] = open_page(context, explorer(random_weights(3, 1, 2, 6, 6)))
    chart = root.locator(".lesson-chart").first
    line = chart.locator("polyline.lesson-curve")
    points = np.array([p.split(",") for p in str(line.get_attribute("points")).split()], float)
    assert len(points) == 120
    # 4.74 of the drawing's 70 pixels from 0 to the largest loss.
    heights = 80 - points[:, 1]
    assert np.abs(heights / 70 - np.array(LOSSES) / max(LOSSES)).max() < 0.002
    chart.click(position={"x": 120, "y": 40})
    expect(root.get_by_label("checkpoint", exact=True)).to_have_value("1")
    expect(chart.locator("circle.lesson-here")).to_have_count(1)


def test_many_steps_are_drawn_as_means(context: BrowserContext) -> None:
    losses = np.random.default_rng(0).random(2400).tolist()
    view = TrainingExplorer(losses, [(0, random_weights(1, 6, 6))], SIX)
    _, [root] = open_page(context, view)
    line = root.locator("polyline.lesson-curve")
    assert len(str(line.get_attribute("points")).split()) == 600
    expect(root.locator(".lesson-curve-title")).to_have_text(
        "training loss: none yet, drawn as means of 4 steps"
    )


def test_it_plays_to_the_end_and_escape_stops_it(context: BrowserContext) -> None:
    page, [root] = open_page(context, explorer(random_weights(3, 1, 2, 6, 6)))
    button, slider = root.get_by_role("button"), root.get_by_label("checkpoint", exact=True)
    slider.focus()
    page.keyboard.press("Space")
    expect(button).to_have_text("pause")
    root.get_by_role("application").focus()
    page.keyboard.press("Escape")
    expect(button).to_have_text("play")
    slider.focus()
    page.keyboard.press("Space")
    expect(slider).to_have_value("2")
    expect(button).to_have_text("play")


def test_who_wants_less_motion_moves_it_by_hand(browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce")
    _, [root] = open_page(context, explorer(random_weights(3, 1, 2, 6, 6)))
    button, slider = root.get_by_role("button"), root.get_by_label("checkpoint", exact=True)
    for value in ("1", "2", "0"):
        expect(button).to_have_text("next")
        button.click()
        expect(slider).to_have_value(value)
    context.close()


def test_on_a_narrow_page_the_maps_move_and_nothing_else(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page, [root] = open_page(context, explorer(random_weights(3, 2, 4, 6, 6)))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    maps = root.locator(".lesson-views")
    assert maps.evaluate("el => el.scrollWidth > el.clientWidth")
    context.close()
