import math

import torch
from torch import nn


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


STYLES = {"encoder.feed_forward": (TokenByToken,)}
