"""Read the attention weights out of a model while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from transformer_lesson.attention import MultiHeadAttention


@contextmanager
def recorded_weights(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Collect the attention weights of the last forward pass inside the block.

    Every attention computes by the reference path meanwhile, since the others return no weights.

    Yields:
        Weights ``(batch, heads, queries, keys)`` by the name of the attention in the model, such
        as ``"encoder.layers.0.self_attention"``, in the order of the layers.

    Raises:
        ValueError: the model holds no ``MultiHeadAttention``.
    """
    attentions = {n: m for n, m in model.named_modules() if isinstance(m, MultiHeadAttention)}
    if not attentions:
        raise ValueError(f"{type(model).__name__} holds no MultiHeadAttention to record.")
    weights: dict[str, Tensor] = {}

    def record(name: str) -> Callable[..., Any]:
        return lambda module, args, returned: weights.__setitem__(name, returned[1].detach())

    usual = {name: attention.attention for name, attention in attentions.items()}
    hooks = [m.register_forward_hook(record(name)) for name, m in attentions.items()]
    try:
        for attention in attentions.values():
            attention.attention = "reference"
        yield weights
    finally:
        for name, attention in attentions.items():
            attention.attention = usual[name]
        for hook in hooks:
            hook.remove()
