"""decoder.layer: self-attention, cross-attention and feed-forward on a residual path."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, some, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        shape: tuple[int, int, int],
        sizes: tuple[int, int, int],
        hidden: int = 0,
        gradients: bool = False,
        training: bool = False,
    ) -> Case:
        batch, tokens, length = shape
        d_model, num_heads, d_ff = sizes
        config = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        shapes = {n: tuple(p.shape) for n, p in CHECK.right(**config).named_parameters()}
        weights = {n: _weight(generator, n, shape) for n, shape in shapes.items()}
        draw = tidy if batch == 1 else normal
        memory_mask = torch.ones(batch, 1, 1, length, dtype=torch.bool)
        memory_mask[-1, ..., length - hidden :] = False
        return Case(
            label,
            {
                # Far from mean 0 and deviation 1, or one norm too many would hardly show.
                "x": 2 * draw(generator, batch, tokens, d_model) + 1,
                "memory": 2 * draw(generator, batch, length, d_model) - 1,
                "mask": torch.ones(tokens, tokens, dtype=torch.bool).tril()[None, None],
                "memory_mask": memory_mask,
            },
            gradients=gradients,
            build=Build(config, weights, training),
        )

    shown = case("", (1, 2, 3), (4, 2, 6))
    heads = case("", (3, 2, 3), (6, 3, 6))
    of_heads = {"mask": some(generator, 3, 3, 2, 2), "memory_mask": some(generator, 3, 3, 2, 3)}
    masks = {"mask": torch.zeros(1, 1, 2, 2).bool(), "memory_mask": some(generator, 1, 1, 2, 3)}
    cases = [
        case("1 sentence, 2 target and 3 source tokens", (1, 2, 3), (4, 2, 6)),
        case("a source with padding", (1, 3, 4), (4, 2, 6), hidden=2),
        case("as many target as source tokens", (2, 4, 4), (6, 3, 8), hidden=1),
        case("2 sentences, 4 target and 3 source tokens", (2, 4, 3), (6, 2, 9), hidden=1),
        case("gradients", (2, 3, 4), (4, 2, 6), hidden=1, gradients=True),
        case("2 source tokens", (2, 3, 2), (4, 2, 6), hidden=1),
        case("3 sentences, 4 heads of width 1", (3, 2, 3), (4, 4, 6), hidden=1),
        case("a source of nothing but padding", (1, 2, 2), (4, 2, 6), hidden=2),
        replace(shown, label="masks of other kinds", inputs={**shown.inputs, **masks}),
        replace(heads, label="a mask for each of 3 heads", inputs={**heads.inputs, **of_heads}),
    ]
    own = case("each sentence has a mask of its own", (2, 3, 4), (4, 2, 6))
    mask = some(generator, 2, 1, 3, 3)

    def of_many_sizes() -> Case:
        drawn = case("20 target and 18 source tokens of many sizes", (1, 20, 18), (36, 18, 38))
        sizes = {
            "x": uneven(generator, 1, 20, 36),
            "memory": 2 * normal(generator, 1, 18, 36) + 12 * torch.eye(36)[0],  # beyond 10
            "memory_mask": some(generator, 1, 1, 20, 18),
        }
        return replace(drawn, inputs={**drawn.inputs, **sizes})

    heads = case("each head has masks of its own", (2, 3, 4), (4, 2, 6))
    masks = {"mask": some(generator, 2, 2, 3, 3), "memory_mask": some(generator, 2, 2, 3, 4)}
    return [
        *cases,
        replace(own, inputs={**own.inputs, "mask": mask}),
        replace(heads, inputs={**heads.inputs, **masks}),
        case("one head, one target and one source token", (2, 1, 1), (4, 1, 6)),
        case("training mode", (1, 2, 3), (4, 2, 3), hidden=2, training=True),
        of_many_sizes(),
    ]


def _weight(generator: Generator, name: str, shape: tuple[int, ...]) -> Tensor:
    """Weights of moderate size; gains that are not 1 and biases that are not 0."""
    drawn = normal(generator, *shape)
    if name.endswith("norm.weight"):
        return 1 + 0.5 * drawn
    return drawn / shape[-1] ** 0.5


CHECK = Check(
    name="decoder.layer",
    lesson="06_decoder",
    title="A decoder layer",
    answer="DecoderLayer",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
    forbidden=frozenset({"layer"}),
    allowed=("attention",),
)
