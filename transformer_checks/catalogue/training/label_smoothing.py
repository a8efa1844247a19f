"""training.label_smoothing: a little probability for every word, and none for the padding."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.training.cross_entropy import batch, certain, rough


def _draw(generator: Generator) -> list[Case]:
    g = generator
    return [
        Case("two words out of three, smoothing 0.3", batch(g, (2,), 4, draw=tidy, smoothing=0.3)),
        Case("no smoothing, and two certain words", certain(batch(g, (3, 1), smoothing=0.0))),
        Case("two texts, the second with padding", batch(g, (3, 1), smoothing=0.1)),
        Case("24 ids, padding id 20", batch(g, (2, 5, 3), 24, 20, smoothing=0.2)),
        Case("smoothing 0.5, a vocabulary of 12", batch(g, (4, 2), 12, smoothing=0.5)),
        *rough(g, smoothing=0.25),
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
