"""The heatmap for print."""

import base64
from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.collections import QuadMesh

from tests.fixtures import Patch
from transformer_lesson.figures import plot_attention, show

matplotlib.use("agg")
WORDS = ["The", "cat", "sat", "on", "the", "mat"]


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def weights(queries: int, keys: int) -> torch.Tensor:
    return torch.randn(queries, keys, generator=torch.Generator().manual_seed(0)).softmax(-1)


def test_it_shows_the_weights_in_viridis_from_zero() -> None:
    shown = weights(6, 6)
    _, given = plt.subplots()
    ax = plot_attention(shown, WORDS, title="Who looks where", ax=given)
    assert ax is given and len(plt.get_fignums()) == 1
    [mesh] = [found for found in ax.collections if isinstance(found, QuadMesh)]
    assert np.allclose(np.asarray(mesh.get_array()).reshape(6, 6), shown)
    assert mesh.get_cmap().name == "viridis"
    assert mesh.get_clim() == pytest.approx((0, shown.max().item()))
    assert ax.get_title() == "Who looks where"
    [bar] = [other for other in ax.get_figure().axes if other is not ax]  # type: ignore[union-attr]
    assert bar.get_ylabel() == "weight"


def test_rows_are_queries_from_the_top_and_columns_are_keys() -> None:
    ax = plot_attention(weights(2, 6), WORDS[-2:], WORDS)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query", "key")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["the", "mat"]
    assert [label.get_text() for label in ax.get_xticklabels()] == WORDS
    assert list(ax.get_yticks()) == [0.5, 1.5]
    assert ax.yaxis_inverted()
    assert ax.get_aspect() == 1


def test_many_labels_are_thinned() -> None:
    names = [str(i) for i in range(128)]
    ax = plot_attention(weights(33, 32), names[:33], names[:32])
    assert (len(ax.get_yticklabels()), len(ax.get_xticklabels())) == (17, 32)
    ax = plot_attention(weights(128, 128), names)
    assert [label.get_text() for label in ax.get_yticklabels()] == names[::4]


def test_a_shown_figure_carries_its_words_and_is_closed(monkeypatch: Patch) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr(
        "transformer_lesson.figures.display", lambda bundle, raw: shown.append(bundle)
    )
    figure = plt.figure()
    plot_attention(weights(6, 6), WORDS, ax=figure.add_subplot())
    show(figure, alt='"cat" looks at mat')
    [bundle] = shown
    assert bundle["text/plain"] == '"cat" looks at mat'
    assert 'alt="&quot;cat&quot; looks at mat"' in bundle["text/html"]
    assert f'src="data:image/png;base64,{bundle["image/png"]}"' in bundle["text/html"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_what_is_no_single_map_of_attention_is_refused() -> None:
    with pytest.raises(ValueError, match=r"holds 1 layers and 4 heads; .* weights\[layer, head\]"):
        plot_attention(weights(6, 6).repeat(4, 1, 1), WORDS)
    with pytest.raises(ValueError, match="row 0 sums to 6"):
        plot_attention(torch.ones(6, 6), WORDS)
