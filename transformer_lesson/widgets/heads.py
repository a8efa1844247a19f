"""All heads of a layer side by side."""

import textwrap
from collections.abc import Sequence

import numpy.typing as npt
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.widgets.static_figure import blank, draw_weights
from transformer_lesson.widgets.view import AttentionView, script, style

MOST_HEADS = 16
MOST_TOKENS = 128
MOST_COLUMNS = 4
SAID_ROWS = 10


class HeadsExplorer(AttentionView):
    """Small maps of all heads of a layer, on one color scale.

    The row under the mouse or the cursor is highlighted in all heads, and the strongest key of that
    row is written below each head. A click or Enter pins the row.

    Args:
        weights: ``(heads, queries, keys)`` or ``(layers, heads, queries, keys)``, any real dtype;
            every row sums to 1, or is all zero where a query may attend to nothing. At most 16
            heads and 128 queries and keys.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.

    Attributes:
        layer: the layer shown.
        pinned: the query that stays marked, or None.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: the shape, a weight, a row's sum or a number of tokens is wrong.
        traitlets.TraitError: an attribute is set to a layer or query that does not exist.
    """

    kind = "heads-explorer"
    _esm = script("attention_view.js", "map_grid.js", "heads.js")
    _css = style(kind, "map_grid.css", "heads.css")

    def __init__(
        self,
        weights: Tensor | npt.ArrayLike,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str] | None = None,
    ) -> None:
        super().__init__(weights, query_tokens, key_tokens)
        _, heads, queries, keys = self.shape
        if heads > MOST_HEADS or max(queries, keys) > MOST_TOKENS:
            raise ValueError(
                f"weights has shape {tuple(self.shape)} (layers, heads, queries, keys); this view "
                f"shows at most {MOST_HEADS} heads and {MOST_TOKENS} queries and keys. "
                f"Pass a part, such as weights[..., :{MOST_HEADS}, :{MOST_TOKENS}, :{MOST_TOKENS}]."
            )

    def _alt_text(self) -> str:
        queries, keys = self.shape[2:]
        heads = self._maps.weights[self.layer]
        begin = (
            f"{self._title()}: {queries} queries by {keys} keys. The strongest key of each head:"
        )
        maps = {f"head {head}": map_ for head, map_ in enumerate(heads)}
        return "\n".join([begin, *self._strongest_keys(maps, SAID_ROWS)])

    def _static_figure(self) -> Figure:
        heads = self._maps.weights[self.layer]
        lines = -(-len(heads) // MOST_COLUMNS)
        columns = -(-len(heads) // lines)
        figure = blank(0.8 + 2.1 * columns, 0.8 + 2.1 * lines)
        largest = heads.max(axis=-1).mean(axis=-1)  # (heads,)
        most = int(largest.argmax())
        where = f" of layer {self.layer}" if self.shape[0] > 1 else ""
        finding = f"Head {most}{where} is surest: {largest[most]:.2f} on its strongest key"
        figure.suptitle(textwrap.fill(finding, 24 * columns))
        top = self._maps.weights.max() or 1
        grid = figure.subplots(lines, columns, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place >= len(heads):
                axes.set_visible(False)
                continue
            image = draw_weights(axes, heads[place], self._maps, top)
            axes.set(title=f"head {place}")
            axes.label_outer()
        figure.colorbar(image, ax=grid, label="weight")
        return figure

    def _title(self) -> str:
        layers, heads = self.shape[:2]
        which = f", layer {self.layer}" if layers > 1 else ""
        return f"Attention weights of {heads} head{'s' * (heads > 1)}{which}"
