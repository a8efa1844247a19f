"""decoder.layer: self-attention, cross-attention and feed-forward on a residual path."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import moderate, normal, some, tidy
from transformer_checks.catalogue.ordinary import as_case, inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "x": "batch tokens heads*d_head",
        "memory": "batch words heads*d_head",
        "mask": "bool batch heads tokens tokens",
        "memory_mask": "bool batch heads tokens words",
        "d_model": "=heads*d_head",
        "num_heads": "=heads",
        "d_ff": "=d_ff",
    }

    def weights(inputs: Mapping[str, Any]) -> dict[str, Value]:
        config = {name: inputs[name] for name in ("d_model", "num_heads", "d_ff")}
        named = CHECK.right(**config).named_parameters()
        return {name: _weight(generator, name, tuple(weight.shape)) for name, weight in named}

    def case(label: str, *sizes: int, hidden: int = 0, training: bool = False) -> Case:
        batch, tokens, _, _, words, _ = sizes
        given = inputs_of(generator, axes, tidy if batch == 1 else normal, *sizes)
        given["mask"] = torch.ones(tokens, tokens).tril().bool()[None, None]
        given["memory_mask"] = torch.ones(batch, 1, 1, words).bool()
        given["memory_mask"][-1, ..., words - hidden :] = False
        given |= weights(given)
        # Far from mean 0 and deviation 1, or one norm too many would hardly show.
        given |= {"x": 2 * given["x"] + 1, "memory": 2 * given["memory"] - 1}
        return as_case(label, given, training=training)

    other = case("masks of other kinds", 1, 2, 2, 2, 3, 6)
    masks = {"mask": torch.zeros(1, 1, 2, 2).bool(), "memory_mask": some(generator, 1, 1, 2, 3)}
    return [
        case("1 sentence, 2 target and 3 source tokens", 1, 2, 2, 2, 3, 6),
        case("a source with padding", 1, 3, 2, 2, 4, 6, hidden=2),
        case("as many target as source tokens", 2, 4, 3, 2, 4, 8, hidden=1),
        case("a source of nothing but padding", 1, 2, 2, 2, 2, 6, hidden=2),
        replace(other, inputs={**other.inputs, **masks}),
        case("training mode", 1, 2, 2, 2, 3, 3, hidden=2, training=True),
        *ordinary(generator, moderate, axes=axes, given=weights),
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
