"""One query that is moved by hand, and what attention makes of it."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.attention import reference_attention
from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.static_figure import DRAWING_COLORS, blank, cut
from transformer_lesson.widgets.view import View, script, style

LINE = 60  # characters of a title


class QueryExplorer(View):
    """A plane with the keys of some tokens and a query, which can be dragged.

    Beside it stand the scores q·k/√2 and the weights of the tokens, and the output: the average
    of the values.

    Args:
        query: ``(2,)``, where it stands first.
        keys: ``(tokens, 2)``.
        values: ``(tokens, features)``.
        tokens: one name for each key.
        axes: what the two numbers of a query ask for.
        features: one name for each number of a value.

    Attributes:
        query: where it stands.

    Raises:
        ValueError: the shapes do not fit one another, or a number is not finite.
    """

    kind = "query-explorer"
    colors = DRAWING_COLORS
    _esm = script("query.js")
    _css = style(kind, "query.css")

    key_rows = traitlets.List(traitlets.List(traitlets.Any()), read_only=True).tag(sync=True)
    value_rows = traitlets.List(traitlets.List(traitlets.Any()), read_only=True).tag(sync=True)
    places = traitlets.List(traitlets.List(traitlets.Any()), read_only=True).tag(sync=True)
    bounds = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    axes = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    features = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    query = traitlets.List(traitlets.Float(), minlen=2, maxlen=2).tag(sync=True)

    def __init__(
        self,
        query: Tensor | npt.ArrayLike,
        keys: Tensor | npt.ArrayLike,
        values: Tensor | npt.ArrayLike,
        *,
        tokens: Sequence[str],
        axes: Sequence[str],
        features: Sequence[str],
    ) -> None:
        given = {"query": query, "keys": keys, "values": values}
        arrays = {name: np.asarray(array, dtype=np.float64) for name, array in given.items()}
        shapes = {"query": (2,), "keys": (len(tokens), 2), "values": (len(tokens), len(features))}
        for name, array in arrays.items():
            if array.shape != shapes[name] or not np.isfinite(array).all():
                raise ValueError(
                    f"{name} has shape {array.shape}; with {len(tokens)} tokens and "
                    f"{len(features)} features pass finite numbers of shape {shapes[name]}."
                )
        self.set_trait("key_rows", arrays["keys"].tolist())
        self.set_trait("value_rows", arrays["values"].tolist())
        self.set_trait("places", together(self.key_rows, tokens))
        most = max(1.0, float(np.abs(arrays["keys"]).max()))
        self.set_trait("bounds", [-0.5 * most, 1.6 * most])  # of both axes
        self.set_trait("tokens", list(tokens))
        self.set_trait("axes", list(axes))
        self.set_trait("features", list(features))
        super().__init__(query=arrays["query"].tolist())

    def shown(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the weights ``(tokens,)`` and the output ``(features,)``, float64."""
        query, keys, values = map(torch.tensor, ([self.query], self.key_rows, self.value_rows))
        output, weights = reference_attention(query.double(), keys.double(), values.double())
        return weights[0].numpy(), output[0].numpy()

    def _finding(self) -> str:
        weights, _ = self.shown()
        most = int(weights.argmax())
        return textwrap.fill(
            f"Asked like this, “{self.tokens[most]}” gets {weights[most]:.2f} of the weight", LINE
        )

    def _alt_text(self) -> str:
        weights, output = self.shown()
        place = ", ".join(f"{axis} {x:.1f}" for axis, x in zip(self.axes, self.query, strict=True))
        said = ", ".join(f"{t} {w:.2f}" for t, w in zip(self.tokens, weights, strict=True))
        holds = ", ".join(f"{f} {x:.2f}" for f, x in zip(self.features, output, strict=True))
        return f"{self._finding()}. Query: {place}. Weights: {said}. Output: {holds}."

    def _static_figure(self) -> Figure:
        weights, output = self.shown()
        figure = blank(8.4, 3.2)
        figure.suptitle(self._finding())
        plane, shares, result = figure.subplots(1, 3, width_ratios=[3, 2, 2])
        for x, y, names in self.places:
            plane.plot(x, y, "o", color=COLORS["guide"])
            plane.annotate(cut([names])[0], (x, y), xytext=(4, 4), textcoords="offset points")
        plane.annotate(
            "", self.query, xytext=(0, 0), arrowprops={"color": COLORS["blue"], "width": 2}
        )
        plane.set(xlabel=self.axes[0], ylabel=self.axes[1], xlim=self.bounds, ylim=self.bounds)
        for axes, names, amounts in (
            (shares, self.tokens, weights),
            (result, self.features, output),
        ):
            bars = axes.barh(range(len(names)), amounts, color=COLORS["blue"])
            axes.bar_label(bars, fmt="%.2f", padding=2)
            axes.set(yticks=range(len(names)), yticklabels=cut(names), xticks=[])
            axes.set_xlim(right=1.25 * max(amounts))
            axes.invert_yaxis()
        shares.set_xlabel("weight")
        result.set_xlabel("output")
        return figure

    @traitlets.validate("query")
    def _query_is_finite(self, proposal: dict[str, Any]) -> list[float]:
        value: list[float] = proposal["value"]
        if not np.isfinite(value).all():
            raise traitlets.TraitError(f"query={value}; choose two finite numbers.")
        return value


def together(keys: Sequence[Sequence[float]], tokens: Sequence[str]) -> list[list[Any]]:
    """Return x, y and the names of all tokens there, for each place of a key."""
    places: dict[tuple[float, ...], list[str]] = {}
    for key, token in zip(keys, tokens, strict=True):
        places.setdefault(tuple(key), []).append(token)
    return [[*place, ", ".join(names)] for place, names in places.items()]
