"""Make the module that a case asks for out of a learner's class."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from transformer_lesson.checks.exercise import Build


def build(answer: Callable[..., Any], how: Build, *, gradients: bool) -> nn.Module:
    """Make a module from ``answer`` and give it the case's weights.

    Args:
        answer: the learner's class.
        how: its configuration and weights.
        gradients: whether the parameters record gradients.

    Raises:
        TypeError: what ``answer`` makes is no ``nn.Module``.
        ValueError: its parameters have other names or shapes than the exercise asks for.
    """
    module = answer(**how.config)
    if not isinstance(module, nn.Module):
        raise TypeError(f"the answer makes a {type(module).__name__}; expected an nn.Module")
    own = dict(module.named_parameters())
    _check_names(set(own), set(how.weights))
    for name, weight in how.weights.items():
        if own[name].shape != weight.shape:
            raise ValueError(
                f"parameter {name} has shape {tuple(own[name].shape)}; "
                f"expected {tuple(weight.shape)}"
            )
        _set(module, own[name], weight, gradients)
    return module.train(how.training)


def _check_names(own: set[str], expected: set[str]) -> None:
    if own == expected:
        return
    if not own:
        raise ValueError(
            "the module has no parameters; make its layers in __init__ and keep them in self, "
            "several of them in an nn.ModuleList: a plain list hides them"
        )
    missing, unknown = sorted(expected - own), sorted(own - expected)
    parts = [f"has no parameter {missing[0]}"] if missing else []
    parts += [f"has a parameter {unknown[0]} too many"] if unknown else []
    raise ValueError(f"the module {' and '.join(parts)}; expected {', '.join(sorted(expected))}")


def _set(module: nn.Module, old: nn.Parameter, weight: Tensor, gradients: bool) -> None:
    # A new parameter, not a copy into the old one: the reference is given float64. It takes every
    # place of the old one, for a module may hold one parameter twice (tied layers).
    parameter = nn.Parameter(weight.detach().clone(), requires_grad=gradients)
    for owner in module.modules():
        for name, held in list(owner.named_parameters(recurse=False, remove_duplicate=False)):
            if held is old:
                setattr(owner, name, parameter)
