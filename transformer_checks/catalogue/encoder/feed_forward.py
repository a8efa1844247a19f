"""encoder.feed_forward: each token by itself, with three activations."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven, whole


def _weights(
    generator: Generator, draw: Draw, d_model: int, d_ff: int, *, gated: bool
) -> dict[str, Tensor]:
    shapes = {
        "up.weight": (d_ff, d_model),
        "up.bias": (d_ff,),
        "down.weight": (d_model, d_ff),
        "down.bias": (d_model,),
    }
    if gated:
        shapes |= {"gate.weight": (d_ff, d_model), "gate.bias": (d_ff,)}
    return {name: draw(generator, *shape) for name, shape in shapes.items()}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        activation: str,
        draw: Draw,
        x: tuple[int, ...],
        d_ff: int,
        *,
        gradients: bool = False,
        training: bool = False,
    ) -> Case:
        gated = activation == "swiglu"
        weights = _weights(generator, draw, x[-1], d_ff, gated=gated)
        config: dict[str, Value] = {"d_model": x[-1], "d_ff": d_ff, "activation": activation}
        build = Build(config, weights, training)
        return Case(label, {"x": draw(generator, *x)}, gradients, build)

    def of_many_sizes() -> Case:
        label = "GELU, 18 tokens of many sizes, width 20, d_ff 22"
        drawn = case(label, "gelu", normal, (1, 18, 20), 22)
        assert drawn.build
        weights = {name: 0.1 * weight for name, weight in drawn.build.weights.items()}
        x = uneven(generator, 1, 18, 20)
        return Case(label, {"x": x}, build=Build(drawn.build.config, weights))

    tail = case("GELU of numbers around -2.5", "gelu", normal, (1, 3, 4), 6)
    assert tail.build
    low = {"up.bias": torch.full((6,), -2.5), "down.bias": torch.zeros(4)}
    low["up.weight"] = 0.1 * tail.build.weights["up.weight"]
    tail = Case(
        tail.label, tail.inputs, build=Build(tail.build.config, {**tail.build.weights, **low})
    )
    large = case("ReLU of numbers around 20", "relu", normal, (1, 2, 4), 6)
    assert large.build
    high = {**large.build.weights, "up.bias": torch.full((6,), 20.0)}
    large = Case(large.label, large.inputs, build=Build(large.build.config, high))
    gates = case("SwiGLU, gates of -100 and 100", "swiglu", whole, (1, 2, 4), 6)  # all exact
    assert gates.build
    far = {**gates.build.weights, "gate.bias": torch.tensor([100.0, -100.0]).repeat(3)}
    gates = Case(gates.label, gates.inputs, build=Build(gates.build.config, far))
    return [
        case("ReLU, one token of width 2, d_ff 3", "relu", tidy, (1, 1, 2), 3),
        case("ReLU, batch 2, 3 tokens", "relu", normal, (2, 3, 4), 6),
        case("GELU, one token of width 2, d_ff 3", "gelu", tidy, (1, 1, 2), 3),
        tail,
        large,
        case("SwiGLU, one token of width 2, d_ff 3", "swiglu", tidy, (1, 1, 2), 3),
        case("SwiGLU, batch 2, 3 tokens", "swiglu", normal, (2, 3, 4), 6),
        gates,
        case("gradients of ReLU", "relu", normal, (2, 3, 4), 6, gradients=True),
        case("gradients of SwiGLU", "swiglu", normal, (2, 3, 4), 6, gradients=True),
        case("gradients of GELU", "gelu", normal, (3, 2, 5), 4, gradients=True),
        of_many_sizes(),
        case("SwiGLU, training mode", "swiglu", tidy, (1, 2, 4), 3, training=True),
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
