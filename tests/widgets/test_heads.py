"""All heads side by side, without a browser."""

import base64
import json
import re

import numpy as np
import torch

from tests.widgets.test_training import SIX, weights
from transformer_lesson.widgets import HeadsExplorer


def test_layers_are_optional_and_keys_may_differ_from_queries() -> None:
    assert HeadsExplorer(weights(4, 6, 6), SIX).shape == [1, 4, 6, 6]
    assert HeadsExplorer(weights(2, 4, 6, 6), SIX).shape == [2, 4, 6, 6]
    assert HeadsExplorer(weights(4, 2, 6), SIX[:2], SIX).key_tokens == SIX


def test_the_page_holds_all_weights_once() -> None:
    given = weights(2, 4, 6, 6)
    page = HeadsExplorer(given, SIX)._repr_mimebundle_()[0]["text/html"]
    [state] = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    sent = np.frombuffer(base64.b64decode(json.loads(state)["data"]), dtype="<u2") / 65535
    assert np.abs(sent.reshape(given.shape) - given.numpy()).max() <= 7.7e-6


def test_the_text_names_the_strongest_key_of_each_head() -> None:
    given = torch.stack([torch.eye(6), torch.eye(6).flip(0), torch.zeros(6, 6)])
    explorer = HeadsExplorer(given, SIX)
    text = explorer._repr_mimebundle_()[0]["text/plain"].splitlines()
    assert text[0].startswith("Attention weights of 3 heads: 6 queries by 6 keys.")
    assert text[1] == "The (0) → head 0 The (0) 1.00, head 1 mat (5) 1.00, head 2 nothing"
    assert len(text) == 7
    explorer.pinned = 1
    text = explorer._repr_mimebundle_()[0]["text/plain"].splitlines()
    assert text[1:] == ["cat (1) → head 0 cat (1) 1.00, head 1 the (4) 1.00, head 2 nothing"]
