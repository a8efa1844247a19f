"""encoder.rms_norm: layer norm without its mean and its bias."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0
    ) -> dict[str, Value]:
        return {
            "x": spread * (0.5 + draw(generator, *shape)),
            "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
            "eps": eps,
        }

    def of_many_sizes() -> dict[str, Value]:
        gain = uneven(generator, 18, 1)[:, 0]
        return {"x": uneven(generator, 20, 18), "gain": gain, "eps": 2.0}

    plain = inputs(tidy, (1, 4), 1e-5) | {"gain": torch.ones(4)}
    zero = inputs(tidy, (2, 4), 1e-5)
    zero["x"] = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 3.0, 5.0]])
    far = inputs(normal, (2, 3, 12), 1e-5)
    assert isinstance(far["x"], torch.Tensor)
    far["x"][0, 1, 2] = 100.0  # more than three times the root mean square
    turned = inputs(normal, (4, 3, 2, 6), 0.1)
    assert isinstance(turned["x"], torch.Tensor)
    turned["x"] = turned["x"].transpose(0, 2)
    return [
        Case("one token of width 4, gain 1", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token of zeros, with gradients", zero, gradients=True),
        Case("small numbers, eps 0.01", inputs(normal, (3, 6), 0.01, spread=0.05)),
        Case("batch 2, 3 tokens, one number far out", far),
        Case("gradients", inputs(normal, (2, 3, 5), 0.1), gradients=True),
        Case("numbers near zero, eps 0.00001", inputs(normal, (3, 6), 1e-5, spread=0.01)),
        Case("batch 1, one head, one token, width 4", inputs(normal, (1, 1, 1, 4), 0.1)),
        Case("batch 3, 2 heads, 2 tokens, width 1", inputs(normal, (3, 2, 2, 1), 0.1)),
        Case("20 tokens of width 18, eps 2: numbers and gains of many sizes", of_many_sizes()),
        Case("numbers near zero, eps 0", inputs(normal, (3, 6), 0.0, spread=0.01)),
        Case("batch 2, heads 3, 4 tokens, width 6, not contiguous", turned),
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
