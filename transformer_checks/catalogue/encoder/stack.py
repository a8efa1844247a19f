"""encoder.stack: layers stacked, and a final norm where it is needed."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, some, tidy, uneven
from transformer_checks.catalogue.encoder.layer_weights import layer_weights, norm_weights


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        norm: str,
        num_layers: int,
        x: tuple[int, ...] = (1, 2, 4),
        mask: Tensor | None = None,
        *,
        d_head: int = 2,
        wider: int = 2,
        gradients: bool = False,
        training: bool = False,
    ) -> Case:
        d_model, d_ff = x[-1], x[-1] + wider
        config: dict[str, Value] = {
            "num_layers": num_layers,
            "d_model": d_model,
            "num_heads": d_model // d_head,
            "d_ff": d_ff,
            "norm": norm,
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
        return Case(label, inputs, gradients, Build(config, weights, training))

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
        case("3 sentences, padded", "post", 2, (3, 2, 4), some(generator, 3, 1, 1, 2)),
        case("post-norm, training mode", "post", 1, mask=causal, training=True),
        of_many_sizes(),
    ]


CHECK = Check(
    name="encoder.stack",
    lesson="05_encoder",
    title="A stack of layers",
    answer="EncoderStack",
    returns=("output",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
    forbidden=frozenset({"layer"}),
    allowed=("attention", "blocks"),
    atol=1e-4,
)
