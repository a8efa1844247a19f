"""Make the module that a case asks for from a learner's class."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from transformer_checks.checks.cases import Build


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
    given: dict[Tensor, nn.Parameter] = {}
    for name, weight in how.weights.items():
        if own[name].shape != weight.shape:
            raise ValueError(
                f"parameter {name} has shape {tuple(own[name].shape)}; "
                f"expected {tuple(weight.shape)}"
            )
        given[own[name]] = nn.Parameter(weight.detach().clone(), requires_grad=gradients)
    _replace(module, given)
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


def _replace(module: nn.Module, given: Mapping[Tensor, nn.Parameter]) -> None:
    # New parameters, not copies into the old ones: the reference is given float64. One takes every
    # place of the old one, for a module may hold one parameter twice (tied layers).
    for owner in module.modules():
        for name, held in list(owner.named_parameters(recurse=False, remove_duplicate=False)):
            setattr(owner, name, given[held])
