"""training.repaired: a layer that trains, and has four things wrong."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import normal, spread, tidy, uneven
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Repair, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, batch: int, length: int, d_model: int, heads: int, gradients: bool = False
    ) -> Case:
        def matrix(rows: int, columns: int) -> Tensor:
            return 1.5 * normal(generator, rows, columns) / math.sqrt(rows)

        draw = tidy if batch == 1 else normal
        square = {name: matrix(d_model, d_model) for name in ("query", "key", "value", "output")}
        inputs = {"x": 0.5 + 1.5 * draw(generator, batch, length, d_model)}
        inputs |= {f"w_{name}": weight for name, weight in square.items()}
        inputs |= {"w_up": matrix(d_model, d_model + 3), "w_down": matrix(d_model + 3, d_model)}
        return Case(label, {**inputs, "num_heads": heads}, gradients)

    def of_many_sizes() -> Case:
        drawn = case("18 heads, 20 tokens and columns of many sizes", 1, 20, 36, 18)
        for name, weight in drawn.inputs.items():
            if not isinstance(weight, Tensor) or name == "x":
                continue
            if name in ("w_output", "w_down"):  # they read what others have made of many sizes
                weight.div_(spread(len(weight))[:, None])
            else:
                weight.mul_(spread(weight.shape[1]) ** (-1 if name == "w_key" else 1))
            weight[0] = 0.0
        return Case(drawn.label, {**drawn.inputs, "x": uneven(generator, 1, 20, 36)})

    large = case("scores in the hundreds", 2, 4, 6, 2)
    assert isinstance(large.inputs["w_query"], Tensor)
    large.inputs["w_query"].mul_(30)
    cases = [
        case("one text of three tokens, one head", 1, 3, 4, 1),
        case("one text, two heads", 1, 5, 4, 2),
        case("three texts, two heads", 3, 4, 6, 2),
        case("two texts, three heads", 2, 7, 12, 3),
        case("gradients", 2, 3, 6, 2, gradients=True),
        case("two texts of one token", 2, 1, 4, 2),
        case("three texts of two tokens", 3, 2, 4, 2), large,
        case("one token of equal numbers, one of nearly equal ones", 1, 3, 4, 2),
    ]
    x = cases[-1].inputs["x"]
    assert isinstance(x, Tensor)
    x[0, 0] = 0.5
    x[0, 1] = 0.5 + (3 * x[0, 1]).round() / 1024  # exact, or the norm would blow up its rounding
    # Without attention the second norm, too, reads tokens of equal numbers.
    silent = {**cases[-1].inputs, "w_output": torch.zeros(4, 4)}
    return [*cases, Case("the same tokens, with w_output zero", silent), of_many_sizes()]


_SCALE = "math.sqrt(query.shape[-1])"
_SOFTMAX = "softmax(dim=-1)"
_MEAN = "mean(-1, keepdim=True)"
_RESIDUAL_REPAIRED = {
    "    x = norm(x)\n    x = x + attend(x)\n    x = norm(x)\n": "    x = x + attend(norm(x))\n",
    "return x + F.relu(x @ w_up)": "return x + F.relu(norm(x) @ w_up)",
}

CHECK = Check(
    name="training.repaired", lesson="07_training", title="Find the bugs that train",
    answer="repaired_layer", returns=("output",), draw=_draw,
    points=3, difficulty=4, importance=5, minutes=25, forbidden=frozenset({"attention"}), atol=1e-4,
    broken={"repaired_layer": "another", "trained_layer": "repaired_layer"},
    repairs=(
        Repair("each query's weights sum to one", {"softmax(dim=-2)": "softmax(dim=-1)"}),
        Repair("the scores are divided by √d_head",
               {"math.sqrt(x.shape[-1])": "math.sqrt(query.shape[-1])"}),
        Repair("a norm reads one token, and moves no other",
               {"mean(1, keepdim=True)": "mean(-1, keepdim=True)"}),
        Repair("with all weights zero, x comes out as it went in", _RESIDUAL_REPAIRED),
    ),
    slips=(
        Slip("unchanged", {
                 "x = x + attend(norm(x))":
                     "return trained_layer("
                     "x, w_query, w_key, w_value, w_output, w_up, w_down, num_heads)",
             },
             "all four are still there",
             "Row sums, one changed token, all parts set to zero, the divisor: four probes."),
        families.softmax_over_queries({_SOFTMAX: "softmax(dim=-2)"}),
        Slip("root of d_model", {_SCALE: "math.sqrt(x.shape[-1])"},
             "the scores are divided by √d_model: with more than one head that is too much",
             "How long are the vectors whose dot product you take?"),
        families.divided_by_d_head({_SCALE: "query.shape[-1]"}),
        Slip("not divided", {f" / {_SCALE}": ""}, "the scores are not divided at all",
             "The wrong root must go; the right one must come."),
        Slip("the second residual from the norm",
             {"    return x + F.relu(norm(x)": "    x = norm(x)\n    return x + F.relu(x"},
             "the feed-forward is added to the normalised tokens: what the attention left is lost",
             "The residual path carries x as the attention left it."),
        Slip("exponentials overflow",
             {f".{_SOFTMAX}": ".exp()",
              "(weights @ value)": "(weights / weights.sum(-1, keepdim=True) @ value)"},
             "the exponential of a large score is infinite",
             "Take the largest score of a row away first, or use PyTorch's softmax."),
        Slip("post-norm", {
                 "x + attend(norm(x))": "norm(x + attend(x))",
                 "x + F.relu(norm(x) @ w_up) @ w_down": "norm(x + F.relu(x @ w_up) @ w_down)",
             },
             "the norms stand behind the sums: that is a post-norm layer",
             "Pre-norm: x + part(norm(x))."),
        Slip("unbiased variance", {f"centred.square().{_MEAN}": "y.var(-1, keepdim=True)"},
             "the variance is divided by d - 1", "`var` does so unless you say `correction=0`."),
        Slip("heads merged without a transpose", {
                 "(weights @ value).transpose(1, 2).flatten(-2)":
                     "(weights @ value).reshape(x.shape)",
             },
             "the heads are merged without a transpose: tokens get numbers of other tokens",
             "(batch, heads, tokens, d_head): which axis must come next to d_head?"),
        Slip("GELU", {"F.relu": "F.gelu"}, "the activation is GELU; it was ReLU",
             "It was not among what is wrong."),
        families.softmax_over_heads({_SOFTMAX: "softmax(dim=1)"}),
        Slip("no residual around the feed-forward", {"return x + F": "return F"},
             "the feed-forward replaces its input instead of adding to it",
             "x + part(norm(x)), twice."),
        Slip("no activation", {"F.relu(norm(x) @ w_up)": "norm(x) @ w_up"},
             "the ReLU between the two matrices is gone", "It was not among what is wrong."),
        Slip("parts side by side",
             {"    x = x + attend(norm(x))\n    return x + F.relu(norm(x)":
                  "    y = norm(x)\n    x = x + attend(y)\n    return x + F.relu(y"},
             "the feed-forward reads what the attention read, not what it left",
             "Norm the stream anew for the second part."),
    ),
)
