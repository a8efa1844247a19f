"""bert.classify: a small head on the hidden states."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        lengths: tuple[int, ...],
        pool: str,
        padding_id: int = 0,
        *,
        draw: Draw = normal,
        loud: float = 1.0,
    ) -> Case:
        padding = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
        tokens = torch.randint(10, 20, padding.shape, generator=generator)
        hidden = draw(generator, *padding.shape, 4)
        inputs: dict[str, Value] = {
            "hidden": torch.where(padding[..., None], loud * hidden, hidden),
            "tokens": tokens.masked_fill(padding, padding_id),
            "weight": draw(generator, 2, 4),
            "bias": 0.5 + draw(generator, 2),
            "padding_id": padding_id,
            "pool": pool,
        }
        return Case(label, inputs)

    return [
        case("one text, its first token", (2,), "first", draw=tidy),
        case("one text, the mean", (2,), "mean", draw=tidy),
        case("two texts, the second with padding, mean", (3, 2), "mean"),
        case("a million in the states of padding, mean", (2, 5), "mean", loud=1e6),
        case("a text without tokens, mean", (3, 0), "mean"),
        case("three texts, one without tokens, first token", (5, 0, 4), "first"),
        case("padding id 128000, mean", (4, 1, 3), "mean", 128_000),
        *ordinary(
            generator,
            hidden="texts tokens +d_model",
            tokens="<30 texts tokens ~padding_id",
            weight="classes -d_model",
            bias="classes",
            padding_id="<30",
            given={"pool": "mean"},
        ),
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
