"""One attention map at a time, explored by layer, head, query and key."""

import textwrap
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure

from transformer_lesson.widgets.attention_maps import summary
from transformer_lesson.widgets.static_figure import blank, cut, draw_weights
from transformer_lesson.widgets.view import AttentionView, checked_choice, script, style

MEAN_OF_HEADS = -1
LINE = 44  # characters of a title


class AttentionExplorer(AttentionView):
    """A heatmap of attention weights, explored with the mouse or the keyboard.

    All maps are sent to the browser once, as 16-bit fixed point, which is exact to 7.7e-6. A page
    without a kernel shows the same view, and a page without scripts a picture.

    Args:
        weights: ``(queries, keys)``, ``(heads, queries, keys)`` or
            ``(layers, heads, queries, keys)``, any real dtype; every row sums to 1, or is all zero
            where a query may attend to nothing. At most 512 queries and keys.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.

    Attributes:
        layer: the layer shown.
        head: the head shown, or -1 for the mean of heads.
        pinned: the query whose largest weights are listed beside the map, or None.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: the shape, a weight, a row's sum or a number of tokens is wrong.
        traitlets.TraitError: an attribute is set to a layer, head or query that does not exist.
    """

    kind = "attention-explorer"
    _esm = script("attention_view.js", "attention.js")
    _css = style(kind)

    head = traitlets.Int(0).tag(sync=True)

    def shown(self) -> npt.NDArray[np.float32]:
        """Return the map shown, ``(queries, keys)``, float32."""
        heads = self._maps.weights[self.layer]
        return heads.mean(axis=0) if self.head == MEAN_OF_HEADS else heads[self.head]

    def _alt_text(self) -> str:
        lines = summary(self.shown(), self._maps)
        return "\n".join([f"{self._title()}: {lines[0]}", *lines[1:]])

    def _static_figure(self) -> Figure:
        figure = blank(5.2, 4.4)
        axes = figure.add_subplot()
        axes.set_title(self._finding())
        image = draw_weights(axes, self.shown(), self._maps)
        figure.colorbar(image, label=self._title().lower())
        return figure

    def _finding(self) -> str:
        """Return what the map shows, the title of the picture: its largest weight."""
        map_ = self.shown()
        query, key = np.unravel_index(map_.argmax(), map_.shape)
        if not map_[query, key]:
            return "No query attends to any key"
        tokens = cut([self.query_tokens[query], self.key_tokens[key]])
        largest = f"“{tokens[0]}” gives “{tokens[1]}” {map_[query, key]:.2f}, the largest weight"
        return textwrap.fill(largest, LINE)

    def _title(self) -> str:
        layers, heads = self.shape[:2]
        parts = ["Attention weights"]
        if layers > 1:
            parts.append(f"layer {self.layer}")
        if heads > 1:
            parts.append("mean of heads" if self.head == MEAN_OF_HEADS else f"head {self.head}")
        return ", ".join(parts)

    @traitlets.validate("head")
    def _head_exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, MEAN_OF_HEADS, self.shape[1] - 1)
