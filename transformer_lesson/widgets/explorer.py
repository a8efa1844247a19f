"""Attention maps to move over: by layer, head, query and key."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import numpy.typing as npt
import traitlets
from torch import Tensor

from transformer_lesson.maps import checked_maps, summary
from transformer_lesson.widgets.page import static_page
from transformer_lesson.widgets.picture import png

MEAN_OF_HEADS = -1
STEPS = np.iinfo(np.uint16).max


class AttentionExplorer(anywidget.AnyWidget):
    """A heatmap of attention weights that answers to mouse and keyboard.

    All maps travel to the browser once, as 16-bit fixed point: a weight is off by at most 7.7e-6.
    A page without a kernel shows the same view, and a page without scripts shows a picture.

    Args:
        weights: ``(queries, keys)``, ``(heads, queries, keys)`` or
            ``(layers, heads, queries, keys)``, any real dtype; every row sums to 1, or is all zero
            where a query may attend to nothing. At most 512 queries and keys.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.

    Attributes:
        layer: the layer that is shown.
        head: the head that is shown, or -1 for the mean of heads.
        pinned: the query whose largest weights stand beside the map, or None.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: the shape, a weight, a row's sum or a number of tokens is wrong.
        traitlets.TraitError: a layer, head or query that does not exist is asked for.
    """

    _esm = Path(__file__).parent / "explorer.js"
    _css = Path(__file__).parent / "explorer.css"

    # What the browser needs, sent once.
    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    query_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # What the browser and Python may both change.
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        weights: Tensor | npt.ArrayLike,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str] | None = None,
    ) -> None:
        self._maps = checked_maps(weights, query_tokens, key_tokens)
        self.set_trait("shape", list(self._maps.weights.shape))
        self.set_trait("data", fixed_point(self._maps.weights))
        self.set_trait("query_tokens", self._maps.query_tokens)
        self.set_trait("key_tokens", self._maps.key_tokens)
        super().__init__()

    def shown(self) -> npt.NDArray[np.float32]:
        """Return the map that is shown, ``(queries, keys)``, float32."""
        heads = self._maps.weights[self.layer]
        return heads.mean(axis=0) if self.head == MEAN_OF_HEADS else heads[self.head]

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, a page for where there is no kernel, and a text."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        title = self._title()
        lines = summary(self.shown(), self._maps)
        bundle["text/plain"] = "\n".join([f"{title}: {lines[0]}", *lines[1:]])
        names = ("shape", "query_tokens", "key_tokens", "layer", "head", "pinned")
        bundle["text/html"] = static_page(
            state={name: getattr(self, name) for name in names},
            data=self.data,
            picture=png(self.shown(), self._maps, title),
            alternative=bundle["text/plain"],
        )
        return bundle, metadata

    def _title(self) -> str:
        layers, heads = self.shape[:2]
        parts = ["Attention weights"]
        if layers > 1:
            parts.append(f"layer {self.layer}")
        if heads > 1:
            parts.append("mean of heads" if self.head == MEAN_OF_HEADS else f"head {self.head}")
        return ", ".join(parts)

    @traitlets.validate("layer", "head", "pinned")
    def _exists(self, proposal: dict[str, Any]) -> int | None:
        name, value = proposal["trait"].name, proposal["value"]
        layers, heads, queries, _ = self.shape
        lowest = MEAN_OF_HEADS if name == "head" else 0
        count = {"layer": layers, "head": heads, "pinned": queries}[name]
        if value is not None and not lowest <= value < count:
            raise traitlets.TraitError(f"{name}={value}; it may be {lowest} to {count - 1}.")
        return value


def fixed_point(weights: npt.NDArray[np.float32]) -> bytes:
    """Return ``weights`` as little-endian uint16, a weight of 1 as 65535, in row-major order."""
    # A row that sums to 1 within the tolerance may hold a weight slightly above 1.
    return np.rint(weights.clip(0, 1) * STEPS).astype("<u2").tobytes()
