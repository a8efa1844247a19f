import math

import torch
from torch import nn
from torch.nn import functional as F


class Affine(nn.Module):
    """A linear layer of bare parameters."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_out, d_in))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight) + self.bias


CURVES = {
    "relu": lambda x: torch.where(x > 0, x, 0.0),
    "gelu": lambda x: x * torch.special.ndtr(x),
    "swiglu": lambda x: x * (1 + torch.tanh(x / 2)) / 2,
}


class FromParameters(nn.Module):
    """Own linear layers, and activations by their formulas."""

    def __init__(self, d_model, d_ff, activation):
        super().__init__()
        self.activation = activation
        self.gate = Affine(d_model, d_ff) if activation == "swiglu" else None
        self.up, self.down = Affine(d_model, d_ff), Affine(d_ff, d_model)

    def forward(self, x):
        curve = CURVES[self.activation]
        if self.gate is None:
            return self.down(curve(self.up(x)))
        return self.down(self.up(x).mul(curve(self.gate(x))))


class GateAndUpAtOnce(nn.Module):
    """One product for gate and up, and more options than were asked for."""

    def __init__(self, d_model, d_ff, activation="relu", dropout=0.1):
        super().__init__()
        names = ("gate", "up") if activation == "swiglu" else ("up",)
        for name in names:
            setattr(self, name, nn.Linear(d_model, d_ff))
        self.down = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.names, self.activation = names, activation

    def forward(self, x):
        layers = [getattr(self, name) for name in self.names]
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        parts = F.linear(x, weight, bias).chunk(len(layers), dim=-1)
        match self.activation:
            case "swiglu":
                y = F.silu(parts[0]) * parts[1]
            case "gelu":
                y = F.gelu(parts[0], approximate="none")
            case _:
                y = parts[0].clamp_min(0)
        return self.down(self.dropout(y))


class TokenByToken(nn.Module):
    """Each token by itself, one neuron after the other."""

    def __init__(self, d_model, d_ff, activation):
        super().__init__()
        self.kind = activation
        layers = {"up": nn.Linear(d_model, d_ff), "down": nn.Linear(d_ff, d_model)}
        if activation == "swiglu":
            layers["gate"] = nn.Linear(d_model, d_ff)
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        if x.dim() > 1:
            return torch.stack([self(part) for part in x])
        total = self.down.bias
        for neuron in range(len(self.up.bias)):
            total = total + self.neuron(x, neuron) * self.down.weight[:, neuron]
        return total

    def neuron(self, x, index):
        y = self.up.weight[index] @ x + self.up.bias[index]
        if self.kind == "swiglu":
            gate = self.gate.weight[index] @ x + self.gate.bias[index]
            return y * gate / (1 + torch.exp(-gate))
        if self.kind == "gelu":
            return y * torch.erfc(-y / math.sqrt(2)) / 2
        return max(y, 0 * y)


STYLES = {"encoder.feed_forward": (FromParameters, GateAndUpAtOnce, TokenByToken)}
