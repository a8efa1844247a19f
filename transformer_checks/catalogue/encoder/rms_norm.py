"""encoder.rms_norm: layer norm without its mean and its bias."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0
    ) -> dict[str, Value]:
        return {"x": spread * (0.5 + draw(generator, *shape)),
                "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(), "eps": eps}

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
        Case("batch 3, 2 heads, 2 tokens, width 4", inputs(normal, (3, 2, 2, 4), 0.1)),
        Case("20 tokens of width 18, eps 2: numbers and gains of many sizes", of_many_sizes()),
        Case("numbers near zero, eps 0", inputs(normal, (3, 6), 0.0, spread=0.01)),
        Case("batch 2, heads 3, 4 tokens, width 6, not contiguous", turned),
    ]


_MEAN_SQUARE = "x.square().mean(dim=-1, keepdim=True)"
_ROOT = "torch.sqrt(mean_square + eps)"

CHECK = Check(
    name="encoder.rms_norm", lesson="05_encoder", title="RMS norm",
    answer="rms_norm", returns=("output",), draw=_draw,
    points=1, difficulty=1, importance=4, minutes=6, forbidden=frozenset({"norm"}),
    slips=(
        Slip("mean subtracted",
             {"    mean_square": "    x = x - x.mean(dim=-1, keepdim=True)\n    mean_square"},
             "the mean is subtracted: that is a layer norm without its bias",
             "What makes RMS norm cheaper than layer norm is what it leaves out."),
        Slip("divided by the standard deviation",
             {_MEAN_SQUARE: "x.var(dim=-1, keepdim=True, correction=0)"},
             "the divisor is the standard deviation: a mean was subtracted under the root",
             "Root, mean, square: read the name from right to left."),
        families.gain_forgotten({" * gain": ""}),
        Slip("one plus the gain", {"* gain": "* (1 + gain)"},
             "the factor is 1 + gain: "
             "some models store their gain that way, this exercise does not",
             "A gain of 1 must leave the normalised numbers as they are."),
        Slip("length instead of root mean square", {".mean(": ".sum("},
             "each token is divided by its length: the squares are summed, not averaged",
             "The root mean square of the result should be 1, whatever the width."),
        Slip("divided by the mean square", {"torch.sqrt": ""}, "the root is missing",
             "Twice the input must give the same output. Does it?"),
        Slip("eps outside the root", {_ROOT: "(torch.sqrt(mean_square) + eps)"},
             "`eps` is added to the root mean square, outside the root",
             "At eps = 1e-5 nobody sees it, at 0.1 everybody does. What stands under the root?"),
        Slip("eps missing", {" + eps": ""}, "`eps` is not used: a token of zeros gives 0/0",
             "Where must eps stand to keep the root away from zero?"),
        Slip("over the tokens", {"dim=-1": "dim=-2"},
             "the mean of the squares runs over the tokens",
             "Each token is normalised over its own numbers. Which axis holds them?"),
        Slip("over the first axis", {"dim=-1": "dim=0"},
             "the mean of the squares runs over the first axis",
             "Count axes from the end: the numbers of a token are always the last."),
    ),
)
