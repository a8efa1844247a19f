"""The table of sinusoidal positions computed in the browser."""

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.colors import to_rgb
from playwright.sync_api import Browser, BrowserContext, expect

from transformer_lesson.palette import BLUE_ORANGE
from transformer_lesson.widgets import PositionExplorer
from transformer_lesson.widgets.view import script

from .pages import open_page, slide


def numpy_table(rows: int, width: int, base: float) -> npt.NDArray[np.float64]:
    column = np.arange(width)
    angles = np.arange(rows)[:, None] * base ** (-2 * (column // 2) / width)
    return np.where(column % 2, np.cos(angles), np.sin(angles))


@pytest.mark.parametrize(("rows", "width", "base"), [(64, 64, 1e4), (7, 5, 10.0), (256, 128, 1e5)])
def test_the_formula_agrees_with_numpy(
    context: BrowserContext, rows: int, width: int, base: float
) -> None:
    source = script("chart.js", "position.js").replace("export default", "void ")
    found = context.new_page().evaluate(
        f"([rows, width, base]) => {{ {source}\nreturn [...sinusoidalTable(rows, width, base)]; }}",
        [rows, width, base],
    )
    table = numpy_table(rows, width, base)
    assert np.abs(np.reshape(found, table.shape) - table).max() < 1e-12
    widget = PositionExplorer(rows, width)
    widget.base = base
    assert np.abs(widget.table() - table).max() < 2e-5  # float32


def test_what_is_said_is_what_numpy_finds(context: BrowserContext) -> None:
    _, [root] = open_page(context, PositionExplorer(32, 16))
    slide(root, "width d_model", 9)
    slide(root, "base", 20)  # tenths of a power of ten
    slide(root, "row A", 3)
    slide(root, "row B", 11)
    slide(root, "pair", 2)
    slide(root, "shift k", 5)
    table = numpy_table(32, 9, 100)
    a, b = table[3], table[11]
    expect(root.locator(".lesson-compared")).to_have_text(
        f"row 3 (A, solid) · row 11 (B, dashed) = {a @ b:.4f}"
    )
    expect(root.locator(".lesson-product")).to_contain_text(f"A · A = {a @ a:.4f}")
    omega = 100 ** (-4 / 9)
    degrees = np.rad2deg(5 * omega)
    expect(root.locator(".lesson-turn p")).to_have_text(
        [
            f"Columns 4 and 5: ω = 100^(\N{MINUS SIGN}4/9) = {omega:.6f}",
            f"k · ω = 5 · {omega:.6f} = {5 * omega:.4f} rad = {degrees:.1f}°",
            "From position 3 (solid) to 8 (dashed), as from any p to p + 5.",
        ]
    )


def test_the_points_on_the_circle_are_sine_and_cosine(context: BrowserContext) -> None:
    _, [root] = open_page(context, PositionExplorer(32, 16))
    slide(root, "row A", 3)
    slide(root, "pair", 1)
    slide(root, "shift k", 4)
    points = root.locator(".lesson-point").evaluate_all(
        "points => points.map(point => [point.cx.baseVal.value, -point.cy.baseVal.value])"
    )
    table = numpy_table(32, 16, 1e4)
    for [x, y], position in zip(points, (3, 7), strict=True):
        assert [x / np.hypot(x, y), y / np.hypot(x, y)] == pytest.approx(
            [table[position, 3], table[position, 2]], abs=1e-4
        )


def test_the_keyboard_chooses_rows(context: BrowserContext) -> None:
    page, [root] = open_page(context, PositionExplorer(32, 16))
    table = root.get_by_role("application")
    table.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter", "PageDown", "b", "ArrowRight"):
        page.keyboard.press(key)
    expect(root.get_by_label("row A", exact=True)).to_have_value("2")
    expect(root.get_by_label("row B", exact=True)).to_have_value("12")
    angle = 12.0
    said = f"position 12, column 1, cos {angle:.4f} = {np.cos(angle):.4f}"
    expect(root.locator(".lesson-status")).to_have_text(said)
    expect(root.locator(".lesson-band:visible")).to_have_text(["A", "B"])


def test_a_narrower_table_keeps_the_pair_within_it(context: BrowserContext) -> None:
    _, [root] = open_page(context, PositionExplorer(32, 64))
    slide(root, "pair", 31)
    slide(root, "width d_model", 5)
    expect(root.get_by_label("pair", exact=True)).to_have_value("1")
    expect(root.locator(".lesson-turn")).to_contain_text("Columns 2 and 3")


def test_colors_are_blue_below_white_at_and_orange_above_zero(context: BrowserContext) -> None:
    _, [root] = open_page(context, PositionExplorer(8, 4))
    # Position 0: sin 0 = 0 and cos 0 = 1.
    pixels = root.locator("canvas").evaluate(
        "map => [...map.getContext('2d').getImageData(0, 0, 2, 1).data]"
    )
    stops = [[255 * channel for channel in to_rgb(stop)] for stop in BLUE_ORANGE]
    assert pixels[0:3] == pytest.approx(stops[len(stops) // 2], abs=4)
    assert pixels[4:7] == pytest.approx(stops[-1], abs=1)


def test_table_and_color_scale_are_whole_on_a_phone(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page, [root] = open_page(context, PositionExplorer(256, 128))
    expect(root.locator(".lesson-legend")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()
