"""training.cross_entropy: nats per real token."""

from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def batch(
    generator: Generator,
    lengths: tuple[int, ...],
    vocabulary: int = 5,
    padding_id: int = 0,
    *,
    draw: Draw = normal,
    **given: Value,
) -> dict[str, Any]:
    """Logits and targets: each row has its number of real tokens, then padding."""
    shape = (len(lengths), max(*lengths, 1))
    words = padding_id + torch.randint(1, vocabulary, shape, generator=generator)  # all but padding
    padding = torch.arange(shape[1]) >= torch.tensor(lengths)[:, None]
    return {
        "logits": 2 * draw(generator, *shape, vocabulary),
        "targets": (words % vocabulary).masked_fill(padding, padding_id),
        "padding_id": padding_id,
        **given,
    }


def certain(inputs: dict[str, Any]) -> dict[str, Any]:
    """The same, but for two words of each text that cost nothing, and count."""
    logits = inputs["logits"].clone()
    logits[:, :2].scatter_(-1, inputs["targets"][:, :2, None], 200.0)
    return {**inputs, "logits": logits}


def rough(generator: Generator, **given: Value) -> list[Case]:
    """What a loss over real targets must bear; ``given`` stands behind the padding's id."""
    inputs = {**batch(generator, (3, 1)), **given}
    logits, target = inputs["logits"], inputs["targets"][..., None]
    logits[..., 2] = 0.0  # a logit like any other
    changed = {
        "logits around 1000": logits + 1000,
        "logits with a spread of 400": 200 * logits,
        "logits 1000 apart": logits.scatter(-1, target, -1000.0),
        "logits below a thousandth": torch.full_like(logits, -9e-4).scatter(-1, target, 9e-4),
    }
    return [
        *(Case(label, {**inputs, "logits": new}) for label, new in changed.items()),
        Case("words of which the model is certain", certain(inputs)),
        *ordinary(
            generator,
            logits="batch tokens words+1",
            targets="<words+1 batch tokens ~padding_id",
            padding_id="<words+1",
            given=given,
        ),
    ]


def _draw(generator: Generator) -> list[Case]:
    turned = batch(generator, (4, 2))
    turned["targets"] = turned["targets"].mT.contiguous().mT
    flat = {**batch(generator, (3,), 4), "logits": torch.zeros(1, 3, 4)}
    return [
        Case("three words, nothing known: all logits 0", flat),
        Case("one text of two words", batch(generator, (2,), 4, draw=tidy)),
        Case("two texts, the second with padding", batch(generator, (3, 1), 4, draw=tidy)),
        Case("24 ids, padding id 20", batch(generator, (4, 1, 2), 24, 20)),
        Case("one text is all padding", batch(generator, (3, 0))),
        Case("nothing but padding", batch(generator, (0, 0))),
        Case("targets that are not contiguous, as those cut from whole texts", turned),
        *rough(generator),
    ]


CHECK = Check(
    name="training.cross_entropy",
    lesson="07_training",
    title="Cross-entropy with padding",
    answer="cross_entropy",
    returns=("loss",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
    forbidden=frozenset({"softmax"}),
    rtol=1e-4,
)
