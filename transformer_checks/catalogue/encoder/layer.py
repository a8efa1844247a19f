"""encoder.layer: attention and feed-forward on a residual path, with the norms in two places."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import normal, some, tidy, uneven
from transformer_checks.catalogue.encoder.layer_weights import (
    layer_weights,
    where_only_the_mask_matters,
)
from transformer_checks.checks.cases import Build, Case, Value
from transformer_checks.checks.exercise import Check, Slip

_SILENT = {"attention": ("self_attention.output_projection",),
           "feed-forward": ("feed_forward.down",),
           "both": ("self_attention.output_projection", "feed_forward.down")}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, norm: str, x: tuple[int, ...] = (1, 2, 4), heads: int = 2, silent: str = "",
        mask: Tensor | None = None, *, wider: int = 2, gradients: bool = False,
    ) -> Case:
        d_ff = x[-1] + wider
        config: dict[str, Value] = {
            "d_model": x[-1], "num_heads": heads, "d_ff": d_ff, "norm": norm,
        }
        weights = layer_weights(generator, x[-1], d_ff)
        for part in _SILENT.get(silent, ()):
            weights[f"{part}.weight"] = torch.zeros_like(weights[f"{part}.weight"])
            weights[f"{part}.bias"] = torch.zeros_like(weights[f"{part}.bias"])
        draw = tidy if x[0] == 1 else normal
        # Tokens are not normalised: large, and not around 0.
        inputs: dict[str, Value] = {"x": 1 + 2 * draw(generator, *x), "mask": mask}
        return Case(f"{norm}-norm, {label}", inputs, gradients, Build(config, weights))

    def training(norm: str) -> Case:
        x, mask, weights = where_only_the_mask_matters(generator)
        config: dict[str, Value] = {"d_model": 4, "num_heads": 2, "d_ff": 3, "norm": norm}
        build = Build(config, weights, training=True)
        return Case(f"{norm}-norm, training mode", {"x": x, "mask": mask}, build=build)

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
        case("3 sentences of one token", "pre", (3, 1, 6), 3, mask=torch.ones(1, 1).bool()),
        case("a mask for each of 2 heads", "post", mask=some(generator, 1, 2, 2, 2)),
        case("3 sentences, padded", "post", (3, 2, 4), mask=some(generator, 3, 1, 1, 2)),
        training("pre"), training("post"), of_many_sizes(),
    ]


_ATTENDED = "x + self.self_attention(y, mask=mask)[0]"
_FED = "x + self.feed_forward(self.feed_forward_norm(x))"

CHECK = Check(
    name="encoder.layer", lesson="05_encoder", title="An encoder layer, pre-norm and post-norm",
    answer="EncoderLayer", returns=("output",), draw=_draw,
    points=3, difficulty=4, importance=5, minutes=20, forbidden=frozenset({"layer"}),
    allowed=("attention",), atol=1e-4,
    slips=(
        Slip("pre and post swapped", {'self.norm == "pre"': 'self.norm == "post"'},
             "pre-norm and post-norm have changed places",
             "Pre-norm normalises what a part reads. Post-norm normalises the sum."),
        Slip("always pre-norm", {'self.norm == "pre"': "True"},
             'the layer is pre-norm, even where norm="post" was asked for',
             "The paper's layer ends in a norm. Which of your lines is the last?"),
        Slip("always post-norm", {'self.norm == "pre"': "False"},
             'the layer is post-norm, even where norm="pre" was asked for',
             "In a pre-norm layer whose parts add nothing, x comes out as it went in."),
        Slip("residual from the normalised input", {
                 "y = ": "y = x = ",
                 f"return {_FED}":
                     "x = self.feed_forward_norm(x)\n            return x + self.feed_forward(x)",
             },
             "the residual starts from norm(x), not from x: the input itself is lost",
             "In a pre-norm layer whose parts add nothing, x comes out as it went in. "
             "Do you assign norm(x) to x?"),
        Slip("no residual", {"x + ": ""}, "the input is never added: what a token was is lost",
             "Each part *adds* to its input."),
        Slip("one norm used twice", {"self.feed_forward_norm(": "self.self_attention_norm("},
             "the norm of the attention also serves the feed-forward; the other is never used",
             "Each part has a norm of its own, with a gain and a bias of its own."),
        Slip("norms in both places", {
                 'self.norm == "pre"': "False",
                 "self.self_attention(x, mask":
                     "self.self_attention(self.self_attention_norm(x), mask",
                 "self.feed_forward(x)": "self.feed_forward(self.feed_forward_norm(x))",
             },
             "each norm is applied twice: before the part and after the sum",
             "Once each; `norm` says where."),
        Slip("mask ignored", {"mask=mask": "mask=None"}, "the mask never reaches the attention",
             "MultiHeadAttention takes it as `mask=mask`."),
        Slip("mask in training mode only", {"mask=mask": "mask=mask if self.training else None"},
             "the mask has an effect in training mode only",
             "A mask is no dropout: what may be seen does not depend on the mode."),
        families.mask_inverted({"mask=mask": "mask=None if mask is None else ~mask"}),
        Slip("the normalised input added", {_ATTENDED: _ATTENDED.replace("x + ", "y + ")},
             "in pre-norm the attention is added to the normalised tokens, and the input is lost",
             "The residual path carries x as it came in."),
        Slip("a norm more at the end of pre-norm", {_FED: f"self.feed_forward_norm({_FED})"},
             "a pre-norm layer ends in a norm: it is applied once more to the sum",
             "A pre-norm layer leaves its sum as it is."),
        Slip("GELU", {'"relu")': '"gelu")'}, "the feed-forward has a GELU",
             "Which activation does the exercise name?"),
        families.one_mask_for_the_batch(
            {"mask=mask": "mask=mask[:1] if mask is not None and mask.dim() > 3 else mask"}),
        families.one_mask_for_all_heads(
            {"mask=mask": "mask=mask[:, :1] if mask is not None and mask.dim() > 3 else mask"}),
    ),
)
