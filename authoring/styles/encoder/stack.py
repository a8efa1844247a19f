import torch
from torch import nn
from torch.nn import functional as F

from authoring.styles.encoder.layer import AllByHand


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


STYLES = {"encoder.stack": (NormByFunction,)}
