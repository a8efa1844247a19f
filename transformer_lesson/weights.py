"""Put weights from elsewhere into a model, and give a model fewer heads of keys and values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from torch import Tensor, nn

from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly
from transformer_lesson.validation import arguments

Model = TypeVar("Model", DecoderOnly, EncoderDecoder, EncoderOnly)


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


def _both(names: Mapping[str, str], name: str) -> str:
    return name if names[name] == name else f"{names[name]} (here {name})"


def _some(what: str, names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{what} {', '.join(names[:3])}{more}"


def grouped(model: Model, num_kv_heads: int) -> Model:
    """Return a copy of ``model`` in which heads share keys and values.

    Each shared head is the mean of those that it replaces (Ainslie et al. 2023, section 2.1); a
    little more training then makes up for most of the loss.

    Raises:
        ValueError: ``num_kv_heads`` does not divide the number of key heads that there are.
    """
    heads, d_head = model.config.key_heads, model.config.d_model // model.config.num_heads
    arguments.check_grouped(heads, num_kv_heads)
    weights = model.state_dict()
    for name, weight in weights.items():
        if ".key_projection." in name or ".value_projection." in name:
            each = weight.unflatten(0, (num_kv_heads, heads // num_kv_heads, d_head))
            weights[name] = each.mean(1).flatten(0, 1)
    some = next(model.parameters())
    copy = type(model)(
        replace(model.config, num_kv_heads=num_kv_heads), device=some.device, dtype=some.dtype
    )
    copy.load_state_dict(weights)
    return copy.train(model.training)
