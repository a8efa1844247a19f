"""encoder.feed_forward: each token by itself, with three activations."""

import math

import torch
from torch import Generator, Tensor, nn

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Build, Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _gelu(x: Tensor) -> Tensor:
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def _silu(x: Tensor) -> Tensor:
    return x / (1 + torch.exp(-x))


class _FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, activation: str) -> None:
        super().__init__()
        self.activation = activation
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        if activation == "swiglu":
            self.gate = nn.Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.between(x))

    def between(self, x: Tensor) -> Tensor:
        if self.activation == "swiglu":
            return self.gated(x)
        return self.curve(self.up(x))

    def gated(self, x: Tensor) -> Tensor:
        return _silu(self.gate(x)) * self.up(x)

    def curve(self, x: Tensor) -> Tensor:
        return x.clamp(min=0) if self.activation == "relu" else _gelu(x)


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
    ) -> Case:
        gated = activation == "swiglu"
        weights = _weights(generator, draw, x[-1], d_ff, gated=gated)
        config: dict[str, Value] = {"d_model": x[-1], "d_ff": d_ff, "activation": activation}
        return Case(label, {"x": draw(generator, *x)}, gradients, Build(config, weights))

    tail = case("GELU of numbers around -2.5", "gelu", normal, (1, 3, 4), 6)
    assert tail.build
    low = {"up.bias": torch.full((6,), -2.5), "down.bias": torch.zeros(4)}
    low["up.weight"] = 0.1 * tail.build.weights["up.weight"]
    tail = Case(
        tail.label, tail.inputs, build=Build(tail.build.config, {**tail.build.weights, **low})
    )
    return [
        case("ReLU, one token of width 2, d_ff 3", "relu", tidy, (1, 1, 2), 3),
        case("ReLU, batch 2, 3 tokens", "relu", normal, (2, 3, 4), 6),
        case("GELU, one token of width 2, d_ff 3", "gelu", tidy, (1, 1, 2), 3),
        tail,
        case("SwiGLU, one token of width 2, d_ff 3", "swiglu", tidy, (1, 1, 2), 3),
        case("SwiGLU, batch 2, 3 tokens", "swiglu", normal, (2, 3, 4), 6),
        case("gradients of ReLU", "relu", normal, (2, 3, 4), 6, gradients=True),
        case("gradients of SwiGLU", "swiglu", normal, (2, 3, 4), 6, gradients=True),
    ]


class _NoActivation(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        return x


class _AlwaysReLU(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        return x.clamp(min=0)


class _AlwaysGELU(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        return _gelu(x)


class _TanhGELU(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        approximate = torch.nn.functional.gelu(x, approximate="tanh")
        return approximate if self.activation == "gelu" else super().curve(x)


class _SigmoidGELU(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(1.702 * x) if self.activation == "gelu" else super().curve(x)


class _SiLUForGELU(_FeedForward):
    def curve(self, x: Tensor) -> Tensor:
        return _silu(x) if self.activation == "gelu" else super().curve(x)


class _GateSwapped(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return self.gate(x) * _silu(self.up(x))


class _SigmoidGate(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.gate(x)) * self.up(x)


class _GeluGate(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return _gelu(self.gate(x)) * self.up(x)


class _ReluGate(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return self.gate(x).clamp(min=0) * self.up(x)


class _ProductActivated(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return _silu(self.gate(x) * self.up(x))


class _LinearGate(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return self.gate(x) * self.up(x)


class _GateAdded(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return _silu(self.gate(x)) + self.up(x)


class _GateUnused(_FeedForward):
    def gated(self, x: Tensor) -> Tensor:
        return _silu(self.up(x))


class _ActivatedTwice(_FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        return y if self.activation == "swiglu" else self.curve(y)


class _WithResidual(_FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return x + super().forward(x)


class _AlwaysGated(_FeedForward):
    def __init__(self, d_model: int, d_ff: int, activation: str) -> None:
        super().__init__(d_model, d_ff, activation)
        self.gate = nn.Linear(d_model, d_ff)


FEED_FORWARD = Check(
    name="encoder.feed_forward",
    lesson="05_encoder",
    title="The feed-forward, three ways",
    answer="FeedForward",
    returns=("output",),
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=_FeedForward,
    slips=(
        Misconception(
            "no activation",
            _NoActivation,
            "nothing stands between the two linear layers: together they are one linear layer",
            "Which step bends?",
        ),
        Misconception(
            "always ReLU",
            _AlwaysReLU,
            'the activation is a ReLU, where "gelu" was asked for as well',
            "Keep `activation` in `self` and look at it in forward.",
        ),
        Misconception(
            "always GELU",
            _AlwaysGELU,
            'the activation is a GELU, where "relu" was asked for as well',
            "Keep `activation` in `self` and look at it in forward.",
        ),
        Misconception(
            "GELU by a tanh",
            _TanhGELU,
            "this is GPT-2's approximation of GELU by a tanh: 3 % off around -2.5",
            "`F.gelu` without arguments is the exact one, with the error function.",
        ),
        Misconception(
            "GELU by a sigmoid",
            _SigmoidGELU,
            "this is x · sigmoid(1.702 x), a coarse approximation of GELU",
            "`F.gelu` without arguments is the exact one, with the error function.",
        ),
        Misconception(
            "SiLU for GELU",
            _SiLUForGELU,
            "the activation is a SiLU, x · sigmoid(x), where GELU was asked for",
            "SiLU belongs to the gate of SwiGLU.",
        ),
        Misconception(
            "the gate on the wrong side",
            _GateSwapped,
            "the SiLU is on `up`; it belongs on `gate`",
            "The gate decides, what goes up is let through.",
        ),
        Misconception(
            "a sigmoid gate",
            _SigmoidGate,
            "the gate is a bare sigmoid: that is GLU, the ancestor of SwiGLU",
            "SiLU is x · sigmoid(x).",
        ),
        Misconception(
            "a GELU gate",
            _GeluGate,
            "the gate goes through a GELU: that is GEGLU",
            "The Sw of SwiGLU is Swish, which PyTorch calls SiLU.",
        ),
        Misconception(
            "a ReLU gate",
            _ReluGate,
            "the gate goes through a ReLU: that is ReGLU",
            "The Sw of SwiGLU is Swish, which PyTorch calls SiLU.",
        ),
        Misconception(
            "the product activated",
            _ProductActivated,
            "the SiLU comes after the product of gate and up",
            "Only the gate goes through the SiLU; then it multiplies.",
        ),
        Misconception(
            "a linear gate",
            _LinearGate,
            "the gate has no activation: the two are multiplied as they are",
            "What does the gate go through before it multiplies?",
        ),
        Misconception(
            "gate added",
            _GateAdded,
            "the gate is added; it should multiply",
            "A gate that is 0 lets nothing through.",
        ),
        Misconception(
            "gate unused",
            _GateUnused,
            "the gate was made and never used",
            "Three linear layers: up, gate, down.",
        ),
        Misconception(
            "activated twice",
            _ActivatedTwice,
            "the activation is applied once more at the end",
            "What goes back to the residual path must be free to have any sign.",
        ),
        Misconception(
            "residual inside",
            _WithResidual,
            "the input is added: that is the layer's task, not the feed-forward's",
            "Return what is to be added, no more.",
        ),
        Misconception(
            "a gate in every variant",
            _AlwaysGated,
            'there is a gate even where the activation is no "swiglu"',
            "Make `self.gate` only for SwiGLU.",
        ),
    ),
    hints=(
        "`self.up = nn.Linear(d_model, d_ff)` and `self.down = nn.Linear(d_ff, d_model)`, both "
        "with their bias.",
        '`self.gate = nn.Linear(d_model, d_ff)`, made only if activation is "swiglu".',
        "SwiGLU: `self.down(F.silu(self.gate(x)) * self.up(x))`.",
    ),
)
