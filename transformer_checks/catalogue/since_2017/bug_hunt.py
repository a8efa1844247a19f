"""modern.bug_hunt: a block as it is published today, with five mistakes that run."""

import math

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import normal, spread, tidy, uneven

_READ = ("w_query", "w_key", "w_value", "w_gate", "w_up")  # what reads the normed tokens


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        batch: int,
        positions: list[int],
        d_model: int,
        heads: tuple[int, int],
        d_head: int = 2,
        eps: float = 1e-5,
        gradients: bool = False,
    ) -> Case:
        def matrix(rows: int, columns: int) -> Tensor:
            return 1.5 * normal(generator, rows, columns) / math.sqrt(rows)

        draw = tidy if batch == 1 else normal
        queries, keys = (number * d_head for number in heads)
        d_ff = d_model + 3
        return Case(
            label,
            {
                "x": 0.5 + 1.5 * draw(generator, batch, len(positions), d_model),
                "positions": torch.tensor(positions),
                "w_query": matrix(d_model, queries),
                "w_key": matrix(d_model, keys),
                "w_value": matrix(d_model, keys),
                "w_output": matrix(queries, d_model),
                "w_gate": matrix(d_model, d_ff),
                "w_up": matrix(d_model, d_ff),
                "w_down": matrix(d_ff, d_model),
                "scales": 1 + normal(generator, 2, d_model) / 4,
                "d_head": d_head,
                "eps": eps,
            },
            gradients,
        )

    def changed(drawn: Case, **factors: float | Tensor) -> Case:
        for name, by in factors.items():
            numbers = drawn.inputs[name]
            assert isinstance(numbers, Tensor)
            numbers.mul_(by)
        return drawn

    many = case("18 key heads, 20 tokens and scales of many sizes", 1, [*range(20)], 36, (18, 18))
    many = Case(many.label, {**many.inputs, "x": uneven(generator, 1, 20, 36)})
    sizes = spread(36)
    return [
        case("one token, one head", 1, [0], 4, (1, 1)),
        case("three tokens, two heads, one key head", 1, [0, 1, 2], 4, (2, 1)),
        case("three tokens, four heads, two key heads", 1, [0, 1, 2], 4, (4, 2)),
        case("two texts, six heads, three key heads", 2, [4, 5, 6, 7], 6, (6, 3), 4),
        case("as many key heads as heads, positions 5, 0, 9", 3, [5, 0, 9], 6, (3, 3)),
        case("heads wider than d_model, eps 0.25", 2, [0, 1, 2, 3, 4], 5, (4, 2), 6, 0.25),
        case("gradients", 2, [1, 2, 3], 6, (4, 2), gradients=True),
        case("two texts of two tokens", 2, [7, 8], 4, (4, 2)),
        changed(case("scores in the hundreds", 2, [0, 1, 2, 3], 6, (4, 2)), w_query=30.0),
        changed(case("the attention silent", 1, [0, 1, 2], 4, (4, 2)), w_output=0.0),
        changed(case("the feed-forward silent", 1, [0, 1, 2], 4, (4, 2)), w_down=0.0),
        changed(many, scales=sizes, **{name: 1 / sizes[:, None] for name in _READ}),
    ]


# Lines of the code with mistakes, and one that a mended block has.
DIVIDED = "y / (y.square().mean(-1, keepdim=True) + eps)"
HEADS = "(y @ w).unflatten(-1, (-1, d_head)).transpose(1, 2)"
PROJECTED = "for w in (w_query, w_key, w_value)\n        )\n"
TURN = "        query, key = rotate(query, positions), rotate(key, positions)\n"

CHECK = Check(
    name="modern.bug_hunt",
    lesson="11_since_2017",
    title="Bug hunt: a block of today",
    answer="mended_block",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=25,
    forbidden=frozenset({"attention"}),
    atol=1e-4,
    broken={"mended_block": "another", "published_block": "mended_block"},
    repairs=(
        Repair(
            "a token twice as long leaves the norm as it was",
            {DIVIDED: DIVIDED.replace("(y.square", "torch.sqrt(y.square")},
        ),
        Repair(
            "values do not turn with the positions",
            {
                f"rotate({HEADS}, positions)": HEADS,
                f"{PROJECTED}        shared": f"{PROJECTED}{TURN}        shared",
            },
        ),
        Repair(
            "neighbouring query heads share a key head",
            {"heads.repeat(1, shared, 1, 1)": "heads.repeat_interleave(shared, dim=1)"},
        ),
        Repair(
            "with all weights zero, x comes out as it went in",
            {"x = norm(x, scales[0])\n    x = x + attend(x)": "x = x + attend(norm(x, scales[0]))"},
        ),
        Repair(
            "SiLU acts on the gate alone",
            {"F.silu((y @ w_gate) * (y @ w_up))": "F.silu(y @ w_gate) * (y @ w_up)"},
        ),
    ),
)
