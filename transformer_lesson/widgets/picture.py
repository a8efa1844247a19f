"""The picture that stands for an explorer where no script runs."""

import io

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from transformer_lesson.maps import AttentionMaps, label_axes


def png(map_: npt.NDArray[np.float32], maps: AttentionMaps, title: str) -> bytes:
    """Return one map ``(queries, keys)`` as a small PNG, the same bytes for the same map."""
    # A Figure of its own: pyplot would show it a second time in a notebook.
    figure = Figure(figsize=(5.2, 4.4), dpi=100, layout="constrained")
    axes = figure.add_subplot(title=title, xlabel="key", ylabel="query")
    image = axes.imshow(map_, cmap="viridis", vmin=0, interpolation="nearest")
    figure.colorbar(image, label="weight")
    label_axes(axes, maps, first=0)
    sink = io.BytesIO()
    figure.savefig(sink, format="png", metadata={"Software": None})
    return sink.getvalue()
