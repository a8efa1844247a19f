"""encoder.layer_norm: every token by itself, over its own numbers."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0, around: float = 0.0
    ) -> dict[str, Value]:
        return {
            "x": around + spread * draw(generator, *shape),
            "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
            "bias": 0.5 + draw(generator, shape[-1]).abs(),
            "eps": eps,
        }

    plain = inputs(tidy, (1, 4), 1e-5) | {"gain": torch.ones(4), "bias": torch.zeros(4)}
    flat = inputs(tidy, (2, 4), 1e-5)
    flat["x"] = torch.tensor([[3.0, 3.0, 3.0, 3.0], [1.0, 2.0, 3.0, 6.0]])
    far = inputs(normal, (2, 3, 12), 1e-5)
    assert isinstance(far["x"], torch.Tensor)
    far["x"][0, 1, 2] = 100.0  # more than three standard deviations from the mean
    return [
        Case("one token of width 4, gain 1, bias 0", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token whose numbers are all the same, with gradients", flat, gradients=True),
        Case("numbers that hardly differ, eps 0.2", inputs(normal, (3, 6), 0.2, spread=0.1)),
        Case("numbers around 200", inputs(normal, (6, 8), 1e-5, around=200.0)),
        Case("batch 2, 3 tokens, one number far out", far),
        Case("numbers near zero, eps 0.00001", inputs(normal, (3, 6), 1e-5, spread=0.01)),
        Case("numbers near zero, eps 0", inputs(normal, (3, 6), 0.0, spread=0.01)),
        *ordinary(
            generator, given={"eps": 0.1}, turned=True, x="... width", gain="width", bias="width"
        ),
    ]


CHECK = Check(
    name="encoder.layer_norm",
    lesson="05_encoder",
    title="Layer norm",
    answer="layer_norm",
    returns=("output",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=12,
    forbidden=frozenset({"norm"}),
    atol=2e-4,  # around 500, float32 leaves a mean that is right to 2e-5
)
