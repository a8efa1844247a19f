"""encoder.stack: layers one on the other, and a final norm where it is needed."""

import torch
from torch import Generator, Tensor, nn

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.encoder.layer import (
    EncoderLayer,
    layer_weights,
    norm_weights,
)
from transformer_checks.checks.cases import Build, Case, Value
from transformer_checks.checks.exercise import Check, Misconception


class _Stack(nn.Module):
    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__()
        self.norm = norm
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, norm) for _ in range(num_layers)
        )
        if norm == "pre":
            self.final_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.finish(x)

    def finish(self, x: Tensor) -> Tensor:
        return self.final_norm(x) if self.norm == "pre" else x


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        norm: str,
        num_layers: int,
        x: tuple[int, ...] = (1, 2, 4),
        mask: Tensor | None = None,
        *,
        gradients: bool = False,
    ) -> Case:
        d_model, heads = x[-1], x[-1] // 2
        config: dict[str, Value] = {
            "num_layers": num_layers,
            "d_model": d_model,
            "num_heads": heads,
            "d_ff": d_model + 2,
            "norm": norm,
        }
        weights = {
            f"layers.{index}.{name}": weight
            for index in range(num_layers)
            for name, weight in layer_weights(generator, d_model, d_model + 2).items()
        }
        if norm == "pre":
            weights |= norm_weights(generator, "final_norm", d_model)
        draw = tidy if x[0] == 1 else normal
        inputs: dict[str, Value] = {"x": 1 + 2 * draw(generator, *x), "mask": mask}
        return Case(label, inputs, gradients, Build(config, weights))

    padding = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    padding[1, ..., 3:] = False
    batch = (2, 5, 6)
    return [
        case("post-norm, one layer", "post", 1),
        case("pre-norm, one layer", "pre", 1),
        case("post-norm, two layers", "post", 2),
        case("pre-norm, three layers", "pre", 3),
        case("pre-norm, two layers, padding hidden", "pre", 2, batch, padding),
        case("post-norm, three layers, padding hidden", "post", 3, batch, padding),
        case("gradients through two pre-norm layers", "pre", 2, batch, gradients=True),
    ]


class _Shared(_Stack):
    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, norm)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, norm)] * num_layers)


class _FirstLayerRepeated(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for _ in self.layers:
            x = self.layers[0](x, mask)
        return self.finish(x)


class _OnlyTheLast(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        y = x
        for layer in self.layers:
            y = layer(x, mask)
        return self.finish(y)


class _Reversed(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in reversed(self.layers):
            x = layer(x, mask)
        return self.finish(x)


class _AlwaysPreInside(_Stack):
    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, norm)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, "pre") for _ in range(num_layers)
        )


class _Summed(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = x + layer(x, mask)
        return self.finish(x)


class _FinalNormUnused(_Stack):
    def finish(self, x: Tensor) -> Tensor:
        return x


class _NoFinalNorm(_Stack):
    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, norm)
        if norm == "pre":
            del self.final_norm


class _AlwaysFinalNorm(_Stack):
    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, norm)
        self.final_norm = nn.LayerNorm(d_model)


class _FinalNormFirst(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.finish(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x


class _NormAfterEach(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = self.finish(layer(x, mask))
        return x


class _MaskOnce(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for index, layer in enumerate(self.layers):
            x = layer(x, None if index else mask)
        return self.finish(x)


class _ReturnsInTheLoop(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.finish(self.layers[0](x, mask))


class _MaskIgnored(_Stack):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return super().forward(x, None)


STACK = Check(
    name="encoder.stack",
    lesson="05_encoder",
    title="A stack of layers",
    answer="EncoderStack",
    returns=("output",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
    draw=_draw,
    reference=_Stack,
    forbidden=frozenset({"layer"}),
    allowed=("attention", "blocks"),
    atol=1e-4,
    slips=(
        Misconception(
            "one layer shared by all",
            _Shared,
            "all layers are one and the same object, with one set of parameters",
            "`[layer] * 3` is a list that holds one layer three times. Make a new one each time.",
        ),
        Misconception(
            "first layer repeated",
            _FirstLayerRepeated,
            "the first layer is applied again and again; the others are never used",
            "Loop over the layers, not over their number.",
        ),
        Misconception(
            "only the last layer counts",
            _OnlyTheLast,
            "every layer reads the input, and only the result of the last is kept",
            "Each layer reads what the one below has made.",
        ),
        Misconception(
            "only the first layer",
            _ReturnsInTheLoop,
            "only the first layer is applied",
            "Does the return stand inside the loop?",
        ),
        Misconception(
            "layers in reverse",
            _Reversed,
            "the layers are applied from the last to the first",
            "layers[0] stands next to the embedding.",
        ),
        Misconception(
            "norm not passed on",
            _AlwaysPreInside,
            'the layers are pre-norm, even where norm="post" was asked for',
            "Hand `norm` on to each layer.",
        ),
        Misconception(
            "a residual around each layer",
            _Summed,
            "each layer's input is added to its output once more",
            "The residuals are inside the layer.",
        ),
        Misconception(
            "final norm unused",
            _FinalNormUnused,
            "the final norm was made and never used",
            "A pre-norm layer leaves its sum without a norm. Who norms the last one?",
        ),
        Misconception(
            "no final norm",
            _NoFinalNorm,
            "a pre-norm stack needs a norm at its end, and this one has none",
            "Make `self.final_norm` where norm is 'pre', and use it after the last layer.",
        ),
        Misconception(
            "a final norm after post-norm",
            _AlwaysFinalNorm,
            "a post-norm stack has a final norm too: its last layer has normalised already",
            "Make `self.final_norm` only where norm is 'pre'.",
        ),
        Misconception(
            "final norm first",
            _FinalNormFirst,
            "the final norm is applied before the layers",
            "It is called final for a reason.",
        ),
        Misconception(
            "final norm after each layer",
            _NormAfterEach,
            "the final norm is applied after every layer: it cuts the residual path",
            "Once, after the loop. Check the indentation.",
        ),
        Misconception(
            "mask for the first layer only",
            _MaskOnce,
            "only the first layer gets the mask: the second lets the padding in again",
            "Every layer attends, so every layer needs the mask.",
        ),
        Misconception(
            "mask ignored",
            _MaskIgnored,
            "the mask never reaches the layers",
            "Pass it on to every layer.",
        ),
    ),
    hints=(
        "Keep the layers in an `nn.ModuleList`, called `layers`: a plain list hides their "
        "parameters.",
        "`nn.ModuleList(EncoderLayer(…) for _ in range(num_layers))` makes a new layer each time.",
        "After the loop: `self.final_norm(x)` if norm is 'pre', else x as it is.",
    ),
)
