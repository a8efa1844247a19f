"""Export models, forward and one cached step, in a process of its own (see test_graphs).

What is exported is a graph without Python: nothing in ``forward`` may hang on a tensor's values.
"""

from typing import Any

import torch
from torch import Tensor, nn

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

SOURCE = torch.tensor([[3, 4, 5, 0], [6, 7, 0, 0]])
TARGET = torch.tensor([[1, 2, 3], [0, 4, 5]])
NEW = torch.tensor([[4], [6]])
Kept = list[tuple[Tensor, Tensor]]
CASES: tuple[tuple[Any, Any], ...] = (
    (EncoderOnly, "learned"),
    (DecoderOnly, "rotary"),
    (EncoderDecoder, "sinusoidal"),
)


class CachedStep(nn.Module):
    """One step of a decoder whose cache comes in and goes out as tensors."""

    def __init__(self, model: DecoderOnly | EncoderDecoder) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, new: Tensor, seen: Tensor, kept: Kept, source: Tensor, memory: Tensor
    ) -> tuple[Tensor, Kept]:
        """Return the logits of what follows, and all keys and values."""
        cache = KeyValueCache(len(kept))
        cache.read(seen)
        for layer, (key, value) in zip(cache.layers, kept, strict=True):
            layer.self_attention.append(key, value)
        if isinstance(self.model, EncoderDecoder):
            logits = self.model.decode(new, memory, source, cache)
        else:
            logits = self.model(new, cache)
        return logits, [
            (each.self_attention.key, each.self_attention.value) for each in cache.layers
        ]


def kept_after(model: DecoderOnly | EncoderDecoder, memory: Tensor) -> Kept:
    """The keys and values after ``TARGET``."""
    cache = KeyValueCache(2)
    if isinstance(model, EncoderDecoder):
        model.decode(TARGET, memory, SOURCE, cache)
    else:
        model(TARGET, cache)
    return [(each.self_attention.key, each.self_attention.value) for each in cache.layers]


@torch.no_grad()
def main() -> None:
    """Print the name of each model whose exported graph gives the usual logits."""
    for kind, positions in CASES:
        config = ModelConfig(
            10, 8, 2, 2, 16, positions=positions, padding_id=0, num_kv_heads=1, bias=False
        )
        model = kind(config, generator=seeded(0)).eval()
        texts = (SOURCE, TARGET) if kind is EncoderDecoder else (SOURCE,)
        exported = torch.export.export(model, texts).module()
        torch.testing.assert_close(exported(*texts), model(*texts))
        print(f"{kind.__name__} forward")
        if not isinstance(model, DecoderOnly | EncoderDecoder):
            continue
        memory = model.encode(SOURCE) if isinstance(model, EncoderDecoder) else torch.empty(0)
        step = CachedStep(model)
        given = (NEW, TARGET, kept_after(model, memory), SOURCE, memory)
        expected, kept = step(*given)
        both = (
            torch.export.export(step, given).module(),
            torch.compile(step, fullgraph=True, backend="eager"),
        )
        for program in both:
            logits, after = program(*given)
            torch.testing.assert_close(logits, expected)
            torch.testing.assert_close(after, kept)
        whole = torch.cat([TARGET, NEW], dim=1)
        texts = (SOURCE, whole) if isinstance(model, EncoderDecoder) else (whole,)
        torch.testing.assert_close(expected[:, -1], model(*texts)[:, -1])
        print(f"{kind.__name__} one cached step")
    print("all")


if __name__ == "__main__":
    main()
