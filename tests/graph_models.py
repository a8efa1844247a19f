"""Compile and export models whole, in a process of its own (see test_graphs).

A graph is whole, and can be exported, if ``forward`` decides nothing by the values of a tensor:
whoever adds a check of values to a layer is told here. It takes texts of any number and length.
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
# Each kind, each way of attention and each kind of positions at least once.
COMPILED: tuple[tuple[Any, Any, Any], ...] = (
    (EncoderOnly, "reference", "learned"),
    (DecoderOnly, "fused", "relative"),
    (DecoderOnly, "flash", "rotary"),
    (EncoderDecoder, "fused", "sinusoidal"),
    (EncoderDecoder, "reference", "alibi"),
)
YOUNGER: tuple[dict[str, Any], ...] = (
    {"window": 3, "full_every": 2, "attention_softcap": 5.0, "d_head": 6, "norm": "both"},
    {"num_experts": 3, "expert_capacity": 1.0, "logit_softcap": 5.0},
)
STEPS = 12  # more than the compiler would compile again for
EXPORTED: tuple[tuple[Any, Any], ...] = (
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


def compile_all() -> None:
    """Compare the logits of compiled models with the usual ones, forward and step by step.

    With a default device, by which the compiler sees every call through one layer more.
    """
    torch.set_default_device("cpu")
    for kind, attention, positions in COMPILED:
        config = ModelConfig(10, 8, 2, 1, 16, attention=attention, positions=positions)
        model = kind(config, generator=seeded(0))
        texts = (SOURCE, TARGET) if kind is EncoderDecoder else (SOURCE,)
        compiled = torch.compile(model, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(*texts), model(*texts))
    for changes in YOUNGER:
        experts = "num_experts" in changes  # each of which takes as many tokens as choose it
        torch._dynamo.config.capture_dynamic_output_shape_ops = experts
        younger = DecoderOnly(ModelConfig(10, 8, 2, 2, 16, **changes), generator=seeded(0))
        compiled = torch.compile(younger, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(LONGER), younger(LONGER))
    for writer in (DecoderOnly, EncoderDecoder):
        write(writer)


@torch.no_grad()
def write(kind: type[DecoderOnly] | type[EncoderDecoder]) -> None:
    """Read a text token by token, in one graph for all lengths of the cache."""
    config = ModelConfig(10, 8, 2, 1, 16, padding_id=0, num_kv_heads=1)
    model, cache = kind(config, generator=seeded(0)).eval(), KeyValueCache(1)
    text = torch.randint(1, 10, (2, STEPS), generator=seeded(1))
    if isinstance(model, EncoderDecoder):
        step: Any = torch.compile(model.decode, fullgraph=True, backend="eager")
        given: tuple[Any, ...] = (model.encode(SOURCE), SOURCE)
        expected = model(SOURCE, text)
    else:
        step, given = torch.compile(model, fullgraph=True, backend="eager"), ()
        expected = model(text)
    logits = [step(text[:, i : i + 1], *given, cache) for i in range(STEPS)]
    torch.testing.assert_close(torch.cat(logits, dim=1), expected)


@torch.no_grad()
def export_all() -> None:
    """Compare the logits of exported models with the usual ones, forward and one cached step."""
    for kind, positions in EXPORTED:
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


if __name__ == "__main__":
    compile_all()
    export_all()
    print("all")
