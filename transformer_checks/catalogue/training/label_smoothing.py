"""training.label_smoothing: a little probability for every word, and none for the padding."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.training.cross_entropy import drawn
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _wanted(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    """The wanted probabilities, of the shape of the logits."""
    words = torch.ones(logits.shape[-1], dtype=logits.dtype)
    words[padding_id] = 0.0
    hard = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    return (1 - smoothing) * hard + smoothing * words / words.sum()


def _mean(losses: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    real = targets != padding_id
    return (losses * real).sum() / real.sum().clamp(min=1)


def _against(wanted: Tensor, logits: Tensor) -> Tensor:
    return -(wanted * logits.log_softmax(-1)).sum(-1)


def _reference(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    wanted = _wanted(logits, targets, padding_id, smoothing)
    return _mean(_against(wanted, logits), targets, padding_id)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        lengths: tuple[int, ...],
        vocabulary: int,
        smoothing: float,
        padding_id: int = 0,
        *,
        gradients: bool = False,
        draw: Draw = normal,
        spread: float = 2.0,
    ) -> Case:
        inputs = drawn(generator, lengths, vocabulary, padding_id, draw=draw, spread=spread)
        return Case(label, {**inputs, "padding_id": padding_id, "smoothing": smoothing}, gradients)

    return [
        case("two words out of three, smoothing 0.3", (2,), 4, 0.3, draw=tidy),
        case("no smoothing", (3, 1), 5, 0.0),
        case("two texts, the second with padding", (3, 1), 5, 0.1),
        case("padding id 4", (2, 5, 3), 7, 0.2, 4),
        case("smoothing 0.5, a vocabulary of 12", (4, 2), 12, 0.5),
        case("logits with a spread of 100", (3, 2), 6, 0.1, spread=100.0),
        case("gradients", (4, 2, 3), 6, 0.3, gradients=True),
    ]


def _spread_over(count: str):  # type: ignore[no-untyped-def]
    """Other ideas of who shares the smoothing."""

    def answer(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
        hard = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
        share = torch.ones_like(hard) if count != "without target" else 1 - hard
        if count == "without both":
            share = 1 - hard
        if count in ("without both", "padding only divided"):
            share = share.clone()
            share[..., padding_id] = 0.0
        total = logits.shape[-1] if count == "padding only divided" else share.sum(-1, True)
        wanted = (1 - smoothing) * hard + smoothing * share / total
        return _mean(_against(wanted, logits), targets, padding_id)

    return answer


def _target_keeps_one(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    hard = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    wanted = _wanted(logits, targets, padding_id, smoothing) + smoothing * hard
    return _mean(_against(wanted, logits), targets, padding_id)


def _swapped(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    return _reference(logits, targets, padding_id, 1 - smoothing)


def _divergence(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    wanted = _wanted(logits, targets, padding_id, smoothing)
    losses = _against(wanted, logits) + torch.xlogy(wanted, wanted).sum(-1)
    return _mean(losses, targets, padding_id)


def _on_probabilities(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    wanted = _wanted(logits, targets, padding_id, smoothing)
    return _mean(-(wanted * logits.softmax(-1)).sum(-1), targets, padding_id)


def _padding_counted(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    return _against(_wanted(logits, targets, padding_id, smoothing), logits).mean()


def _padding_smoothed(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    hard = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    hard = hard * (targets != padding_id)[..., None]
    wanted = _wanted(logits, targets, padding_id, smoothing)
    wanted = wanted - (1 - smoothing) * (
        F.one_hot(targets, logits.shape[-1]).to(logits.dtype) - hard
    )
    return _against(wanted, logits).sum() / (targets != padding_id).sum().clamp(min=1)


def _log_of_softmax(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    wanted = _wanted(logits, targets, padding_id, smoothing)
    losses = -(wanted * logits.softmax(-1).log()).sum(-1)
    return _mean(losses, targets, padding_id)


LABEL_SMOOTHING = Check(
    name="training.label_smoothing",
    lesson="07_training",
    title="Label smoothing",
    answer="smoothed_loss",
    returns=("loss",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "mass to the padding",
            _spread_over("all"),
            "the padding gets its share of the smoothing: the model is taught to say padding",
            "Over how many words is it to be spread, and over which?",
        ),
        Misconception(
            "target left out",
            _spread_over("without target"),
            "the smoothing is spread over all *other* ids, the padding among them: ε/(V - 1) each",
            "Here the target gets its even share as well, and the padding none.",
        ),
        Misconception(
            "target and padding left out",
            _spread_over("without both"),
            "the smoothing is spread over all words but the target: ε/(V - 2) each",
            "Here the target gets its even share as well. What does it add up to there?",
        ),
        Misconception(
            "does not sum to one",
            _spread_over("padding only divided"),
            "the padding gets nothing, but the share is still ε/V: the wanted probabilities sum to "
            "less than one",
            "How many words share it, once the padding is out?",
        ),
        Misconception(
            "target keeps everything",
            _target_keeps_one,
            "the target keeps its 1 and the smoothing comes on top: more than one in sum",
            "What is given to the others must be taken from the target.",
        ),
        Misconception(
            "smoothing swapped",
            _swapped,
            "the two shares are swapped: smoothing 0 spreads everything evenly",
            "With smoothing 0 this is the plain cross-entropy.",
        ),
        Misconception(
            "no smoothing",
            lambda logits, targets, padding_id, smoothing: _reference(
                logits, targets, padding_id, 0.0
            ),
            "the smoothing is not used",
            "What does a word that is not the target contribute?",
        ),
        Misconception(
            "the divergence",
            _divergence,
            "this is the Kullback-Leibler divergence: the entropy of the wanted probabilities is "
            "missing. The gradient is the same, the loss is not",
            "Cross-entropy is -Σ wanted · log p, and nothing is added to it.",
        ),
        Misconception(
            "probabilities without a logarithm",
            _on_probabilities,
            "the wanted probabilities are multiplied by probabilities; it must be their logarithms",
            "-Σ wanted · log p.",
        ),
        Misconception(
            "log of a softmax",
            _log_of_softmax,
            "a probability too small for float32 becomes 0, and its logarithm infinite",
            "Take `log_softmax`, or log-sum-exp, in one go.",
        ),
        Misconception(
            "padding counted",
            _padding_counted,
            "places whose target is padding count as well",
            "Which rows of the wanted probabilities should cost nothing?",
        ),
        Misconception(
            "padding costs its smoothing",
            _padding_smoothed,
            "where the target is padding, the smoothing is still charged",
            "Such a place costs nothing at all.",
        ),
    ),
    hints=(
        "Build the wanted probabilities of one token by hand: V = 5, padding 0, target 2, "
        "smoothing 0.2. Four words share 0.2. What does each have? They sum to 1.",
        "The loss of a token is -Σ wanted · log p. That is (1 - ε) times the plain loss, plus ε "
        "times the mean of -log p over all words but the padding.",
        "As in the exercise before: sum where the target is real, divided by their number.",
    ),
)
