"""Static figures, which also work in print."""

import base64
import html
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy.typing as npt
import seaborn as sns
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.widgets.attention_maps import (
    AS_WORDS,
    MOST_LABELS,
    checked_maps,
    label_axes,
)
from transformer_lesson.widgets.static_figure import png


def plot_attention(
    weights: Tensor | npt.ArrayLike,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one attention map as a heatmap: a row per query, a column per key.

    Args:
        weights: ``(queries, keys)``; every row sums to 1, or is all zero where a query may attend
            to nothing.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.
        title: what the figure shows.
        ax: the axes to draw on; by default those of a new figure.

    Returns:
        The axes that hold the map.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: ``weights`` is not one map of attention weights, or the tokens do not fit it.
    """
    maps = checked_maps(weights, query_tokens, key_tokens)
    layers, heads, queries, keys = maps.weights.shape
    if layers * heads > 1:
        raise ValueError(
            f"weights holds {layers} layers and {heads} heads; a figure shows one map. "
            "Pass one, such as weights[layer, head]."
        )
    if ax is None:
        ax = plt.figure(figsize=(6, 5), layout="constrained").add_subplot()
    sns.heatmap(
        maps.weights[0, 0],
        cmap="viridis",
        vmin=0,
        square=True,
        cbar_kws={"label": "weight"},
        # Thin lines separate the cells where there is room for them.
        linewidths=0.5 if max(queries, keys) <= MOST_LABELS else 0,
        xticklabels=False,
        yticklabels=False,
        ax=ax,
    )
    label_axes(ax, maps, first=0.5)
    ax.set(xlabel="key", ylabel="query")
    ax.set_title(title or "").set(**AS_WORDS)
    return ax


def show(figure: Figure, alt: str) -> None:
    """Show ``figure`` as the output of a notebook's cell, with ``alt`` as its text alternative.

    The figure is then closed, so that the notebook does not show it a second time.
    """
    picture = base64.b64encode(png(figure, bbox_inches="tight")).decode()
    plt.close(figure)
    # As HTML, because JupyterLab and nbconvert show an image/png without its alternative text; the
    # image is for LaTeX, and with it for every PDF.
    page = f'<img src="data:image/png;base64,{picture}" alt="{html.escape(alt)}">'
    display({"text/html": page, "image/png": picture, "text/plain": alt}, raw=True)
