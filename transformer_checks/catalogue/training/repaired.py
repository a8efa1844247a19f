"""training.repaired: a layer that trains, and has four things wrong."""

import math

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import normal, spread, tidy, uneven


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
        case("three texts, six heads of width 1", 3, 4, 6, 6),
        case("two texts, three heads", 2, 7, 12, 3),
        case("gradients", 2, 3, 6, 2, gradients=True),
        case("two texts of one token", 2, 1, 4, 2),
        case("three texts of two tokens", 3, 2, 4, 2),
        large,
        case("one token of equal numbers, one of nearly equal ones", 1, 3, 4, 2),
    ]
    x = cases[-1].inputs["x"]
    assert isinstance(x, Tensor)
    x[0, 0] = 0.5
    x[0, 1] = 0.5 + (3 * x[0, 1]).round() / 1024  # exact, or the norm would blow up its rounding
    # Without attention the second norm, too, reads tokens of equal numbers.
    silent = {**cases[-1].inputs, "w_output": torch.zeros(4, 4)}
    return [*cases, Case("the same tokens, with w_output zero", silent), of_many_sizes()]


_RESIDUAL_REPAIRED = {
    "    x = norm(x)\n    x = x + attend(x)\n    x = norm(x)\n": "    x = x + attend(norm(x))\n",
    "return x + F.relu(x @ w_up)": "return x + F.relu(norm(x) @ w_up)",
}

CHECK = Check(
    name="training.repaired",
    lesson="07_training",
    title="Find the bugs that train",
    answer="repaired_layer",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=25,
    forbidden=frozenset({"attention"}),
    atol=1e-4,
    broken={"repaired_layer": "another", "trained_layer": "repaired_layer"},
    repairs=(
        Repair("each query's weights sum to one", {"softmax(dim=-2)": "softmax(dim=-1)"}),
        Repair(
            "the scores are divided by √d_head",
            {"math.sqrt(x.shape[-1])": "math.sqrt(query.shape[-1])"},
        ),
        Repair(
            "a norm reads one token, and moves no other",
            {"mean(1, keepdim=True)": "mean(-1, keepdim=True)"},
        ),
        Repair("with all weights zero, x comes out as it went in", _RESIDUAL_REPAIRED),
    ),
)
