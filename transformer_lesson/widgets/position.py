"""The table of sinusoidal positions: its rows compared, its pairs of columns rotated."""

from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure

from transformer_lesson.palette import COLORS
from transformer_lesson.positions import sinusoidal_table
from transformer_lesson.widgets.static_figure import BLUE_ORANGE, blank
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

WIDTHS = (4, 128)
BASES = (10.0, 100_000.0)
TOKENS = (2, 256)


class PositionExplorer(View):
    """The sinusoidal table of Vaswani et al. 2017, computed in the browser.

    Sliders change its width and base, and choose two rows to compare, a pair of columns, and a
    shift k. From any position to the one k further on, the point (sin, cos) of the pair turns by
    the same angle.

    Args:
        max_tokens: number of positions, 2 to 256.
        d_model: width of a row, 4 to 128, even or odd.

    Attributes:
        d_model: width of a row.
        base: 10 to 100,000.
        first: row A, with which all others are compared.
        second: row B.
        pair: the pair of columns ``2 * pair`` and ``2 * pair + 1``.
        shift: k, the distance in positions between the two points of the pair.

    Raises:
        TypeError: a size is not a whole number.
        ValueError: a size is out of range.
        traitlets.TraitError: an attribute is set to a value out of range.
    """

    kind = "position-explorer"
    _esm = script("chart.js", "position.js")
    _css = style(kind, "chart.css", "position.css")

    max_tokens = traitlets.Int(read_only=True).tag(sync=True)
    d_model = traitlets.Int().tag(sync=True)
    base = traitlets.Float(10_000.0).tag(sync=True)
    first = traitlets.Int(0).tag(sync=True)
    second = traitlets.Int(0).tag(sync=True)
    pair = traitlets.Int(0).tag(sync=True)
    shift = traitlets.Int(1).tag(sync=True)

    def __init__(self, max_tokens: int = 64, d_model: int = 64) -> None:
        self.set_trait("max_tokens", checked_size("max_tokens", max_tokens, *TOKENS))
        # Rows at one and two thirds of the table, and a pair that turns at a moderate speed.
        super().__init__(
            d_model=checked_size("d_model", d_model, *WIDTHS),
            first=max_tokens // 3,
            second=2 * max_tokens // 3,
            pair=d_model // 8,
            shift=min(4, max_tokens - 1),
        )

    def table(self) -> npt.NDArray[np.float32]:
        """Return the table shown, ``(max_tokens, d_model)``, float32."""
        return sinusoidal_table(self.max_tokens, self.d_model, base=self.base).numpy()

    def _alt_text(self) -> str:
        table = self.table()
        a, b = table[self.first], table[self.second]
        omega = self.base ** (-2 * self.pair / self.d_model)
        angle = self.shift * omega
        return (
            f"Sinusoidal positions: {self.max_tokens} positions by {self.d_model} columns, base "
            f"{self.base:g}, sines in even columns and cosines in odd ones.\n"
            f"Row {self.first} · row {self.second} = {a @ b:.2f}; row {self.first} · itself = "
            f"{a @ a:.2f}.\n"
            f"Columns {2 * self.pair} and {2 * self.pair + 1} turn by {omega:.4f} rad from each "
            f"position to the next, in {self.shift} positions by {angle:.4f} rad = "
            f"{np.rad2deg(angle):.1f}°."
        )

    def _static_figure(self) -> Figure:
        table = self.table()
        figure = blank(9, 4)
        left, right = figure.subplots(1, 2, width_ratios=[3, 2])
        products = table @ table[self.first]
        others = np.where(np.arange(len(table)) == self.first, -np.inf, products)
        likest = int(others.argmax())
        figure.suptitle(f"Of all other rows, row {likest} is most like row {self.first}")
        left.set(title="Sinusoidal positions", xlabel="column", ylabel="position")
        image = left.imshow(
            table, cmap=BLUE_ORANGE, vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
        )
        figure.colorbar(image, label="value")
        right.plot(products)
        right.axvline(self.first, linestyle=":", color=COLORS["guide"])
        right.set(title=f"Row {self.first} · every row", xlabel="position", ylabel="dot product")
        return figure

    @traitlets.observe("d_model")
    def _keep_pair(self, _: object) -> None:
        self.pair = min(self.pair, self.d_model // 2 - 1)

    @traitlets.validate("d_model", "base", "first", "second", "pair", "shift")
    def _exists(self, proposal: dict[str, Any]) -> float | None:
        last = self.max_tokens - 1
        bounds = {"d_model": WIDTHS, "base": BASES, "pair": (0, self.d_model // 2 - 1)}
        return checked_choice(proposal, *bounds.get(proposal["trait"].name, (0, last)))
