"""Export models, forward and one cached step, in a process of its own (see test_graphs).

What is exported is a graph without Python: nothing in ``forward`` may hang on a tensor's values. It
takes texts of any number and length.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

SOURCE = torch.tensor([[3, 4, 5, 0], [6, 7, 0, 0]])
TARGET = torch.tensor([[1, 2, 3], [0, 4, 5]])
NEW = torch.tensor([[4], [6]])
# More texts, which are longer; the last one begins with padding.
LONGER = torch.tensor([[3, 4, 5, 6, 7, 1, 2], [6, 7, 0, 0, 0, 0, 0], [0, 0, 1, 2, 3, 4, 5]])
ANY = {0: Dim.AUTO, 1: Dim.AUTO}
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
        shapes = tuple(ANY for _ in texts)
        exported = torch.export.export(model, texts, dynamic_shapes=shapes).module()
        longer = (LONGER, LONGER.flip(0))[: len(texts)]
        for each in (texts, longer):
            torch.testing.assert_close(exported(*each), model(*each))
        print(f"{kind.__name__} forward")
        if not isinstance(model, DecoderOnly | EncoderDecoder):
            continue
        memory = model.encode(SOURCE) if isinstance(model, EncoderDecoder) else torch.empty(0)
        step = CachedStep(model)
        given = (NEW, TARGET, kept_after(model, memory), SOURCE, memory)
        expected, kept = step(*given)
        whole = torch.cat([TARGET, NEW], dim=1)
        growing: Any = ({}, {1: Dim.AUTO}, [({2: Dim.AUTO}, {2: Dim.AUTO})] * 2, {}, {})
        both = (
            torch.export.export(step, given, dynamic_shapes=growing).module(),
            torch.compile(step, fullgraph=True, backend="eager"),
        )
        for program in both:
            logits, after = program(*given)
            torch.testing.assert_close(logits, expected)
            torch.testing.assert_close(after, kept)
            longer = (NEW, whole, after, SOURCE, memory)
            torch.testing.assert_close(program(*longer), step(*longer))
        texts = (SOURCE, whole) if isinstance(model, EncoderDecoder) else (whole,)
        torch.testing.assert_close(expected[:, -1], model(*texts)[:, -1])
        print(f"{kind.__name__} one cached step")
    print("all")


if __name__ == "__main__":
    main()
