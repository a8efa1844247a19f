"""Drawing the pictures that stand for the views where no script runs."""

import io
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from PIL import Image

from transformer_lesson import palette
from transformer_lesson.widgets.attention_maps import AS_WORDS, AttentionMaps, label_axes

LONGEST_LABEL = 14  # characters
FIGURE_COLORS = 256
DRAWING_COLORS = 32  # of lines and words alone
BLUE_ORANGE = LinearSegmentedColormap.from_list("blue_orange", palette.BLUE_ORANGE)


def plain_style() -> AbstractContextManager[None]:
    """Matplotlib's own settings, whatever the user's are, and no text read as mathematics."""
    return style.context(["default", {f"text.{name}": value for name, value in AS_WORDS.items()}])


def blank(width: float, height: float) -> Figure:
    """Return an empty figure of that size in inches.

    It is made without pyplot, which would show it a second time in a notebook.
    """
    return Figure(figsize=(width, height), dpi=100, layout="constrained")


def png(figure: Figure, colors: int = FIGURE_COLORS, **how: Any) -> bytes:
    """Return ``figure`` as a PNG of so many colors; equal figures give equal bytes.

    It takes less than half of what one of all colors takes, since a notebook holds it twice.
    """
    sink = io.BytesIO()
    figure.savefig(sink, format="png", **how)
    drawn = Image.open(sink)
    image = Image.new("RGB", drawn.size, "white")  # what is transparent would be black on paper
    image.paste(drawn, mask=drawn.getchannel("A"))
    sink = io.BytesIO()
    # No color moves far: by most pixels alone, the ends of a color scale would be lost.
    few = image.quantize(colors, Image.Quantize.MAXCOVERAGE)
    few.save(sink, format="png", optimize=True)
    return sink.getvalue()


def draw_weights(
    axes: Axes, map_: npt.NDArray[np.float32], maps: AttentionMaps, top: float | None = None
) -> AxesImage:
    """Draw one map ``(queries, keys)`` of ``maps`` on a color scale from 0 to ``top``."""
    axes.set(xlabel="key", ylabel="query")
    image = axes.imshow(map_, cmap="viridis", vmin=0, vmax=top, interpolation="nearest")
    write_tokens(axes, maps)
    return image


def write_tokens(axes: Axes, maps: AttentionMaps) -> None:
    """Write the tokens along the axes of a map, long ones cut as in the live view."""
    short = AttentionMaps(maps.weights, cut(maps.query_tokens), cut(maps.key_tokens))
    label_axes(axes, short, first=0)


def cut(tokens: list[str]) -> list[str]:
    """Return the tokens, long ones cut as in the live view."""
    return [f"{t[: LONGEST_LABEL - 1]}…" if len(t) > LONGEST_LABEL else t for t in tokens]
