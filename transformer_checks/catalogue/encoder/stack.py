"""encoder.stack: layers stacked, and a final norm where it is needed."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import normal, some, tidy, uneven
from transformer_checks.catalogue.encoder.layer_weights import (
    layer_weights,
    norm_weights,
    where_only_the_mask_matters,
)
from transformer_checks.checks.cases import Build, Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, norm: str, num_layers: int, x: tuple[int, ...] = (1, 2, 4),
        mask: Tensor | None = None, *, d_head: int = 2, wider: int = 2, gradients: bool = False,
    ) -> Case:
        d_model, d_ff = x[-1], x[-1] + wider
        config: dict[str, Value] = {
            "num_layers": num_layers, "d_model": d_model, "num_heads": d_model // d_head,
            "d_ff": d_ff, "norm": norm,
        }
        weights = {
            f"layers.{index}.{name}": weight
            for index in range(num_layers)
            for name, weight in layer_weights(generator, d_model, d_ff).items()
        }
        if norm == "pre":
            weights |= norm_weights(generator, "final_norm", d_model)
        draw = tidy if x[0] == 1 else normal
        inputs: dict[str, Value] = {"x": 1 + 2 * draw(generator, *x), "mask": mask}
        return Case(label, inputs, gradients, Build(config, weights))

    def training() -> Case:
        x, mask, weights = where_only_the_mask_matters(generator)
        config: dict[str, Value] = {"num_layers": 1, "d_model": 4, "num_heads": 2, "d_ff": 3}
        config["norm"] = "post"
        weights = {f"layers.0.{name}": weight for name, weight in weights.items()}
        build = Build(config, weights, training=True)
        return Case("post-norm, training mode", {"x": x, "mask": mask}, build=build)

    def of_many_sizes() -> Case:
        mask = some(generator, 20, 20)
        drawn = case("17 layers, 20 tokens of many sizes", "pre", 17, (1, 20, 18), d_head=1)
        return replace(drawn, inputs={"x": uneven(generator, 1, 20, 18), "mask": mask})

    padding = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    padding[1, ..., 3:] = False
    causal = torch.ones(2, 2, dtype=torch.bool).tril()
    batch = (2, 5, 6)
    return [
        case("post-norm, one layer", "post", 1),
        case("pre-norm, one layer", "pre", 1),
        case("post-norm, two layers", "post", 2),
        case("pre-norm, three layers", "pre", 3),
        case("pre-norm, two layers, padding hidden", "pre", 2, batch, padding),
        case("post-norm, three layers, padding hidden", "post", 3, batch, padding),
        case("gradients through three pre-norm layers", "pre", 3, batch, gradients=True),
        case("one head, d_ff 3, a causal mask", "pre", 1, mask=causal, d_head=4, wider=-1),
        case("a mask for each head", "post", 2, batch, some(generator, 2, 3, 5, 5)),
        case("3 sentences of one token", "pre", 2, (3, 1, 4), torch.ones(1, 1).bool()),
        case("a mask for each of 2 heads", "post", 2, mask=some(generator, 1, 2, 2, 2)),
        case("3 sentences, padded", "post", 2, (3, 2, 4), some(generator, 3, 1, 1, 2)), training(),
        of_many_sizes(),
    ]


_LAYER = "EncoderLayer(d_model, num_heads, d_ff, norm)"
_LOOP = "        for layer in self.layers"
_WHERE_PRE = ' if norm == "pre" else nn.Identity()'

CHECK = Check(
    name="encoder.stack", lesson="05_encoder", title="A stack of layers",
    answer="EncoderStack", returns=("output",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=12, forbidden=frozenset({"layer"}),
    allowed=("attention", "blocks"), atol=1e-4,
    slips=(
        Slip("one layer shared by all",
             {f"{_LAYER} for _ in range(num_layers)": f"[{_LAYER}] * num_layers"},
             "layers share parameters: what one of them holds, another holds too",
             "`[layer] * 3` is a list that holds one layer three times. Make a new one each time."),
        Slip("first layer repeated", {"x = layer(": "x = self.layers[0]("},
             "the first layer is applied again and again; the others are never used",
             "Loop over the layers, not over their number."),
        Slip("only the last layer counts",
             {_LOOP: f"        y = x\n{_LOOP}", "layer(x, mask)": "layer(y, mask)"},
             "every layer reads the input, and only the result of the last is kept",
             "Each layer reads what the one below has made."),
        Slip("norm not passed on", {"d_ff, norm)": 'd_ff, "pre")'},
             'the layers are pre-norm, even where norm="post" was asked for',
             "Pass `norm` on to each layer."),
        Slip("no final norm",
             {f"        self.final_norm = nn.LayerNorm(d_model){_WHERE_PRE}\n": "",
              "self.final_norm(x)": "x"},
             "a pre-norm stack needs a `final_norm` with a gain and a bias of its own, and this "
             "one has none",
             "Make `self.final_norm` where norm is 'pre', and use it after the last layer."),
        Slip("a final norm after post-norm", {_WHERE_PRE: ""},
             "a post-norm stack has a final norm too: its last layer has normalised already",
             "Make `self.final_norm` only where norm is 'pre'."),
        Slip("mask ignored", {"layer(x, mask)": "layer(x, None)"},
             "the mask never reaches the layers", "Pass it on to every layer."),
        Slip("mask in eval mode only",
             {"layer(x, mask)": "layer(x, None if self.training else mask)"},
             "in training mode the mask has no effect",
             "A mask is no dropout: what may be seen does not depend on the mode."),
        families.mask_inverted({"layer(x, mask)": "layer(x, None if mask is None else ~mask)"}),
        Slip("one head", {"(d_model, num_heads,": "(d_model, 1,"},
             "the layers have one head, whatever num_heads says", "Pass num_heads on."),
        families.one_mask_for_the_batch({
            "layer(x, mask)": "layer(x, mask[:1] if mask is not None and mask.dim() > 3 else mask)",
        }),
        families.one_mask_for_all_heads({
            "layer(x, mask)":
                "layer(x, mask[:, :1] if mask is not None and mask.dim() > 3 else mask)",
        }),
    ),
)
