"""What all views share: where their sources are, and what stands where there is no kernel."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.maps import AttentionMaps, checked_maps
from transformer_lesson.palette import BLUE_ORANGE, COLOURS, VIRIDIS
from transformer_lesson.widgets.static_figure import png
from transformer_lesson.widgets.static_page import static_page

HERE = Path(__file__).parent
STEPS = np.iinfo(np.uint16).max


def script(*names: str) -> str:
    """Return one ES module: the palette, ``common.js`` and these files of this folder.

    A module in a page without a server has nothing to import from.
    """
    constants = {"COLOURS": COLOURS, "VIRIDIS": VIRIDIS, "BLUE_ORANGE": BLUE_ORANGE}
    lines = [f"const {name} = {json.dumps(value)};\n" for name, value in constants.items()]
    return "".join([*lines, *map(_source, ("common.js", *names))])


def style(*names: str) -> str:
    """Return one style sheet: the palette, ``common.css`` and these files of this folder."""
    properties = [f"  --lesson-{name}: {colour};\n" for name, colour in COLOURS.items()]
    palette = [".lesson-view {\n", *properties, "}\n\n"]
    return "".join([*palette, *map(_source, ("common.css", *names))])


def _source(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


class View(anywidget.AnyWidget):
    """A live view in a notebook, and where there is no kernel a page that does the same.

    A kind of view has a CSS class ``kind``, ``_esm`` and ``_css`` from ``script`` and
    and the two methods at the end of this class. Its module has a function ``render`` and names no
    other trait than its own. Numbers that travel as bytes are a trait called ``data``.
    """

    kind: ClassVar[str]

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, a page for where there is no kernel, and a text."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        bundle["text/plain"] = self._alt_text()
        bundle["text/html"] = static_page(
            kind=self.kind,
            script=self._esm,
            style=self._css,
            state=self._state(),
            picture=png(self._static_figure()),
            alt_text=bundle["text/plain"],
        )
        return bundle, metadata

    def _state(self) -> dict[str, Any]:
        """Return what the kind adds to what every widget sends to the browser."""
        own = set(self.trait_names(sync=True)) - set(anywidget.AnyWidget.class_trait_names())
        return {name: getattr(self, name) for name in sorted(own) if not name.startswith("_")}

    def _alt_text(self) -> str:
        """Say in words what the view shows."""
        raise NotImplementedError

    def _static_figure(self) -> Figure:
        """Draw what the view shows."""
        raise NotImplementedError


class MapsView(View):
    """A view of attention weights, which travel to the browser once.

    They travel as 16-bit fixed point: a weight is off by at most 7.7e-6. Other numbers may follow
    them.

    Attributes:
        pinned: the query that stays marked, or None.
    """

    # What the browser needs, sent once.
    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    query_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # What the browser and Python may both change.
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, maps: AttentionMaps, following: bytes = b"") -> None:
        self._maps = maps
        self.set_trait("shape", list(maps.weights.shape))
        self.set_trait("data", fixed_point(maps.weights) + following)
        self.set_trait("query_tokens", maps.query_tokens)
        self.set_trait("key_tokens", maps.key_tokens)
        super().__init__()

    @traitlets.validate("pinned")
    def _row_exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, self.shape[2] - 1)


class AttentionView(MapsView):
    """A view of the attention weights of a model, of which it shows one layer.

    Attributes:
        layer: the layer that is shown.
        pinned: the query that stays marked, or None.
    """

    layer = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        weights: Tensor | npt.ArrayLike,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str] | None = None,
    ) -> None:
        super().__init__(checked_maps(weights, query_tokens, key_tokens))

    @traitlets.validate("layer")
    def _layer_exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, self.shape[0] - 1)


def checked_choice(proposal: dict[str, Any], lowest: float, highest: float) -> Any:
    """Return the value that is proposed for a trait, if it lies within the bounds or is None.

    Raises:
        traitlets.TraitError: it does not.
    """
    name, value = proposal["trait"].name, proposal["value"]
    if value is not None and not lowest <= value <= highest:
        raise traitlets.TraitError(f"{name}={value}; it may be {lowest:g} to {highest:g}.")
    return value


def checked_size(name: str, value: int, lowest: int, highest: int) -> int:
    """Return an argument that is a whole number within bounds.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}={value!r}; pass a whole number from {lowest} to {highest}.")
    if not lowest <= value <= highest:
        raise ValueError(
            f"{name}={value} is out of range; pass a whole number from {lowest} to {highest}."
        )
    return int(value)


def fixed_point(weights: npt.NDArray[np.float32]) -> bytes:
    """Return ``weights`` as little-endian uint16, a weight of 1 as 65535, in row-major order."""
    # A row that sums to 1 within the tolerance may hold a weight slightly above 1.
    return np.rint(weights.clip(0, 1) * STEPS).astype("<u2").tobytes()
