"""encoder.parameters: where the parameters of a block are."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(d_model: int, num_heads: int, d_ff: int, gated: bool) -> dict[str, Value]:
        return {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "gated": gated}

    d_head, d_ff = torch.randint(3, 40, (2,), generator=generator).tolist()
    return [
        Case("d_model 4, 2 heads, d_ff 6", inputs(4, 2, 6, False)),
        Case("d_model 4, 2 heads, d_ff 6, gated", inputs(4, 2, 6, True)),
        Case("d_model 6, 3 heads, d_ff 5", inputs(6, 3, 5, False)),
        Case("the paper's block", inputs(512, 8, 2048, False)),
        Case("odd sizes, gated", inputs(5 * d_head, 5, d_ff, True)),
        Case("one head, gated", inputs(7, 1, 3, True)),
        Case("odd sizes", inputs(3 * d_head, 3, d_ff, False)),
        # Counted in floats, these come out just below the whole number.
        Case("d_model 42, 3 heads, d_ff 11", inputs(42, 3, 11, False)),
    ]


_ATTENTION = "4 * (d_model * d_model + d_model)"
_DOWN = "d_ff * d_model + d_model"

CHECK = Check(
    name="encoder.parameters", lesson="05_encoder", title="Count the parameters of a block",
    answer="block_parameters", returns=("attention", "feed_forward", "norms", "total"), draw=_draw,
    points=1, difficulty=2, importance=3, minutes=8,
    rtol=0.0,  # a count is right or wrong
    slips=(
        Slip("biases forgotten", {" + d_model": "", " + d_ff\n": "\n"}, "the biases are missing",
             "A linear layer from a to b numbers has a · b weights. And?"),
        Slip("times the number of heads", {_ATTENTION: f"num_heads * {_ATTENTION}"},
             "the attention is counted once for each head",
             "Each head is d_model / num_heads wide: together they are as wide as one."),
        Slip("no output projection", {"4 * (": "3 * ("}, "the attention has a fourth matrix",
             "What mixes the heads after they are put side by side?"),
        Slip("half a feed-forward", {f" + {_DOWN}": ""},
             "the feed-forward goes up and never comes down",
             "What comes out must be d_model wide again."),
        Slip("the same bias twice", {_DOWN: "d_ff * d_model + d_ff"},
             "every bias of the feed-forward is counted as d_ff wide",
             "A bias is as wide as what comes *out* of its layer. How wide is that of `down`?"),
        Slip("gate forgotten", {"2 * up if gated else up": "up"}, "the gate is not counted",
             "A gated feed-forward has three linear layers."),
        Slip("gate always counted", {"2 * up if gated else up": "2 * up"},
             "a gate is counted where there is none", "Look at `gated`."),
        Slip("gate without bias", {"2 * up": "2 * up - d_ff"}, "the gate's bias is missing",
             "It is a linear layer like `up`."),
        Slip("two thirds of d_ff with a gate", {
                 "    up =": "    d_ff = 2 * d_ff // 3 if gated else d_ff\n    up =",
             },
             "with a gate two thirds of d_ff are counted, as LLaMA chooses it",
             "d_ff is the width inside, with a gate too."),
    ),
)
