"""bert.classify: a small head on the hidden states."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        lengths: tuple[int, ...],
        sizes: tuple[int, int],
        pool: str,
        padding_id: int = 0,
        *,
        draw: Draw = normal,
        loud: float = 1.0,
        gradients: bool = False,
    ) -> Case:
        d_model, classes = sizes
        shape = (len(lengths), max(lengths))
        tokens = torch.randint(10, 20, shape, generator=generator)
        hidden = draw(generator, *shape, d_model)
        for row, states, length in zip(tokens, hidden, lengths, strict=True):
            row[length:] = padding_id
            states[length:] *= loud
        return Case(
            label,
            {
                "hidden": hidden,
                "tokens": tokens,
                "weight": draw(generator, classes, d_model),
                "bias": 0.5 + draw(generator, classes),
                "padding_id": padding_id,
                "pool": pool,
            },
            gradients,
        )

    cases = [
        case("one text, its first token", (2,), (3, 2), "first", draw=tidy),
        case("one text, the mean", (2,), (3, 2), "mean", draw=tidy),
        case("two texts, the second with padding, mean", (3, 2), (4, 3), "mean"),
        case("padding id 7, mean", (4, 1, 3), (5, 2), "mean", 7),
        case("a million in the states of padding, mean", (2, 5), (4, 3), "mean", loud=1e6),
        case("a text without tokens, mean", (3, 0), (4, 2), "mean"),
        case("three texts, first token", (5, 2, 4), (3, 4), "first"),
        case("padding id 128000, mean", (4, 1, 3), (5, 2), "mean", 128_000),
        case("a text without tokens, one class, first token", (3, 0), (4, 1), "first"),
        case("texts of one token, one class, width 1, mean", (1, 0), (1, 1), "mean"),
        case("gradients of the mean", (3, 2), (4, 3), "mean", gradients=True),
    ]
    beside: dict[str, Value] = {
        "hidden": normal(generator, 2, 3, 4),
        "tokens": torch.tensor([[15, 19, 11], [15, 15, 13]]),
        "weight": normal(generator, 2, 4),
        "bias": normal(generator, 2),
        "padding_id": 15,
        "pool": "mean",
    }
    tokens = torch.randint(30, (18, 20), generator=generator)
    tokens[torch.rand(18, 20, generator=generator) < 0.3] = 23
    tokens[0] = torch.tensor([23, 23, 23, 24]).repeat(5)  # the thousandths of `uneven` alone
    many: dict[str, Value] = {
        "hidden": uneven(generator, 18, 20, 17),
        "tokens": tokens,
        "weight": normal(generator, 19, 17),
        "bias": normal(generator, 19),
        "padding_id": 23,
        "pool": "mean",
    }
    sizes: dict[str, Value] = {
        "hidden": normal(generator, 18, 20, 17),
        "weight": uneven(generator, 19, 17),
        "bias": uneven(generator, 19, 1)[:, 0],
        "pool": "first",
    }
    return [
        *cases,
        Case("padding id 15, on the left, with smaller and larger ids beside it", beside),
        Case("the same texts, first token", {**beside, "pool": "first"}),
        Case("18 texts of 20 tokens, states of many sizes, mean", many),
        Case("18 texts, weights and biases of many sizes, first token", {**many, **sizes}),
    ]


CHECK = Check(
    name="bert.classify",
    lesson="08_bert_and_gpt",
    title="A classification head",
    answer="classify",
    returns=("logits",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    atol=1e-4,
)
