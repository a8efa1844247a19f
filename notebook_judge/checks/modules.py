"""Make the module that a case asks for from a learner's class."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from notebook_judge.checks.cases import Build, unshared


def build(answer: Callable[..., Any], how: Build) -> nn.Module:
    """Make a module from ``answer``, the learner's class.

    Raises:
        TypeError: what ``answer`` makes is no ``nn.Module``.
        ValueError: its parameters have other names than the exercise asks for, or one is frozen.
    """
    module = answer(**{name: unshared(value) for name, value in how.config.items()})
    if not isinstance(module, nn.Module):
        raise TypeError(f"the answer makes a {type(module).__name__}; expected an nn.Module")
    own = _own(module, set(how.weights))
    _check_names(set(own), set(how.weights))
    for name, parameter in own.items():
        if not parameter.requires_grad:
            raise ValueError(
                f"parameter {name} is frozen: its requires_grad is False, and training would never "
                "change it"
            )
    return module


def load(module: nn.Module, how: Build, *, gradients: bool) -> dict[str, nn.Parameter]:
    """Give a module the case's weights and mode.

    Args:
        module: what ``build`` has made, used or not.
        how: its weights and mode.
        gradients: whether the parameters record gradients.

    Returns:
        The parameters by name.

    Raises:
        ValueError: one has another shape than the exercise asks for.
    """
    own = _own(module, set(how.weights))
    given: dict[str, nn.Parameter] = {}
    for name, weight in how.weights.items():
        if own[name].shape != weight.shape:
            raise ValueError(
                f"parameter {name} has shape {tuple(own[name].shape)}; "
                f"expected {tuple(weight.shape)}"
            )
        given[name] = nn.Parameter(weight.detach().clone(), requires_grad=gradients)
    _replace(module, {own[name]: parameter for name, parameter in given.items()})
    module.train(how.training)
    return given


class _NoDropout(TorchFunctionMode):
    """Dropout returns what it was given, and fused attention drops none of its weights."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given = dict(kwargs or {})
        if "dropout" in getattr(func, "__name__", ""):
            return args[0] if args else given["input"]
        if "dropout_p" in given:
            given["dropout_p"] = 0.0
        return func(*args, **given)


def undropped(how: Build | None) -> AbstractContextManager[Any]:
    """Drop nothing in training mode, where dropout is a learner's choice.

    In evaluation mode it is a mistake, and left alone.
    """
    return _NoDropout() if how and how.training else nullcontext()


def check_mode(parts: list[nn.Module], how: Build) -> None:
    """Raise ValueError if the call has switched a part between training and eval mode.

    Parts that ``forward`` has made are in training mode from the start, and not among them.
    """
    if any(part.training != how.training for part in parts):
        before, now = ("training", "eval") if how.training else ("eval", "training")
        raise ValueError(
            f"forward was called in {before} mode and leaves {now} mode behind; "
            "only the caller chooses, with train() and eval()"
        )


def _own(module: nn.Module, expected: set[str]) -> dict[str, Tensor]:
    """The parameters by name; of several names of one (tied layers) the one that is expected."""
    names: dict[nn.Parameter, list[str]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names.setdefault(parameter, []).append(name)
    own: dict[str, Tensor] = {}
    for parameter, held in names.items():
        wanted = [name for name in held if name in expected]
        if len(wanted) > 1:
            raise ValueError(
                f"{wanted[0]} and {wanted[1]} are one parameter under two names; "
                "expected one for each"
            )
        own[(wanted or held)[0]] = parameter
    return own


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
