"""Learning rates computed in the browser."""

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from transformer_lesson.training import TrainingConfig, learning_rate
from transformer_lesson.training.config import Schedule
from transformer_lesson.widgets import ScheduleExplorer
from transformer_lesson.widgets.view import script

from .pages import open_page, slide


@pytest.mark.parametrize(
    ("schedule", "steps", "warmup", "decay"),
    [
        ("constant", 50, 0, 0),
        ("constant", 50, 80, 0),
        ("paper", 50, 1, 0),
        ("paper", 300, 40, 0),
        ("paper", 50, 80, 0),
        ("cosine", 50, 0, 0),
        ("cosine", 300, 299, 0),
        ("cosine", 300, 40, 0),
        ("stable", 50, 0, 1),
        ("stable", 300, 40, 60),
        ("stable", 300, 40, 260),
    ],
)
def test_the_rates_are_those_of_the_package(
    context: BrowserContext, schedule: Schedule, steps: int, warmup: int, decay: int
) -> None:
    source = script("chart.js", "schedule.js").replace("export default", "void ")
    found = context.new_page().evaluate(
        f"""config => {{ {source}
        return range(config.steps).map((i) => learningRate(i + 1, config)); }}""",
        {"steps": steps, "warmup": warmup, "decay": decay, "schedule": schedule, "peak": 0.003},
    )
    config = TrainingConfig(
        steps=steps, learning_rate=0.003, warmup_steps=warmup, schedule=schedule, decay_steps=decay
    )
    expected = [learning_rate(step, config) for step in range(1, steps + 1)]
    assert np.abs(np.array(found) - expected).max() < 1e-15


def test_what_is_said_is_what_the_package_finds(context: BrowserContext) -> None:
    page, [root] = open_page(context, ScheduleExplorer(1000, 0.01, 100))
    status = root.locator(".lesson-status")
    expect(status).to_have_text(
        "Step 200 of 1,000: learning rate 0.007071, 70.7 % of the highest. The highest is 0.01. "
        "It falls as 1/√step: √(100 / 200) of the highest."
    )
    root.get_by_label("step", exact=True).focus()
    page.keyboard.press("Home")
    expect(status).to_contain_text("Step 1 of 1,000: learning rate 1.000e-4, 1.0 % of the highest.")
    expect(status).to_contain_text("It warms up: 1 / 100 of the highest.")
    root.get_by_label("schedule").select_option("cosine")
    slide(root, "steps", 27)  # tenths of a power of ten
    slide(root, "highest rate", -20)
    slide(root, "step", 300)
    config = TrainingConfig(steps=500, learning_rate=0.01, warmup_steps=100, schedule="cosine")
    rate = learning_rate(300, config)
    expect(status).to_contain_text(f"Step 300 of 500: learning rate {rate:.4g}")
    expect(status).to_contain_text("It follows the cosine down: 49.9 % of the way is behind it.")
    root.get_by_label("schedule").select_option("constant")
    expect(status).to_contain_text("It stays at the highest.")


def test_every_schedule_of_the_package_can_be_chosen(context: BrowserContext) -> None:
    _, [root] = open_page(context, ScheduleExplorer(1000, 0.01, 100, "stable", decay_steps=200))
    assert root.get_by_label("schedule").locator("option").all_text_contents() == [
        *get_args(Schedule)
    ]
    status = root.locator(".lesson-status")
    expect(status).to_contain_text("It stays at the highest.")
    slide(root, "step", 900)
    expect(status).to_contain_text("It falls in a straight line: 49.8 % of the way is behind it.")
    slide(root, "decay", 20)
    expect(status).to_contain_text("Step 900 of 1,000: learning rate 0.01, 100.0 % of the highest.")
    root.get_by_label("schedule").select_option("cosine")
    expect(root.get_by_label("decay")).to_be_disabled()


def test_the_width_gives_the_highest_rate_of_the_paper(context: BrowserContext) -> None:
    _, [root] = open_page(context, ScheduleExplorer(100_000, 1e-3, 4_000))
    width, peak = root.get_by_label("d_model", exact=True), root.get_by_label("highest rate").first
    expect(width).to_be_disabled()
    root.get_by_role("checkbox").check()
    expect(peak).to_be_disabled()
    expect(root.locator(".lesson-status")).to_contain_text(
        "The highest is 6.988e-4 = 1/√(512 · 4,000)."
    )
    slide(root, "d_model", 8)
    expect(root.locator(".lesson-status")).to_contain_text("9.882e-4 = 1/√(256 · 4,000).")
    root.get_by_label("schedule").select_option("cosine")
    expect(root.get_by_role("checkbox")).to_be_disabled()
    expect(root.locator(".lesson-status")).to_contain_text("The highest is 0.001.")


def test_the_mouse_marks_a_step_and_a_click_keeps_it(
    context: BrowserContext, screenshots: Path
) -> None:
    page, [root] = open_page(context, ScheduleExplorer(271, 0.01, 50))
    chart, status = root.locator(".lesson-chart"), root.locator(".lesson-status")
    # Steps 1 to 271 are drawn from 60 to 600.
    chart.hover(position={"x": 260, "y": 50})
    expect(status).to_contain_text("Step 101 of")
    expect(root.get_by_label("step", exact=True)).to_have_value("100")
    circle = chart.locator("circle")
    assert float(str(circle.get_attribute("cx"))) == pytest.approx(260)
    height = 190 - float(str(circle.get_attribute("cy")))
    assert height / 180 == pytest.approx((50 / 101) ** 0.5)
    chart.click(position={"x": 260, "y": 50})
    page.mouse.move(700, 700)
    expect(status).to_contain_text("Step 101 of")
    expect(root.get_by_label("step", exact=True)).to_have_value("101")
    root.screenshot(path=screenshots / "schedule.png")


def test_what_does_not_fit_moves_as_in_python(context: BrowserContext) -> None:
    _, [root] = open_page(context, ScheduleExplorer(1000, 0.01, 0, "constant"))
    key = root.locator(".lesson-key")
    expect(key).to_contain_text("paper (needs a warm-up)")
    root.get_by_label("schedule").select_option("paper")
    expect(root.locator(".lesson-slider", has_text="warm-up")).to_contain_text("1")
    expect(key).not_to_contain_text("needs")
    slide(root, "warm-up", 200)
    root.get_by_label("schedule").select_option("cosine")
    expect(root.locator(".lesson-slider", has_text="warm-up")).to_contain_text("999")
    slide(root, "steps", 10)
    expect(root.locator(".lesson-slider", has_text="warm-up")).to_contain_text("9")
    expect(root.locator(".lesson-status")).to_contain_text("Step 1 of 10:")


def test_the_mark_follows_the_mouse_on_a_narrow_page(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800})
    _, [root] = open_page(context, ScheduleExplorer())
    root.locator(".lesson-chart").hover(position={"x": 200, "y": 50})
    expect(root.locator(".lesson-status")).not_to_contain_text("Step 800 ")
    context.close()
