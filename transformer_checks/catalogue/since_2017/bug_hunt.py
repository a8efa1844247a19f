"""modern.bug_hunt: a block as it is published today, with five mistakes that run."""

from functools import partial

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import half, moderate, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {
    "x": "batch tokens d_model",
    "positions": "<40 tokens",
    "w_query": "-d_model key_heads*shared*pairs*2",
    "w_key": "-d_model key_heads*pairs*2",
    "w_value": "-d_model key_heads*pairs*2",
    "w_output": "key_heads*shared*pairs*2 d_model",
    "w_gate": "-d_model d_ff",
    "w_up": "-d_model d_ff",
    "w_down": "d_ff d_model",
    "scales": "2 +d_model",
    "d_head": "=pairs*2",
}


def _draw(generator: Generator) -> list[Case]:
    inputs = partial(inputs_of, generator, AXES)
    # Batch, tokens, d_model, key heads, heads that share one, pairs of columns, d_ff.
    large, silent, deaf = (inputs(half, 2, 4, 6, 2, 2, 1, 9) for _ in range(3))
    large["w_query"] *= 30
    silent["w_output"] *= 0
    deaf["w_down"] *= 0
    cases = {
        "one token, one head": inputs(tidy, 1, 1, 4, 1, 1, 1, 7),
        "three tokens, four heads, two key heads": inputs(tidy, 1, 3, 4, 2, 2, 1, 7),
        "heads wider than d_model, eps 0.25": inputs(normal, 2, 5, 5, 2, 2, 3, 8) | {"eps": 0.25},
        "scores in the hundreds": large,
        "the attention silent": silent,
        "the feed-forward silent": deaf,
    }
    return [
        *(Case(label, {**given, "eps": given.get("eps", 1e-5)}) for label, given in cases.items()),
        *ordinary(generator, moderate, axes=AXES, given={"eps": 1e-5}),
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
