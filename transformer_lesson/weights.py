"""Put weights from elsewhere into a model, and give a model fewer heads of keys and values."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from torch import Tensor, nn

from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly
from transformer_lesson.validation import arguments

Model = TypeVar("Model", DecoderOnly, EncoderDecoder, EncoderOnly)


def put_weights(
    model: nn.Module, weights: Mapping[str, Tensor], kind: str, *, assign: bool = False
) -> None:
    """Put ``weights``, by the model's own names, into ``model``.

    Args:
        model: whose weights are replaced.
        weights: all of them, and no others.
        kind: what the weights should be, for the error: "a GPT-2".
        assign: take the tensors themselves, of whatever dtype, instead of copies.

    Raises:
        ValueError: a weight is missing, unknown, or of another shape; they are named.
    """
    expected = model.state_dict()
    missing, unknown = sorted(expected.keys() - weights), sorted(weights.keys() - expected.keys())
    if missing or unknown:
        raise ValueError(
            f"these are not the weights of {kind}: missing {missing[:3]}, unknown {unknown[:3]}."
        )
    for name, place in expected.items():
        if weights[name].shape != place.shape:
            raise ValueError(
                f"these are not the weights of {kind}: {name} has shape "
                f"{tuple(weights[name].shape)}, expected {tuple(place.shape)}."
            )
    model.load_state_dict(weights, assign=assign)


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
