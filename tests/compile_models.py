"""Compile models whole, in a process of its own: the compiler imports Triton (see test_graphs).

A graph is whole if ``forward`` decides nothing by the values of a tensor: whoever adds a check of
values to a layer is told here.
"""

from typing import Any

import torch

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

# Each kind, each way of attention and each kind of positions at least once.
CASES: tuple[tuple[Any, Any, Any], ...] = (
    (EncoderOnly, "reference", "learned"),
    (DecoderOnly, "fused", "relative"),
    (DecoderOnly, "flash", "rotary"),
    (EncoderDecoder, "fused", "sinusoidal"),
    (EncoderDecoder, "reference", "alibi"),
)
STEPS = 12  # more than the compiler would compile again for
SOURCE = torch.tensor([[3, 4, 5, 0], [6, 7, 0, 0]])
TARGET = torch.tensor([[1, 2, 3], [4, 5, 0]])


def main() -> None:
    """Print the name of each model whose compiled logits equal the usual ones.

    With a default device, by which the compiler sees every call through one layer more.
    """
    torch.set_default_device("cpu")
    for kind, attention, positions in CASES:
        config = ModelConfig(10, 8, 2, 1, 16, attention=attention, positions=positions)
        model = kind(config, generator=seeded(0))
        texts = (SOURCE, TARGET) if kind is EncoderDecoder else (SOURCE,)
        compiled = torch.compile(model, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(*texts), model(*texts))
        print(f"{kind.__name__} {attention} {positions}")
    for writer in (DecoderOnly, EncoderDecoder):
        write(writer)
        print(f"{writer.__name__} {STEPS} cached steps")


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


if __name__ == "__main__":
    main()
