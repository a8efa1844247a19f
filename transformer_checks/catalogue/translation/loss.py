"""translation.loss: sums that can be added, of what is trained on and of what is reported."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.training.cross_entropy import drawn
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class _Loss:
    """Smoothed sum, number of tokens, plain sum; with a flag set, one thing is done wrongly."""

    over: str = "words"  # who shares the smoothing
    means: bool = False
    mean_of_rows: bool = False
    padding_counted: bool = False
    padding_in_count: bool = False
    padding_costs_smoothing: bool = False
    rows_counted: bool = False
    plain_is_smoothed: bool = False
    swapped_losses: bool = False
    unsmoothed: bool = False
    other_share: bool = False
    divergence: bool = False
    probabilities: bool = False
    log_of_softmax: bool = False

    def __call__(
        self, logits: Tensor, targets: Tensor, padding_id: int, smoothing: float
    ) -> Result:
        smoothing = 0.0 if self.unsmoothed else smoothing
        smoothing = 1 - smoothing if self.other_share else smoothing
        hard = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
        real = targets != padding_id
        wanted = (1 - smoothing) * hard + smoothing * self._shares(hard, padding_id)
        if self.padding_costs_smoothing:
            wanted = torch.where(real[..., None], wanted, smoothing * self._shares(hard, 0))
        costs = -(logits.softmax(-1).log() if self.log_of_softmax else logits.log_softmax(-1))
        costs = -logits.softmax(-1) if self.probabilities else costs
        smoothed, plain = (wanted * costs).sum(-1), (hard * costs).sum(-1)
        if self.divergence:
            smoothed = smoothed + torch.xlogy(wanted, wanted).sum(-1)
        counted = torch.ones_like(real) if self.padding_counted else real
        charged = counted | self.padding_costs_smoothing
        count = (counted | self.padding_in_count).sum()
        count = counted.any(-1).sum() if self.rows_counted else count
        total, bare = self._sum(smoothed, charged), self._sum(plain, counted)
        if self.means:
            total, bare = total / count.clamp(min=1), bare / count.clamp(min=1)
        if self.swapped_losses:
            return bare, count, total
        return total, count, total if self.plain_is_smoothed else bare

    def _shares(self, hard: Tensor, padding_id: int) -> Tensor:
        """How the smoothing is spread."""
        share = torch.ones_like(hard)
        if self.over in ("other ids", "other words"):
            share = 1 - hard
        if self.over not in ("ids", "other ids"):
            share = share.clone()
            share[..., padding_id] = 0.0
        total = hard.shape[-1] if self.over == "words, divided by ids" else share.sum(-1, True)
        return share / total

    def _sum(self, losses: Tensor, counted: Tensor) -> Tensor:
        losses = torch.where(counted, losses, 0.0)
        if self.mean_of_rows:
            return (losses.sum(-1) / counted.sum(-1).clamp(min=1)).sum()
        return losses.sum()


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
        case("two words, no padding, smoothing 0.3", (2,), 4, 0.3, draw=tidy),
        case("two sentences, the second with padding, smoothing 0.1", (3, 1), 5, 0.1),
        case("no smoothing", (4, 2, 1), 6, 0.0),
        case("padding id 4", (2, 5, 3), 7, 0.2, 4),
        case("a batch that is all padding", (0, 0), 5, 0.1),
        case("logits with a spread of 100", (3, 2), 6, 0.1, spread=100.0),
        case("gradients of the smoothed sum", (4, 2, 3), 6, 0.3, gradients=True),
    ]


LOSS = Check(
    name="translation.loss",
    lesson="10_translation",
    title="The loss that is trained on, and the one that is reported",
    answer="translation_loss",
    returns=("smoothed", "count", "plain"),
    points=2,
    difficulty=3,
    importance=4,
    minutes=12,
    draw=_draw,
    reference=_Loss(),
    slips=(
        Misconception(
            "means instead of sums",
            _Loss(means=True),
            "means are returned: the mean of two means is not the mean of all tokens, once batches "
            "differ in size",
            "Sums can be added over batches. Who divides, and when?",
        ),
        Misconception(
            "mean of each sentence",
            _Loss(mean_of_rows=True),
            "each sentence's loss is divided by its length: a word of a short sentence then weighs "
            "more than one of a long sentence",
            "Every token weighs the same.",
        ),
        Misconception(
            "padding counted",
            _Loss(padding_counted=True),
            "places whose target is padding are in the sums and in the count",
            "Which targets cost nothing?",
        ),
        Misconception(
            "padding in the count",
            _Loss(padding_in_count=True),
            "the sums are right, but the count includes the padding: the loss per token looks "
            "better the more padding there is",
            "Count what was summed.",
        ),
        Misconception(
            "sentences counted",
            _Loss(rows_counted=True),
            "the count is the number of sentences",
            "Count tokens.",
        ),
        Misconception(
            "padding costs its smoothing",
            _Loss(padding_costs_smoothing=True),
            "where the target is padding, the smoothing is still charged",
            "Such a place costs nothing at all.",
        ),
        Misconception(
            "smoothing over padding too",
            _Loss(over="ids"),
            "the padding gets its share of the smoothing: ε/V. The model is taught to say padding",
            "Over how many ids is it to be spread, once the padding is out?",
        ),
        Misconception(
            "smoothing over all other ids",
            _Loss(over="other ids"),
            "the smoothing is spread over all ids but the target, the padding among them",
            "Here the target gets its even share as well, and the padding none.",
        ),
        Misconception(
            "smoothing over all other words",
            _Loss(over="other words"),
            "the target gets no share of the smoothing: ε/(V - 2) for all other words",
            "Here the target gets its even share as well.",
        ),
        Misconception(
            "shares do not sum to one",
            _Loss(over="words, divided by ids"),
            "the padding gets nothing, but the share is still ε/V: something is lost",
            "How many words share it?",
        ),
        Misconception(
            "no smoothing",
            _Loss(unsmoothed=True),
            "the smoothing is not used: both sums are the plain one",
            "What does a word that is not the target contribute?",
        ),
        Misconception(
            "smoothing swapped",
            _Loss(other_share=True),
            "the two shares are swapped: smoothing 0 spreads everything",
            "With smoothing 0 both sums are equal.",
        ),
        Misconception(
            "smoothed loss reported",
            _Loss(plain_is_smoothed=True),
            "the reported sum is smoothed too: its exponential is no perplexity, and runs with "
            "different smoothing cannot be compared",
            "What does the model's own probability of the target cost?",
        ),
        Misconception(
            "the two sums swapped",
            _Loss(swapped_losses=True),
            "the smoothed and the plain sum are swapped",
            "First what is trained on.",
        ),
        Misconception(
            "the divergence",
            _Loss(divergence=True),
            "this is the Kullback-Leibler divergence: the entropy of the wanted probabilities was "
            "taken off. Its gradient is the same, its value is not",
            "Cross-entropy is -Σ wanted · log p, and nothing is added to it.",
        ),
        Misconception(
            "probabilities without a logarithm",
            _Loss(probabilities=True),
            "the wanted probabilities are multiplied by probabilities; it must be their logarithms",
            "-Σ wanted · log p.",
        ),
        Misconception(
            "log of a softmax",
            _Loss(log_of_softmax=True),
            "a probability too small for float32 becomes 0, and its logarithm infinite",
            "Take `log_softmax`, or log-sum-exp, in one go.",
        ),
    ),
    hints=(
        "Two costs for each place: that of the target, -log p(target), and the mean of -log p over "
        "all ids but the padding.",
        "smoothed = (1 - ε) · the first + ε · the second; plain is the first.",
        "Take both at the places where the target is real, sum, and count these places.",
    ),
)
