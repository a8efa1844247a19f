"""encoder.feed_forward: each token by itself, with three activations."""

from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, whole
from transformer_checks.catalogue.ordinary import as_case, inputs_of, ordinary

_LINEAR = {
    "x": "batch tokens +d_model",
    "d_model": "=d_model",
    "d_ff": "=d_ff",
    "up.weight": "d_ff -d_model",
    "up.bias": "d_ff",
    "down.weight": "d_model d_ff",
    "down.bias": "d_model",
}
_GATED = _LINEAR | {"gate.weight": "d_ff -d_model", "gate.bias": "d_ff"}


def _draw(generator: Generator) -> list[Case]:
    def inputs(activation: str, draw: Draw, *sizes: int) -> dict[str, Any]:
        axes = _GATED if activation == "swiglu" else _LINEAR
        given = inputs_of(generator, axes, draw, *sizes)
        return given | {"activation": activation}

    tail = inputs("gelu", normal, 1, 3, 4, 6) | {"down.bias": torch.zeros(4)}
    tail |= {"up.weight": 0.1 * tail["up.weight"], "up.bias": torch.full((6,), -2.5)}
    large = inputs("relu", normal, 1, 2, 4, 6) | {"up.bias": torch.full((6,), 20.0)}
    far = inputs("swiglu", whole, 1, 2, 4, 6)  # all exact
    far["gate.bias"] = torch.tensor([100.0, -100.0]).repeat(3)
    return [
        as_case("ReLU, one token of width 2, d_ff 3", inputs("relu", tidy, 1, 1, 2, 3)),
        as_case("gradients of ReLU", inputs("relu", normal, 2, 3, 4, 6), gradients=True),
        as_case("GELU, one token of width 2, d_ff 3", inputs("gelu", tidy, 1, 1, 2, 3)),
        as_case("gradients of GELU", inputs("gelu", normal, 3, 2, 5, 4), gradients=True),
        as_case("GELU of numbers around -2.5", tail),
        as_case("ReLU of numbers around 20", large),
        as_case("SwiGLU, one token of width 2, d_ff 3", inputs("swiglu", tidy, 1, 1, 2, 3)),
        as_case("SwiGLU, gates of -100 and 100", far),
        as_case("SwiGLU, training mode", inputs("swiglu", tidy, 1, 2, 4, 3), training=True),
        *ordinary(
            generator, normal, axes=_GATED, given={"activation": "swiglu"}, prefix="SwiGLU, "
        ),
    ]


CHECK = Check(
    name="encoder.feed_forward",
    lesson="05_encoder",
    title="The feed-forward, three ways",
    answer="FeedForward",
    returns=("output",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
)
