"""training.label_smoothing: a little probability for every word, and none for the padding."""

from functools import partial

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.training.cross_entropy import (
    certain_of_one,
    nearly_flat,
    padding_between,
    smoothed,
)


def _draw(generator: Generator) -> list[Case]:
    case = partial(smoothed, generator)

    def long() -> Case:
        lengths = torch.randint(1, 20, (17,), generator=generator).tolist()
        label = "17 texts of up to 19 words of 24, padding id 20, smoothing 0.25"
        return case(label, (*lengths,), 24, 0.25, 20, draw=tidy)

    return [
        case("two words out of three, smoothing 0.3", (2,), 4, 0.3, draw=tidy),
        case("no smoothing", (3, 1), 5, 0.0),
        case("two texts, the second with padding", (3, 1), 5, 0.1),
        case("one text with padding", (1,), 4, 0.2, least=3),
        case("padding id 4", (2, 5, 3), 7, 0.2, 4),
        case("smoothing 0.5, a vocabulary of 12", (4, 2), 12, 0.5),
        case("logits with a spread of 100", (3, 2), 6, 0.1, spread=100.0),
        case("gradients", (4, 2, 3), 6, 0.3, gradients=True),
        case("two texts of one token, one of them padding", (1, 0), 5, 0.2),
        nearly_flat(case("logits below a thousandth", (3,), 4, 0.1)),
        long(),
        Case(
            "padding on the left and between words",
            {**padding_between(generator), "padding_id": 3, "smoothing": 0.1},
        ),
        certain_of_one(case("a word of which the model is certain, no smoothing", (3,), 5, 0.0)),
    ]


CHECK = Check(
    name="training.label_smoothing",
    lesson="07_training",
    title="Label smoothing",
    answer="smoothed_loss",
    returns=("loss",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    rtol=1e-4,
)
