"""translation.loss: sums that can be added, of what is trained on and of what is reported."""

from functools import partial

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy, uneven
from transformer_checks.catalogue.training.cross_entropy import (
    certain_of_one,
    nearly_flat,
    padding_between,
    smoothed,
)


def _draw(generator: Generator) -> list[Case]:
    case = partial(smoothed, generator)

    def level(generator: Generator, *shape: int) -> Tensor:
        """Rows of many sizes, with one word whose logit is 0 everywhere."""
        logits = uneven(generator, *shape)
        logits[..., 7] = 0.0
        return logits

    lengths = (20, 1, 17, 5, 0, 18, 9, 3, 12) * 2
    between: dict[str, Value] = {**padding_between(generator), "padding_id": 3, "smoothing": 0.1}
    return [
        case("two words, no padding, smoothing 0.3", (2,), 4, 0.3, draw=tidy),
        case("two sentences, the second with padding, smoothing 0.1", (3, 1), 5, 0.1),
        case("no smoothing", (4, 2, 1), 6, 0.0),
        case("padding id 4, with gradients", (2, 5, 3), 7, 0.2, 4, gradients=True),
        case("a batch that is all padding", (0, 0), 5, 0.1),
        case("all of it spread: smoothing 1", (3, 2), 5, 1.0),
        Case("padding on the left and between words", between),
        case("logits with a spread of 400", (3, 2), 6, 0.1, spread=400.0),
        case("gradients of the smoothed sum", (4, 2, 3), 6, 0.3, gradients=True),
        nearly_flat(case("logits below a thousandth", (3,), 4, 0.1)),
        case(
            "18 sentences, 23 words, logits of many sizes",
            lengths,
            23,
            0.25,
            18,
            draw=level,
            spread=1,
        ),
        certain_of_one(case("a word of which the model is certain", (3, 1), 5, 0.1)),
    ]


CHECK = Check(
    name="translation.loss",
    lesson="10_translation",
    title="The loss that is trained on, and the one that is reported",
    answer="translation_loss",
    returns=("smoothed", "count", "plain"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
    rtol=1e-4,
)
