"""Compile models whole, in a process of its own: the compiler imports Triton (see test_graphs).

A graph is whole if ``forward`` decides nothing by the values of a tensor: whoever adds a check of
values to a layer is told here.
"""

from typing import Any

import torch

from transformer_lesson import seeded
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
SOURCE = torch.tensor([[3, 4, 5, 0], [6, 7, 0, 0]])
TARGET = torch.tensor([[1, 2, 3], [4, 5, 0]])


def main() -> None:
    """Print the name of each model whose compiled logits equal the usual ones."""
    for kind, attention, positions in CASES:
        config = ModelConfig(10, 8, 2, 1, 16, attention=attention, positions=positions)
        model = kind(config, generator=seeded(0))
        texts = (SOURCE, TARGET) if kind is EncoderDecoder else (SOURCE,)
        compiled = torch.compile(model, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(*texts), model(*texts))
        print(f"{kind.__name__} {attention} {positions}")


if __name__ == "__main__":
    main()
