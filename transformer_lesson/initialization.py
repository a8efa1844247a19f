"""How the weights begin: those of one linear layer, and those of a whole model."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

Initialization = Literal["paper", "gpt2"]


class Linear(nn.Linear):
    """``nn.Linear`` with Xavier-uniform weights and, if it has one, a bias of 0."""

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Set the weights in place to new ones."""
        draw(self.weight, nn.init.xavier_uniform_, generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)


def empty_linear(d_in: int, d_out: int, *, bias: bool = True) -> Linear:
    """Return a layer whose weights are not set yet: nothing is drawn from any generator."""
    layer = Linear(d_in, d_out, bias=bias, device="meta")
    # Not nn.utils.skip_init, which loads SymPy: that takes as long as half of a first translation.
    for name, parameter in list(layer.named_parameters()):
        setattr(layer, name, nn.Parameter(torch.empty(parameter.shape)))
    return layer


def draw(
    tensor: Tensor, fill: Callable[..., Any], generator: torch.Generator | None = None
) -> None:
    """Fill ``tensor`` in place by ``fill(numbers, generator=generator)``, such as ``nn.init``'s.

    The numbers are drawn on the generator's device and in PyTorch's default dtype, so that a seed
    gives the same weights on every device. A tensor on the meta device holds none and is left.

    Raises:
        TypeError: the generator is none, but a seed.
    """
    if not isinstance(generator, torch.Generator | None):
        raise TypeError(f"generator={generator!r}; expected a torch.Generator, such as seeded(0).")
    if tensor.is_meta:
        return
    device = tensor.device if generator is None else generator.device
    numbers = torch.empty(tensor.shape, device=device)
    fill(numbers, generator=generator)
    with torch.no_grad():
        tensor.copy_(numbers)


def xavier_linear(
    d_in: int, d_out: int, *, bias: bool = True, generator: torch.Generator | None = None
) -> nn.Linear:
    """Return a linear layer with Xavier-uniform weights and, if it has one, a bias of 0."""
    layer = empty_linear(d_in, d_out, bias=bias)
    layer.reset_parameters(generator)
    return layer


def initialize(
    model: nn.Module, initialization: Initialization, generator: torch.Generator | None
) -> None:
    """Set the weights of ``model`` in place, as ``ModelConfig.initialization`` describes.

    Norms keep their gain of 1 and bias of 0, biases their 0, position tables their own values.
    """
    gpt2, adding = initialization == "gpt2", ("output_projection", "feed_forward")
    additions = sum(name.endswith(adding) for name, _ in model.named_modules())
    for name, parameter in model.named_parameters():
        if name in ("embedding.weight", "source_embedding.weight"):
            embedding: Any = model.get_submodule(name.removesuffix(".weight"))
            embedding.reset_parameters(generator)
        elif name == "output.weight" and not gpt2:
            draw(parameter, nn.init.xavier_uniform_, generator)
        elif gpt2 and parameter.dim() == 2 and not name.endswith("table"):
            ends = name.endswith(("output_projection.weight", "down.weight"))
            std = 0.02 / math.sqrt(additions) if ends else 0.02
            draw(parameter, partial(nn.init.normal_, std=std), generator)
