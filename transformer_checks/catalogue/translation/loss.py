"""translation.loss: sums that can be added, of what is trained on and of what is reported."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.training.cross_entropy import batch, rough


def _draw(generator: Generator) -> list[Case]:
    g = generator
    return [
        Case("two words, no padding, smoothing 0.3", batch(g, (2,), 4, draw=tidy, smoothing=0.3)),
        Case("two sentences, the second with padding", batch(g, (3, 1), smoothing=0.1)),
        Case("no smoothing", batch(g, (4, 2, 1), 6, smoothing=0.0)),
        Case("24 ids, padding id 20", batch(g, (2, 5, 3), 24, 20, smoothing=0.2)),
        Case("a batch that is all padding", batch(g, (0, 0), smoothing=0.1)),
        Case("all of it spread: smoothing 1", batch(g, (3, 2), smoothing=1.0)),
        *rough(g, smoothing=0.25),
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
