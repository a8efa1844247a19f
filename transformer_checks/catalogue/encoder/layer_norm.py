"""encoder.layer_norm: every token by itself, over its own numbers."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy, uneven
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0, around: float = 0.0
    ) -> dict[str, Value]:
        return {"x": around + spread * draw(generator, *shape),
                "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
                "bias": 0.5 + draw(generator, shape[-1]).abs(), "eps": eps}

    def of_many_sizes() -> dict[str, Value]:
        gain, bias = (uneven(generator, 18, 1)[:, 0] for _ in range(2))
        x = uneven(generator, 20, 18)
        x[0, 0] = 0.0
        # The bias is large where the gain is not, or a small one would not show.
        return {"x": x, "gain": gain, "bias": bias.flip(0), "eps": 2.0}

    plain = inputs(tidy, (1, 4), 1e-5) | {"gain": torch.ones(4), "bias": torch.zeros(4)}
    flat = inputs(tidy, (2, 4), 1e-5)
    flat["x"] = torch.tensor([[3.0, 3.0, 3.0, 3.0], [1.0, 2.0, 3.0, 6.0]])
    far = inputs(normal, (2, 3, 12), 1e-5)
    assert isinstance(far["x"], torch.Tensor)
    far["x"][0, 1, 2] = 100.0  # more than three standard deviations from the mean
    split = inputs(normal, (2, 4, 3, 6), 0.1)
    assert isinstance(split["x"], torch.Tensor)
    split["x"] = split["x"].transpose(1, 2)
    return [
        Case("one token of width 4, gain 1, bias 0", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token whose numbers are all the same, with gradients", flat, gradients=True),
        Case("numbers that hardly differ, eps 0.2", inputs(normal, (3, 6), 0.2, spread=0.1)),
        Case("numbers around 200", inputs(normal, (6, 8), 1e-5, around=200.0)),
        Case("batch 2, 3 tokens, one number far out", far),
        Case("batch 2, heads 3, 4 tokens, width 6, not contiguous", split),
        Case("gradients", inputs(normal, (2, 3, 5), 0.1), gradients=True),
        Case("numbers near zero, eps 0.00001", inputs(normal, (3, 6), 1e-5, spread=0.01)),
        Case("batch 1, one head, 2 tokens, width 4", inputs(normal, (1, 1, 2, 4), 0.1)),
        Case("batch 3, 2 heads, 2 tokens, width 4", inputs(normal, (3, 2, 2, 4), 0.1)),
        Case("20 tokens of width 18, eps 2: numbers, gains and biases of many sizes",
             of_many_sizes()),
        Case("numbers near zero, eps 0", inputs(normal, (3, 6), 0.0, spread=0.01)),
        Case("2 tokens of width 1", inputs(tidy, (2, 1), 0.1)),
        Case("a token of zeros", inputs(tidy, (3, 4), 0.1) | {"x": gapped(generator, 3, 4)}),
    ]


_MEAN = "x.mean(dim=-1, keepdim=True)"
_VARIANCE = "centred.square().mean(dim=-1, keepdim=True)"
_DEVIATION = "torch.sqrt(variance + eps)"

CHECK = Check(
    name="encoder.layer_norm", lesson="05_encoder", title="Layer norm",
    answer="layer_norm", returns=("output",), draw=_draw,
    points=2, difficulty=2, importance=5, minutes=12, forbidden=frozenset({"norm"}),
    atol=2e-4,  # around 500, float32 leaves a mean that is right to 2e-5
    slips=(
        Slip("unbiased variance", {_VARIANCE: "x.var(dim=-1, keepdim=True)"},
             "the variance is the unbiased one: the sum of squares is divided by d - 1",
             "Layer norm describes these d numbers and estimates nothing beyond them. "
             "What is the sum divided by?"),
        Slip("eps outside the root", {_DEVIATION: "(torch.sqrt(variance) + eps)"},
             "`eps` is added to the standard deviation, outside the root",
             "At eps = 1e-5 nobody sees it, at 0.1 everybody does. What stands under the root?"),
        Slip("unbiased, and eps outside", {
                 _VARIANCE: "x.var(dim=-1, keepdim=True)",
                 _DEVIATION: "(torch.sqrt(variance) + eps)",
             },
             "there are two slips in one widely copied line: "
             "the standard deviation is the unbiased one, and eps stands outside the root",
             "Write the variance yourself, with a mean of squares; add eps; take the root."),
        Slip("eps missing", {" + eps": ""},
             "`eps` is not used: a token whose numbers are all the same gives 0/0",
             "Where must eps stand to keep the root away from zero?"),
        Slip("a fixed eps", {"+ eps": "+ 1e-5"},
             "`eps` is a fixed small number, whatever is asked for", "Use the argument."),
        Slip("eps as a floor", {"variance + eps": "variance.clamp(min=eps)"},
             "the variance is clamped at eps; eps should be added to it",
             "At eps = 1e-5 nobody sees it, at 0.1 everybody does. What stands under the root?"),
        Slip("eps as a floor of the deviation", {_DEVIATION: "torch.sqrt(variance).clamp(min=eps)"},
             "the standard deviation is clamped at eps; eps should be added to the variance",
             "At eps = 1e-5 nobody sees it, at 0.1 everybody does. What stands under the root?"),
        Slip("over the tokens", {"dim=-1": "dim=-2"},
             "each column is normalised over the tokens: a token now depends on its neighbours",
             "Change one token. Which rows of the output may change?"),
        Slip("over the last two axes", {"dim=-1": "dim=(-2, -1)"},
             "one mean and one variance serve a whole sentence",
             "Each token has a mean and a variance of its own."),
        families.gain_forgotten({" * gain": ""}),
        Slip("mean not subtracted", {"return centred": "return x"},
             "the numbers are divided by their spread, but their mean was never subtracted",
             "What is the mean of a normalised token?"),
        Slip("the mean left in", {f"x - {_MEAN}": "x"},
             "no mean is subtracted: that is an RMS norm with a bias",
             "What is the mean of a normalised token?"),
        Slip("the median subtracted", {_MEAN: "x.median(dim=-1, keepdim=True).values"},
             "the median is subtracted, not the mean", "What is the mean of a normalised token?"),
    ),
)
