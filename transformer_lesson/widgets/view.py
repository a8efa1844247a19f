"""What all views share: their sources, their representations in a notebook, and their checks."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.palette import BLUE_ORANGE, COLORS, VIRIDIS
from transformer_lesson.widgets.attention_maps import AttentionMaps, checked_maps
from transformer_lesson.widgets.static_figure import FIGURE_COLORS, plain_style, png
from transformer_lesson.widgets.static_page import packed, static_page

HERE = Path(__file__).parent
# Not after the name of a kind, which is narrow enough.
ANY_VIEW = re.compile(r"(?<![\w-])\.lesson-view(?![\w-])")
STEPS = np.iinfo(np.uint16).max


def script(*names: str, **constants: Any) -> str:
    """Return one ES module: palette and constants, ``common.js``, the named files of this folder.

    The files are concatenated because a module inside a page has no path to import from.
    """
    constants |= {"COLORS": COLORS, "VIRIDIS": VIRIDIS, "BLUE_ORANGE": BLUE_ORANGE}
    lines = [f"const {name} = {json.dumps(value)};\n" for name, value in constants.items()]
    return "".join([*lines, *map(_source, ("common.js", *names))])


def style(kind: str, *names: str) -> str:
    """Return one style sheet: the palette, ``common.css`` and the named files.

    What several views share applies to the views of ``kind`` alone, so that no sheet on a page
    disturbs another view, and has no more weight than before.
    """
    properties = [f"  --lesson-{name}: {color};\n" for name, color in COLORS.items()]
    palette = [".lesson-view {\n", *properties, "}\n\n"]
    sheet = "".join([*palette, *map(_source, ("common.css", *names))])
    return ANY_VIEW.sub(f".lesson-view:where(.{kind})", sheet)


def _source(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


class View(anywidget.AnyWidget):
    """A live view in a notebook, and an equivalent page where there is no kernel.

    A subclass sets ``kind``, its CSS class; ``_esm`` and ``_css``, from ``script`` and ``style``;
    and its synced traits. It implements the two methods at the end of this class. Its module has a
    function ``render`` and uses no traits but those of the subclass. Numbers sent as bytes are a
    trait called ``data``.
    """

    kind: ClassVar[str]
    colors: ClassVar[int] = FIGURE_COLORS  # of the picture

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, a page for readers without a kernel, its picture, its words."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        bundle["text/plain"] = self._alt_text()
        with plain_style():
            picture = png(self._static_figure(), self.colors)
        bundle["image/png"] = base64.b64encode(picture).decode()  # for LaTeX, which has no page
        bundle["text/html"] = static_page(
            kind=self.kind,
            program=packed(self.kind, self._esm, self._css),
            state=self._state(),
            picture=bundle["image/png"],
            alt_text=bundle["text/plain"],
        )
        return bundle, metadata

    def _state(self) -> dict[str, Any]:
        """Return the synced traits of the subclass, without those that every widget has."""
        own = set(self.trait_names(sync=True)) - set(anywidget.AnyWidget.class_trait_names())
        return {name: getattr(self, name) for name in sorted(own) if not name.startswith("_")}

    def _alt_text(self) -> str:
        """Return the text alternative: what the view shows, in words."""
        raise NotImplementedError

    def _static_figure(self) -> Figure:
        """Draw the picture that stands for the view where no script runs."""
        raise NotImplementedError


class MapsView(View):
    """A view of attention weights, which are sent to the browser once.

    They are sent as 16-bit fixed point, which is exact to 7.7e-6. Other numbers may follow them.

    Attributes:
        pinned: the query that stays marked, or None.
    """

    # Sent to the browser once.
    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    query_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # May be changed by the browser and by Python.
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, maps: AttentionMaps, following: bytes = b"") -> None:
        self._maps = maps
        self.set_trait("shape", list(maps.weights.shape))
        self.set_trait("data", fixed_point(maps.weights) + following)
        self.set_trait("query_tokens", maps.query_tokens)
        self.set_trait("key_tokens", maps.key_tokens)
        super().__init__()

    def _strongest_keys(self, maps: Mapping[str, npt.NDArray[np.float32]], most: int) -> list[str]:
        """Say which key has the most weight in each of the named maps ``(queries, keys)``.

        There is one line for the pinned query, or for each of the first ``most`` queries.
        """
        queries = self.shape[2]
        rows = range(min(queries, most)) if self.pinned is None else [self.pinned]
        lines = []
        for row in rows:
            said = []
            for name, map_ in maps.items():
                key = int(map_[row].argmax())
                weight = map_[row, key]
                strongest = f"{self.key_tokens[key]} ({key}) {weight:.2f}" if weight else "nothing"
                said.append(f"{name} {strongest}")
            lines.append(f"{self.query_tokens[row]} ({row}) → {', '.join(said)}")
        return lines + [f"and {queries - len(rows)} more."] * (queries > len(rows) > 1)

    @traitlets.validate("pinned")
    def _row_exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, self.shape[2] - 1)


class AttentionView(MapsView):
    """A view of one layer at a time of the attention weights of a model.

    Attributes:
        layer: the layer shown.
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
    """Return the value proposed for a trait, which must be None or within the bounds.

    Raises:
        traitlets.TraitError: the value is out of bounds.
    """
    name, value = proposal["trait"].name, proposal["value"]
    if value is not None and not lowest <= value <= highest:
        raise traitlets.TraitError(
            f"{name}={value} is out of range; choose {lowest:g} to {highest:g}."
        )
    return value


def checked_size(name: str, value: int, lowest: int, highest: int) -> int:
    """Return ``value``, which must be a whole number within the bounds.

    Raises:
        TypeError: ``value`` is not a whole number.
        ValueError: ``value`` is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}={value!r}; pass a whole number from {lowest} to {highest}.")
    if not lowest <= value <= highest:
        raise ValueError(
            f"{name}={value} is out of range; pass a whole number from {lowest} to {highest}."
        )
    return int(value)


def fixed_point(weights: npt.NDArray[np.float32]) -> bytes:
    """Return ``weights`` in row-major order as little-endian uint16; a weight of 1 is 65535."""
    # A weight may be slightly above 1, because the sum of its row is checked with a tolerance.
    return np.rint(weights.clip(0, 1) * STEPS).astype("<u2").tobytes()
