"""The attention explorer without a browser: what it sends, stores and refuses."""

import base64
import json
import re
import struct
from typing import Any

import numpy as np
import torch

from tests.widgets.test_training import SIX, weights
from transformer_lesson.widgets import AttentionExplorer
from transformer_lesson.widgets.static_page import unpacked
from transformer_lesson.widgets.view import fixed_point, style

VIEW = "application/vnd.jupyter.widget-view+json"


def bundle_of(explorer: AttentionExplorer) -> dict[str, Any]:
    return explorer._repr_mimebundle_()[0]


def test_the_browser_gets_every_weight_to_the_promised_error() -> None:
    given = weights(2, 4, 6, 6)
    explorer = AttentionExplorer(given, SIX)
    sent = np.frombuffer(explorer.data, dtype="<u2").reshape(explorer.shape) / 65535
    assert np.abs(sent - given.numpy()).max() <= 7.7e-6


def test_fixed_point_is_exact_at_both_ends_and_never_wraps() -> None:
    ends = np.array([0.0, 1.0, 1.0009], dtype=np.float32)
    assert struct.unpack("<3H", fixed_point(ends)) == (0, 65535, 65535)


def test_shown_follows_layer_and_head() -> None:
    given = weights(2, 4, 6, 6)
    explorer = AttentionExplorer(given, SIX)
    explorer.layer, explorer.head, explorer.pinned = 1, 2, 5
    assert np.array_equal(explorer.shown(), given[1, 2])
    explorer.head, explorer.pinned = -1, None
    assert np.allclose(explorer.shown(), given[1].mean(0), atol=1e-7)


def test_six_layers_of_eight_heads_weigh_less_than_a_megabyte() -> None:
    words = [f"token{i}" for i in range(64)]
    bundle = bundle_of(AttentionExplorer(weights(6, 8, 64, 64), words))
    assert set(bundle) == {VIEW, "text/html", "image/png", "text/plain"}
    assert len(json.dumps(bundle)) < 1_000_000


def test_the_text_says_what_the_shown_map_shows() -> None:
    explorer = AttentionExplorer(torch.eye(6).repeat(2, 1, 1), SIX)
    explorer.head = -1
    text = bundle_of(explorer)["text/plain"].splitlines()
    assert text[0].startswith("Attention weights, mean of heads: 6 queries by 6 keys")
    assert text[1:] == [f"{word} ({i}) → {word} ({i}) 1.00" for i, word in enumerate(SIX)]


def test_the_title_of_the_picture_is_its_largest_weight() -> None:
    explorer = AttentionExplorer(torch.stack([torch.eye(3), torch.zeros(3, 3)]), ["$", "b", "$"])
    explorer.head = 1
    assert title_of(explorer) == "No query attends to any key"
    explorer.head = -1
    assert title_of(explorer) == "“$” gives “$” 0.50, the largest weight"


def title_of(explorer: AttentionExplorer) -> str:
    return explorer._static_figure().axes[0].get_title()


def test_the_page_holds_the_state_and_a_picture() -> None:
    explorer = AttentionExplorer(weights(2, 4, 6, 6), SIX)
    explorer.layer, explorer.pinned = 1, 3
    page = bundle_of(explorer)["text/html"]
    [state] = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    state = json.loads(state)
    assert base64.b64decode(state.pop("data")) == explorer.data
    assert f"{json.dumps(style('attention-explorer'))});" in unpacked(page)
    assert state == {
        "shape": [2, 4, 6, 6],
        "query_tokens": SIX,
        "key_tokens": SIX,
        "layer": 1,
        "head": 0,
        "pinned": 3,
    }
    [picture] = re.findall(r'<img src="data:image/png;base64,(.*?)"', page)
    assert base64.b64decode(picture).startswith(b"\x89PNG")


def test_the_same_explorer_is_the_same_page_twice() -> None:
    pages = [bundle_of(AttentionExplorer(weights(6, 6), SIX))["text/html"] for _ in range(2)]
    assert pages[0] == pages[1]


def test_tokens_cannot_end_or_begin_an_element() -> None:
    tokens = ['</script><img alt="', "<!--", "'\"&"]
    page = bundle_of(AttentionExplorer(torch.eye(3), tokens))["text/html"]
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("<img") == 1
    assert "!--" in page and "<!--" not in page
