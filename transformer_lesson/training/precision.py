"""In which precision a step computes: in float32, or in bfloat16 where that is faster."""

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, get_args

import torch
from torch import nn

from transformer_lesson.training.losses import Objective

Precision = Literal["float32", "bfloat16"]


def computing_in(precision: Precision, device: torch.device) -> AbstractContextManager:
    """Compute products in ``precision``; weights and their gradients stay float32.

    Micikevicius et al. 2018. bfloat16 has the range of float32, so the loss needs no scaling.
    """
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def faster_precision(model: nn.Module, objective: Objective, batch: Any) -> Precision:
    """Return the precision in which a forward and backward pass of ``batch`` takes less time.

    The name of a processor does not tell: bfloat16 gains on some and with wide layers only. The
    shortest of three passes counts. The gradients are empty afterwards.
    """
    device = next(model.parameters()).device
    seconds = {
        precision: min(_seconds(model, objective, batch, precision, device) for _ in range(3))
        for precision in get_args(Precision)
    }
    model.zero_grad()
    return min(get_args(Precision), key=lambda precision: seconds[precision])


def _seconds(
    model: nn.Module, objective: Objective, batch: Any, precision: Precision, device: torch.device
) -> float:
    began = time.perf_counter()
    with computing_in(precision, device):
        loss, _ = objective(model, batch)
    loss.backward()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - began
