"""encoder.layer: attention and feed-forward on a residual path, with the norms in two places."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.encoder.layer_weights import layer_weights
from transformer_checks.catalogue.ordinary import as_case, inputs_of, ordinary

_SILENT = {
    "attention": ("self_attention.output_projection",),
    "feed-forward": ("feed_forward.down",),
    "both": ("self_attention.output_projection", "feed_forward.down"),
}


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "x": "batch tokens heads*d_head",
        "mask": "bool batch heads tokens tokens",
        "d_model": "=heads*d_head",
        "num_heads": "=heads",
        "d_ff": "=d_ff",
    }

    def of_norm(norm: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return {"norm": norm, **layer_weights(generator, inputs["d_model"], inputs["d_ff"])}

    def case(
        label: str,
        norm: str,
        sizes: tuple[int, int, int, int, int] = (1, 2, 2, 2, 6),
        silent: str = "",
        mask: Tensor | None = None,
        *,
        gradients: bool = False,
        training: bool = False,
    ) -> Case:
        given = inputs_of(generator, axes, tidy if sizes[0] == 1 else normal, *sizes)
        given |= of_norm(norm, given) | {"mask": mask}
        if not gradients:  # which round more, the larger the scores are
            given["x"] = 1 + 2 * given["x"]  # tokens are not normalised: large, and not around 0
        for part in _SILENT.get(silent, ()):
            given |= {name: 0 * given[name] for name in (f"{part}.weight", f"{part}.bias")}
        return as_case(f"{norm}-norm, {label}", given, gradients=gradients, training=training)

    padding = torch.ones(2, 1, 1, 5).bool()
    padding[1, ..., 3:] = False
    causal = torch.ones(5, 5).bool().tril()
    batch = (2, 5, 3, 2, 8)
    return [
        case("both parts add nothing", "pre", silent="both"),
        case("both parts add nothing", "post", silent="both"),
        case("attention adds nothing", "pre", silent="attention"),
        case("feed-forward adds nothing", "pre", silent="feed-forward"),
        case("2 tokens of width 4", "pre"),
        case("2 tokens of width 4", "post"),
        case("batch 2, 3 heads, padding hidden", "pre", batch, mask=padding),
        case("batch 2, 3 heads, a causal mask", "post", batch, mask=causal),
        case("training mode", "pre", mask=causal[:2, :2], training=True),
        case("training mode", "post", mask=causal[:2, :2], training=True),
        case("gradients", "post", batch, gradients=True),
        *ordinary(generator, axes=axes, given=partial(of_norm, "pre"), prefix="pre-norm, "),
    ]


CHECK = Check(
    name="encoder.layer",
    lesson="05_encoder",
    title="An encoder layer, pre-norm and post-norm",
    answer="EncoderLayer",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
    forbidden=frozenset({"layer"}),
    allowed=("attention",),
    atol=1e-4,
)
