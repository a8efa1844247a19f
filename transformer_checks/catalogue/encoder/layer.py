"""encoder.layer: attention and feed-forward on a residual path, with the norms in two places."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, some, tidy, uneven
from transformer_checks.catalogue.encoder.layer_weights import layer_weights

_SILENT = {
    "attention": ("self_attention.output_projection",),
    "feed-forward": ("feed_forward.down",),
    "both": ("self_attention.output_projection", "feed_forward.down"),
}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        norm: str,
        x: tuple[int, ...] = (1, 2, 4),
        heads: int = 2,
        silent: str = "",
        mask: Tensor | None = None,
        *,
        wider: int = 2,
        gradients: bool = False,
        training: bool = False,
    ) -> Case:
        d_ff = x[-1] + wider
        config: dict[str, Value] = {
            "d_model": x[-1],
            "num_heads": heads,
            "d_ff": d_ff,
            "norm": norm,
        }
        weights = layer_weights(generator, x[-1], d_ff)
        for part in _SILENT.get(silent, ()):
            weights[f"{part}.weight"] = torch.zeros_like(weights[f"{part}.weight"])
            weights[f"{part}.bias"] = torch.zeros_like(weights[f"{part}.bias"])
        draw = tidy if x[0] == 1 else normal
        # Tokens are not normalised: large, and not around 0.
        inputs: dict[str, Value] = {"x": 1 + 2 * draw(generator, *x), "mask": mask}
        build = Build(config, weights, training)
        return Case(f"{norm}-norm, {label}", inputs, gradients, build)

    def of_many_sizes() -> Case:
        mask = some(generator, 20, 20)
        drawn = case("18 heads, 20 tokens of many sizes", "pre", (1, 20, 36), 18)
        return replace(drawn, inputs={"x": uneven(generator, 1, 20, 36), "mask": mask})

    padding = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    padding[1, ..., 3:] = False
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    batch = (2, 5, 6)
    return [
        case("both parts add nothing", "pre", silent="both"),
        case("both parts add nothing", "post", silent="both"),
        case("attention adds nothing", "pre", silent="attention"),
        case("feed-forward adds nothing", "pre", silent="feed-forward"),
        case("2 tokens of width 4", "pre"),
        case("2 tokens of width 4", "post"),
        case("batch 2, 3 heads, padding hidden", "pre", batch, 3, mask=padding),
        case("batch 2, 3 heads, a causal mask", "post", batch, 3, mask=causal),
        case("gradients", "pre", batch, 3, gradients=True),
        case("gradients", "post", batch, 3, gradients=True),
        case("one head, d_ff 3, a causal mask", "pre", heads=1, wider=-1, mask=causal[:2, :2]),
        case("a mask for each head", "post", batch, 3, mask=some(generator, 2, 3, 5, 5)),
        case("3 sentences of one token", "pre", (3, 1, 6), 6, mask=torch.ones(1, 1).bool()),
        case("a mask for each of 2 heads", "post", mask=some(generator, 1, 2, 2, 2)),
        case("3 sentences, padded", "post", (3, 2, 4), mask=some(generator, 3, 1, 1, 2)),
        case("training mode", "pre", mask=causal[:2, :2], training=True),
        case("training mode", "post", mask=causal[:2, :2], training=True),
        of_many_sizes(),
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
