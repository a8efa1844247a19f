"""training.cross_entropy: nats per real token."""

from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy


def drawn(
    generator: Generator,
    lengths: tuple[int, ...],
    vocabulary: int,
    padding_id: int = 0,
    *,
    draw: Draw = normal,
    spread: float = 2.0,
    least: int = 1,
) -> dict[str, Tensor]:
    """Logits and targets: each row has its number of real tokens, then padding.

    A row is as long as the longest text, and has ``least`` places at least.
    """
    shape = (len(lengths), max(*lengths, least))
    words = torch.tensor([word for word in range(vocabulary) if word != padding_id])
    targets = words[torch.randint(vocabulary - 1, shape, generator=generator)]
    for row, length in zip(targets, lengths, strict=True):
        row[length:] = padding_id
    return {"logits": spread * draw(generator, *shape, vocabulary), "targets": targets}


def smoothed(
    generator: Generator,
    label: str,
    lengths: tuple[int, ...],
    vocabulary: int,
    smoothing: float,
    padding_id: int = 0,
    gradients: bool = False,
    **drawing: Any,
) -> Case:
    """A case of a loss with smoothing; ``drawing``: see ``drawn``."""
    inputs = drawn(generator, lengths, vocabulary, padding_id, **drawing)
    return Case(label, {**inputs, "padding_id": padding_id, "smoothing": smoothing}, gradients)


def nearly_flat(case: Case) -> Case:
    """The case with logits below a thousandth, of which the target's is the largest."""
    logits, targets = case.inputs["logits"], case.inputs["targets"]
    assert isinstance(logits, Tensor) and isinstance(targets, Tensor)
    logits.fill_(-9e-4).scatter_(-1, targets[..., None], 9e-4)
    return case


def certain_of_one(case: Case) -> Case:
    """The case with a target, the second of its first row, that costs 0, and counts."""
    logits, targets = case.inputs["logits"], case.inputs["targets"]
    assert isinstance(logits, Tensor) and isinstance(targets, Tensor)
    logits[0, 1, targets[0, 1]] = 200.0
    return case


def padding_between(generator: Generator) -> dict[str, Tensor]:
    """Logits, and targets of which padding, id 3, stands on the left and between words."""
    return {
        "logits": normal(generator, 2, 4, 5),
        "targets": torch.tensor([[3, 3, 1, 4], [2, 3, 0, 3]]),
    }


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        lengths: tuple[int, ...],
        vocabulary: int,
        padding_id: int = 0,
        *,
        draw: Draw = normal,
        spread: float = 2.0,
        add: float = 0.0,
        least: int = 1,
    ) -> Case:
        inputs = drawn(
            generator, lengths, vocabulary, padding_id, draw=draw, spread=spread, least=least
        )
        inputs["logits"] = inputs["logits"] + add
        return Case(label, {**inputs, "padding_id": padding_id})

    def long() -> Case:
        lengths = torch.randint(1, 20, (17,), generator=generator).tolist()
        return case("17 texts of up to 19 words of 24, padding id 20", (*lengths,), 24, 20)

    flat = case("three words, nothing known: all logits 0", (3,), 4)
    flat.inputs["logits"].zero_()  # type: ignore[union-attr]
    apart = case("logits 1000 apart", (2, 1), 5)
    logits, targets = apart.inputs["logits"], apart.inputs["targets"]
    assert isinstance(logits, Tensor) and isinstance(targets, Tensor)
    logits.scatter_(-1, targets[..., None], -1000.0)
    turned = case("targets that are not contiguous, as those cut from whole texts", (4, 2), 5)
    assert isinstance(turned.inputs["targets"], Tensor)
    by_column = turned.inputs["targets"].mT.contiguous().mT
    turned = Case(turned.label, {**turned.inputs, "targets": by_column})
    gradients = case("gradients", (4, 2, 3), 6)
    return [
        flat,
        case("one text of two words", (2,), 4, draw=tidy),
        case("two texts, the second with padding", (3, 1), 4, draw=tidy),
        case("one text with padding", (1,), 4, least=3),
        case("padding id 3", (4, 1, 2), 5, padding_id=3),
        case("logits around 1000", (3, 2), 5, add=1000.0),
        case("logits with a spread of 200", (3, 2), 5, spread=200.0),
        apart,
        case("one text is all padding", (3, 0), 5),
        case("nothing but padding", (0, 0), 5),
        Case("gradients", gradients.inputs, gradients=True),
        case("two texts of one token, one of them padding", (1, 0), 5),
        nearly_flat(case("logits below a thousandth", (3,), 4)),
        long(),
        turned,
        certain_of_one(case("a word of which the model is certain", (3,), 5)),
        Case(
            "padding on the left and between words", {**padding_between(generator), "padding_id": 3}
        ),
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
