"""Put weights from elsewhere into a model, and read what is said of them there."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from transformer_lesson.validation import arguments

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SIZES: dict[str, str] = _TABLES["sizes"]
NAMES: dict[str, dict[str, str]] = _TABLES["names"]
FAMILIES: dict[str, dict[str, dict[str, Any]]] = _TABLES["families"]


def put_weights(
    model: nn.Module,
    weights: Mapping[str, Tensor],
    kind: str,
    *,
    names: Mapping[str, str] | None = None,
    convert: Callable[[str, Tensor], Tensor] = lambda name, weight: weight,
    assign: bool = False,
) -> None:
    """Put ``weights`` into ``model``.

    Args:
        model: whose weights are replaced.
        weights: all of them, and no others.
        kind: what the weights should be, for the error: "a GPT-2".
        names: of each weight of the model, its name among ``weights``; by default the same. Several
            may be made of one.
        convert: makes of the weight what stands under the given name of the model.
        assign: take the tensors themselves, of whatever dtype, instead of copies.

    Raises:
        ValueError: a weight is missing, unknown, or of another shape; they are named, as they are
            called among ``weights`` and, where that differs, in the model.
    """
    expected = model.state_dict()
    names = {name: name for name in expected} if names is None else names
    missing = [_both(names, name) for name in expected if names[name] not in weights]
    unknown = sorted(weights.keys() - names.values())
    wrong = [_some(name, of) for name, of in (("missing", missing), ("unknown", unknown)) if of]
    if wrong:
        raise ValueError(f"these are not the weights of {kind}: {'; '.join(wrong)}.")
    converted = {name: convert(name, weights[names[name]]) for name in expected}
    for name, place in expected.items():
        if converted[name].shape != place.shape:
            raise ValueError(
                f"these are not the weights of {kind}: {_both(names, name)} has shape "
                f"{tuple(converted[name].shape)}, expected {tuple(place.shape)}."
            )
    model.load_state_dict(converted, assign=assign)


def with_parts(name: str, parts: Mapping[str, str]) -> str:
    """Return the name of a weight with each of ``parts`` replaced by its value, in their order."""
    for ours, theirs in parts.items():
        name = name.replace(ours, theirs)
    return name


def read_sizes(settings: Mapping[str, Any], only: Mapping[str, Any], *, eps: str) -> dict[str, Any]:
    """Return what a ``config.json`` says of sizes, and its ``eps``, by names of ``ModelConfig``.

    Raises:
        ValueError: one is missing or no size, or a setting has another value than in ``only``.
    """
    if missing := sorted({*_SIZES.values(), eps} - settings.keys()):
        raise ValueError(f"the settings lack {missing}; expected those of a config.json.")
    arguments.check_sizes(**{name: settings[name] for name in _SIZES.values()})
    refuse_others(settings, only)
    return {ours: settings[theirs] for ours, theirs in _SIZES.items()} | {"eps": settings[eps]}


def refuse_others(settings: Mapping[str, Any], only: Mapping[str, Any]) -> None:
    """Raise a ValueError where a setting is there and has another value than in ``only``."""
    for name, value in only.items():
        if settings.get(name, value) != value:
            given = f"{name}={settings[name]!r}"
            raise ValueError(f"{given}; these layers can do {name}={value!r} alone.")


def _both(names: Mapping[str, str], name: str) -> str:
    return name if names[name] == name else f"{names[name]} (here {name})"


def _some(what: str, names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{what} {', '.join(names[:3])}{more}"
