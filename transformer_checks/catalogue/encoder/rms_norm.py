"""encoder.rms_norm: layer norm without its mean and its bias."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0
    ) -> dict[str, Value]:
        return {
            "x": spread * (0.5 + draw(generator, *shape)),
            "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
            "eps": eps,
        }

    plain = inputs(tidy, (1, 4), 1e-5) | {"gain": torch.ones(4)}
    zero = inputs(tidy, (2, 4), 1e-5)
    zero["x"] = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 3.0, 5.0]])
    far = inputs(normal, (2, 3, 12), 1e-5)
    assert isinstance(far["x"], torch.Tensor)
    far["x"][0, 1, 2] = 100.0  # more than three times the root mean square
    return [
        Case("one token of width 4, gain 1", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token of zeros, with gradients", zero, gradients=True),
        Case("small numbers, eps 0.01", inputs(normal, (3, 6), 0.01, spread=0.05)),
        Case("batch 2, 3 tokens, one number far out", far),
        Case("numbers near zero, eps 0.00001", inputs(normal, (3, 6), 1e-5, spread=0.01)),
        Case("numbers near zero, eps 0", inputs(normal, (3, 6), 0.0, spread=0.01)),
        *ordinary(generator, given={"eps": 0.1}, turned=True, x="... width", gain="width"),
    ]


CHECK = Check(
    name="encoder.rms_norm",
    lesson="05_encoder",
    title="RMS norm",
    answer="rms_norm",
    returns=("output",),
    draw=_draw,
    points=1,
    difficulty=1,
    importance=4,
    minutes=6,
    forbidden=frozenset({"norm"}),
)
