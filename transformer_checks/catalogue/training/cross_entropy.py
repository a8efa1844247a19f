"""training.cross_entropy: nats per real token."""

from typing import Any

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def drawn(
    generator: Generator, lengths: tuple[int, ...], vocabulary: int, padding_id: int = 0, *,
    draw: Draw = normal, spread: float = 2.0, least: int = 1,
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
    generator: Generator, label: str, lengths: tuple[int, ...], vocabulary: int, smoothing: float,
    padding_id: int = 0, gradients: bool = False, **drawing: Any,
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
    return {"logits": normal(generator, 2, 4, 5),
            "targets": torch.tensor([[3, 3, 1, 4], [2, 3, 0, 3]])}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, lengths: tuple[int, ...], vocabulary: int, padding_id: int = 0, *,
        draw: Draw = normal, spread: float = 2.0, add: float = 0.0, least: int = 1,
    ) -> Case:
        inputs = drawn(generator, lengths, vocabulary, padding_id, draw=draw, spread=spread,
                       least=least)
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
        case("logits with a spread of 200", (3, 2), 5, spread=200.0), apart,
        case("one text is all padding", (3, 0), 5),
        case("nothing but padding", (0, 0), 5),
        Case("gradients", gradients.inputs, gradients=True),
        case("two texts of one token, one of them padding", (1, 0), 5),
        nearly_flat(case("logits below a thousandth", (3,), 4)), long(), turned,
        certain_of_one(case("a word of which the model is certain", (3,), 5)),
        Case("padding on the left and between words",
             {**padding_between(generator), "padding_id": 3}),
    ]


_LOSSES = "logits.logsumexp(-1) - chosen"
_MEAN = "losses[real].sum() / real.sum().clamp(min=1)"

CHECK = Check(
    name="training.cross_entropy", lesson="07_training", title="Cross-entropy with padding",
    answer="cross_entropy", returns=("loss",), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=15, forbidden=frozenset({"softmax"}), rtol=1e-4,
    slips=(
        Slip("padding counted", {_MEAN: "losses.mean()"},
             "padding is counted: the model is asked to say it, and the mean runs over it",
             "Take the mean over the places whose target is no padding."),
        Slip("divided by all places", {"real.sum().clamp(min=1)": "real.numel()"},
             "padding costs nothing, but the sum is divided by all places: more padding, less loss",
             "By how many tokens must the sum be divided?"),
        Slip("not divided", {" / real.sum().clamp(min=1)": ""},
             "this is the sum over the tokens, not their mean",
             "Nats *per token*: divide by the number of real tokens."),
        Slip("softmax twice", {"    chosen =": "    logits = logits.softmax(-1)\n    chosen ="},
             "the logits go through a softmax first, and then again inside the loss",
             "Even a perfect prediction would cost more than 0. Logits are what goes into the "
             "loss."),
        Slip("probabilities without a logarithm",
             {"logits.gather": "logits.softmax(-1).gather", _LOSSES: "1 - chosen"},
             "the loss is 1 - p, not -log p", "What should a target with probability 0 cost?"),
        Slip("exponentials overflow", {_LOSSES: "-(chosen.exp() / logits.exp().sum(-1)).log()"},
             "the exponential of a logit of 1000 is infinite",
             "Softmax does not change when the same number is taken from all logits of a row."),
        Slip("log of a softmax",
             {"logits.gather": "logits.softmax(-1).gather", _LOSSES: "-chosen.log()"},
             "a probability too small for float32 becomes 0, and its logarithm infinite",
             "-log p is log-sum-exp of the row minus the target's logit: no probability is "
             "needed."),
        families.padding_id_fixed({"!= padding_id": "!= 0"}),
        families.smaller_ids_are_padding({"!= padding_id": "> padding_id"}),
        Slip("an axis of one left", {".squeeze(-1)": ""},
             "the targets' logits keep an axis of one: beside (batch, tokens) they are repeated",
             "Print the shapes of both before you subtract."),
    ),
)
