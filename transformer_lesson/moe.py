"""Mixture of experts: many feed-forwards, of which each token passes through a few."""

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.hooks import RemovableHandle

from transformer_lesson.initialization import xavier_linear
from transformer_lesson.validation import arguments, tensors


class MixtureOfExperts(nn.Module):
    """A router sends each token to the experts that suit it best (Shazeer et al. 2017).

    A token's output is the sum of what its experts return, weighted by the softmax of the router's
    logits, scaled to sum to 1 over the chosen ones (Jiang et al. 2024, Mixtral).

    Args:
        d_model: width of the tokens that come in and go out.
        experts: the experts, such as ``FeedForward(d_model, d_ff)``, each with its own weights.
        experts_per_token: how many of them each token passes through.
        capacity: in training mode an expert takes ``⌈capacity * tokens * experts_per_token /
            experts⌉`` tokens at most, the first ones. To those that it drops it adds nothing: the
            residual path alone carries them on (Fedus et al. 2022, section 2.2). None: no limit.
        generator: source of the router's initial weights (Xavier uniform).

    Raises:
        ValueError: an argument is out of range, or a token takes more experts than there are.
    """

    def __init__(
        self,
        d_model: int,
        experts: Iterable[nn.Module],
        *,
        experts_per_token: int = 2,
        capacity: float | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.experts = nn.ModuleList(experts)
        arguments.check_experts(len(self.experts), experts_per_token, capacity)
        self.experts_per_token, self.capacity = experts_per_token, capacity
        self.router = xavier_linear(d_model, len(self.experts), bias=False, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the shape of ``x (..., d_model)``."""
        tensors.check_rows(x, self.router.in_features)
        tokens = x.reshape(-1, x.shape[-1])
        weights, chosen = route(self.router(tokens), self.experts_per_token)
        output = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, places = (chosen == number).nonzero(as_tuple=True)
            if self.training and self.capacity is not None:
                most = math.ceil(self.capacity * chosen.numel() / len(self.experts))
                rows, places = rows[:most], places[:most]
            found = expert(tokens[rows]) * weights[rows, places, None]
            output = output.index_add(0, rows, found.to(output.dtype))
        return output.view(x.shape)


def route(logits: Tensor, experts_per_token: int) -> tuple[Tensor, Tensor]:
    """Choose experts for each token: weights and numbers, ``(tokens, experts_per_token)`` each.

    The weights are those of the softmax over all experts ``(tokens, experts)``, computed in float32
    at least, and sum to 1 over the chosen ones; they have the dtype of ``logits``.
    """
    exact = logits.float() if logits.dtype.itemsize < 4 else logits
    weights, chosen = exact.softmax(-1).topk(experts_per_token)
    return (weights / weights.sum(-1, keepdim=True)).to(logits.dtype), chosen


def balance_loss(logits: Tensor, chosen: Tensor) -> Tensor:
    """Return 1 where tokens are spread evenly over the experts, more where they gather; 0-dim.

    It is ``experts * Σ fraction * probability`` (Fedus et al. 2022, section 2.2): the fraction of
    all choices that an expert is, which has no gradient, times its mean probability.

    Args:
        logits: of the router, ``(tokens, experts)``.
        chosen: numbers of experts ``(tokens, experts_per_token)``.
    """
    experts = logits.shape[-1]
    fraction = F.one_hot(chosen.flatten(), experts).to(logits.dtype).mean(0)
    return experts * (fraction * logits.softmax(-1).mean(0)).sum()


@contextmanager
def recorded_routes(model: nn.Module) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """Collect what ``balance_loss`` takes of each mixture, in the order in which they compute."""
    routes: list[tuple[Tensor, Tensor]] = []

    def watch(mixture: MixtureOfExperts) -> RemovableHandle:
        def record(_: nn.Module, given: tuple[Tensor], logits: Tensor) -> None:
            routes.append((logits, route(logits, mixture.experts_per_token)[1]))

        return mixture.router.register_forward_hook(record)

    hooks = [watch(each) for each in model.modules() if isinstance(each, MixtureOfExperts)]
    try:
        yield routes
    finally:
        for hook in hooks:
            hook.remove()
