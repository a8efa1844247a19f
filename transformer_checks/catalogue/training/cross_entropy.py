"""training.cross_entropy: nats per real token."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _losses(logits: Tensor, targets: Tensor) -> Tensor:
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


def _per_token(losses: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    """The mean over the real tokens; 0 if there are none."""
    real = targets != padding_id
    return (losses * real).sum() / real.sum().clamp(min=1)


def _reference(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    return _per_token(_losses(logits, targets), targets, padding_id)


def drawn(
    generator: Generator,
    lengths: tuple[int, ...],
    vocabulary: int,
    padding_id: int = 0,
    *,
    draw: Draw = normal,
    spread: float = 2.0,
) -> dict[str, Tensor]:
    """Logits and targets: each row has its number of real tokens, then padding."""
    shape = (len(lengths), max(*lengths, 2))
    words = torch.tensor([word for word in range(vocabulary) if word != padding_id])
    targets = words[torch.randint(vocabulary - 1, shape, generator=generator)]
    for row, length in zip(targets, lengths, strict=True):
        row[length:] = padding_id
    return {"logits": spread * draw(generator, *shape, vocabulary), "targets": targets}


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
    ) -> Case:
        inputs = drawn(generator, lengths, vocabulary, padding_id, draw=draw, spread=spread)
        inputs["logits"] = inputs["logits"] + add
        return Case(label, {**inputs, "padding_id": padding_id})

    flat = case("three words, nothing known: all logits 0", (3,), 4)
    flat.inputs["logits"].zero_()  # type: ignore[union-attr]
    gradients = case("gradients", (4, 2, 3), 6)
    return [
        flat,
        case("one text of two words", (2,), 4, draw=tidy),
        case("two texts, the second with padding", (3, 1), 4, draw=tidy),
        case("padding id 3", (4, 1, 2), 5, padding_id=3),
        case("logits around 1000", (3, 2), 5, add=1000.0),
        case("logits with a spread of 200", (3, 2), 5, spread=200.0),
        case("one text is all padding", (3, 0), 5),
        case("nothing but padding", (0, 0), 5),
        Case("gradients", gradients.inputs, gradients=True),
    ]


def _exponentials(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    weights = logits.exp()
    chosen = weights.gather(-1, targets[..., None])[..., 0]
    return _per_token(-(chosen / weights.sum(-1)).log(), targets, padding_id)


def _log_of_softmax(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    chosen = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
    return _per_token(-chosen.log(), targets, padding_id)


def _clamped(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    chosen = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
    return _per_token(-(chosen + 1e-9).log(), targets, padding_id)


def _by_sentence(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    rows = zip(_losses(logits, targets), targets, strict=True)
    return torch.stack([_per_token(*row, padding_id) for row in rows]).mean()


def _nan_for_nothing(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    return _losses(logits, targets)[targets != padding_id].mean()


def _over_tokens(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    losses = -logits.log_softmax(1).gather(-1, targets[..., None])[..., 0]
    return _per_token(losses, targets, padding_id)


def _zeroed(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    return (_losses(logits, targets) * (targets != padding_id)).mean()


CROSS_ENTROPY = Check(
    name="training.cross_entropy",
    lesson="07_training",
    title="Cross-entropy with padding",
    answer="cross_entropy",
    returns=("loss",),
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax"}),
    slips=(
        Misconception(
            "padding counted",
            lambda logits, targets, padding_id: _losses(logits, targets).mean(),
            "padding is counted: the model is asked to say it, and the mean runs over it",
            "Take the mean over the places whose target is no padding.",
        ),
        Misconception(
            "divided by all places",
            _zeroed,
            "padding costs nothing, but the sum is divided by all places: more padding, less loss",
            "By how many tokens must the sum be divided?",
        ),
        Misconception(
            "not divided",
            lambda logits, targets, padding_id: _losses(logits, targets)[
                targets != padding_id
            ].sum(),
            "this is the sum over the tokens, not their mean",
            "Nats *per token*: divide by the number of real tokens.",
        ),
        Misconception(
            "a mean of sentences",
            _by_sentence,
            "each text gets the same weight: a token of a short one counts more",
            "One sum over all real tokens of the batch, one division.",
        ),
        Misconception(
            "nothing divided by nothing",
            _nan_for_nothing,
            "a batch that is all padding gives 0/0",
            "Where nothing is asked, nothing is lost: 0. Keep the divisor away from 0.",
        ),
        Misconception(
            "softmax twice",
            lambda logits, targets, padding_id: _reference(logits.softmax(-1), targets, padding_id),
            "the logits go through a softmax first, and then again inside the loss",
            "Even a perfect prediction would cost more than 0. Logits are what goes into the loss.",
        ),
        Misconception(
            "probabilities without a logarithm",
            lambda logits, targets, padding_id: _per_token(
                1 - _losses(logits, targets).neg().exp(), targets, padding_id
            ),
            "the loss is 1 - p, not -log p",
            "What should a target with probability 0 cost?",
        ),
        Misconception(
            "exponentials overflow",
            _exponentials,
            "the exponential of a logit of 1000 is infinite",
            "Softmax does not change when the same number is taken from all logits of a row.",
        ),
        Misconception(
            "log of a softmax",
            _log_of_softmax,
            "a probability too small for float32 becomes 0, and its logarithm infinite",
            "-log p is log-sum-exp of the row minus the target's logit: no probability is needed.",
        ),
        Misconception(
            "a small number under the logarithm",
            _clamped,
            "a small number was added to the probabilities: no loss can be larger than its "
            "logarithm, and the gradient dies there",
            "-log p is log-sum-exp of the row minus the target's logit: no probability is needed.",
        ),
        Misconception(
            "softmax over the tokens",
            _over_tokens,
            "the probabilities sum to one over the tokens of a text, not over the vocabulary",
            "Each token has a row of logits. Which axis holds it?",
        ),
        Misconception(
            "in bits",
            lambda logits, targets, padding_id: (
                _reference(logits, targets, padding_id) / math.log(2)
            ),
            "the logarithm has base 2: bits, where nats were asked for",
            "`torch.log` is the natural one.",
        ),
        Misconception(
            "negative",
            lambda logits, targets, padding_id: -_reference(logits, targets, padding_id),
            "this is the mean of log p; the loss is its negative",
            "A loss is something to make small.",
        ),
        Misconception(
            "padding is always 0",
            lambda logits, targets, padding_id: _reference(logits, targets, 0),
            "padding is taken to be id 0, whatever padding_id says",
            "Use the argument.",
        ),
    ),
    hints=(
        "For one token: log-sum-exp of its logits, minus the logit of its target.",
        "`torch.logsumexp` is allowed. The target's logit: "
        "`logits.gather(-1, targets[..., None]).squeeze(-1)`.",
        "Then sum over `targets != padding_id`, and divide by their number, at least 1.",
    ),
)
