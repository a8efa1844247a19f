from functools import reduce

import torch
from torch import nn
from torch.nn import functional as F

from authoring.styles.encoder.layer import AllByHand
from transformer_lesson.blocks import EncoderLayer


class Reduced(nn.Module):
    """The package's layers, and a fold instead of a loop."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, norm):
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, norm=norm))
        if norm == "pre":
            self.final_norm = nn.LayerNorm(d_model)

    def forward(self, x, mask):
        x = reduce(lambda y, layer: layer(y, mask), self.layers, x)
        return self.final_norm(x) if hasattr(self, "final_norm") else x


class Recursive(nn.Module):
    """What the last layer makes of what those below it make."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, norm):
        super().__init__()
        layers = {
            str(index): AllByHand(d_model, num_heads, d_ff, norm) for index in range(num_layers)
        }
        self.layers = nn.ModuleDict(layers)
        self.depth = num_layers
        if norm == "pre":
            self.register_module("final_norm", nn.LayerNorm(d_model))
        else:
            self.final_norm = torch.clone

    def forward(self, x, mask):
        return self.final_norm(self.below(self.depth, x, mask))

    def below(self, depth, x, mask):
        if not depth:
            return x
        return self.layers[str(depth - 1)](self.below(depth - 1, x, mask), mask)


class NormByFunction(nn.Module):
    """The final norm as bare parameters and a function."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, norm):
        super().__init__()
        self.layers = nn.ModuleList(
            [AllByHand(d_model, num_heads, d_ff, norm) for _ in range(num_layers)]
        )
        self.ends_in_norm = norm == "pre"
        if self.ends_in_norm:
            self.final_norm = nn.ParameterDict(
                {"weight": torch.ones(d_model), "bias": torch.zeros(d_model)}
            )

    def forward(self, x, mask):
        for index in range(len(self.layers)):
            x = self.layers[index].forward(x, mask)
        if not self.ends_in_norm:
            return x
        gain, bias = self.final_norm["weight"], self.final_norm["bias"]
        return F.layer_norm(x, x.shape[-1:], gain, bias)


STYLES = {"encoder.stack": (Reduced, Recursive, NormByFunction)}
