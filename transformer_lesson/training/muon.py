"""Muon: steps of matrices that are as long in every direction (Jordan et al. 2024)."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lesson.validation import arguments

COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of Jordan et al. 2024


def newton_schulz(gradient: Tensor, steps: int = 5) -> Tensor:
    """Bring the singular values of a matrix near 1 (0.7 to 1.2), and leave its singular vectors.

    Each step applies an odd polynomial of degree 5 to the singular values.

    Args:
        gradient: ``(rows, columns)``, floating point, of which the result has shape and dtype.
        steps: number of times that the polynomial is applied.

    Raises:
        ValueError: ``gradient`` is no matrix, or ``steps`` is below 1.
    """
    arguments.check_sizes(steps=steps)
    _check_matrix(gradient)
    a, b, c = COEFFICIENTS
    tall = gradient.shape[0] > gradient.shape[1]
    x = gradient.T if tall else gradient
    x = x / x.norm().clamp(min=1e-7)  # no singular value is above 1
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x


class Muon(torch.optim.Optimizer):
    """Nesterov's momentum, made orthogonal: for the matrices of the layers alone.

    Vectors, embeddings and the output layer are for another optimizer; ``Together`` makes one of
    both. A step is as large as Adam's usually are, 0.2 √max(rows, columns) times the orthogonal
    matrix, so that one learning rate does for both (Liu et al. 2025, "Muon is scalable").

    Args:
        matrices: what is trained, ``(rows, columns)`` each.
        lr: learning rate; ``train`` sets it anew in each step.
        momentum: share of the old average in the new one.
        weight_decay: the matrices shrink by this times the learning rate in each step.

    Raises:
        ValueError: a parameter is no matrix.
    """

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        lr: float = 1e-3,
        *,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        matrices = list(matrices)
        for matrix in matrices:
            _check_matrix(matrix)
        super().__init__(matrices, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Take a step along the gradients that are there."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                state = self.state[matrix]
                if not state:
                    state["average"] = torch.zeros_like(matrix)
                average = state["average"].lerp_(matrix.grad, 1 - group["momentum"])
                ahead = matrix.grad.lerp(average, group["momentum"])
                size = 0.2 * max(matrix.shape) ** 0.5
                matrix.mul_(1 - group["lr"] * group["weight_decay"])
                matrix.sub_(newton_schulz(ahead), alpha=group["lr"] * size)


class Together(torch.optim.Optimizer):
    """Several optimizers as one, each of its own parameters; their states are kept as one."""

    def __init__(self, *optimizers: torch.optim.Optimizer) -> None:
        self.optimizers = optimizers
        super().__init__([group for each in optimizers for group in each.param_groups], {})
        self._share()

    def step(self) -> None:  # type: ignore[override]
        """Take a step with each."""
        for each in self.optimizers:
            each.step()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Put a state of ``state_dict()`` in place."""
        super().load_state_dict(state_dict)
        self._share()

    def _share(self) -> None:
        groups = iter(self.param_groups)
        for each in self.optimizers:
            each.state = self.state
            each.param_groups = [next(groups) for _ in each.param_groups]


def _check_matrix(tensor: Tensor) -> None:
    if tensor.dim() != 2:
        raise ValueError(
            f"Muon was given a tensor of shape {tuple(tensor.shape)}; expected a matrix. Give "
            "others to Adam, and both to Together."
        )
