"""Where a loss stopped being a number: each search returns a name, or "" where all is finite."""

from typing import Any

import torch
from torch import Tensor, nn

from transformer_lesson.training.losses import Objective


class Diverged(ArithmeticError):
    """The loss or a gradient is NaN or infinite; the weights are those of the step before."""


def bad_weight(model: nn.Module) -> str:
    """Name the first weight that is not finite."""
    bad = (name for name, weight in model.named_parameters() if not weight.isfinite().all())
    return next((f"the weight {name}" for name in bad), "")


def bad_output(model: nn.Module, objective: Objective, batch: Any) -> str:
    """Name the first module whose output for ``batch`` is not finite, or else the loss."""
    found: list[str] = []

    def watch(name: str) -> Any:
        def look(module: nn.Module, inputs: Any, output: Any) -> None:
            tensors = output if isinstance(output, tuple) else (output,)
            if any(isinstance(x, Tensor) and not x.isfinite().all() for x in tensors):
                found.append(f"the output of {name or type(module).__name__}")

        return look

    hooks = [module.register_forward_hook(watch(name)) for name, module in model.named_modules()]
    try:
        with torch.no_grad():
            loss, _ = objective(model, batch)
    finally:
        for hook in hooks:
            hook.remove()
    if not found and not loss.isfinite():
        found.append("the loss itself")
    return found[0] if found else ""


def bad_gradient(model: nn.Module) -> str:
    """Name the first weight, in the order of the model, whose gradient is not finite."""
    given = ((name, weight.grad) for name, weight in model.named_parameters())
    bad = (name for name, grad in given if grad is not None and not grad.isfinite().all())
    return next((f"the gradient of {name}" for name in bad), "")
