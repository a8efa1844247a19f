"""translation.loss: sums that can be added, of what is trained on and of what is reported."""

from functools import partial

from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import tidy, uneven
from transformer_checks.catalogue.training.cross_entropy import (
    certain_of_one,
    nearly_flat,
    padding_between,
    smoothed,
)
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


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
        case("18 sentences, 23 words, logits of many sizes", lengths, 23, 0.25, 18, draw=level,
             spread=1),
        certain_of_one(case("a word of which the model is certain", (3, 1), 5, 0.1)),
    ]


_EVEN = "(costs.sum(-1) - costs[..., padding_id])[real]"
_WORDS = "(logits.shape[-1] - 1)"
_SUMS = "smoothed.sum(), real.sum(), plain.sum()"

CHECK = Check(
    name="translation.loss", lesson="10_translation",
    title="The loss that is trained on, and the one that is reported",
    answer="translation_loss", returns=("smoothed", "count", "plain"), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=12, rtol=1e-4,
    slips=(
        Slip("means instead of sums",
             {"smoothed.sum()": "smoothed.sum() / real.sum().clamp(min=1)",
              "plain.sum()": "plain.sum() / real.sum().clamp(min=1)"},
             "means are returned: the mean of two means is not the mean of all tokens, once "
             "batches differ in size",
             "Sums can be added over batches. Who divides, and when?"),
        Slip("mean of each sentence",
             {f"    return {_SUMS}":
                  "    lengths = real.sum(-1, keepdim=True).expand_as(real)[real]\n"
                  "    return (smoothed / lengths).sum(), real.sum(), (plain / lengths).sum()"},
             "each sentence's loss is divided by its length: a word of a short sentence then "
             "weighs more than one of a long sentence",
             "Every token weighs the same."),
        Slip("padding counted", {"targets != padding_id": "torch.ones_like(targets).bool()"},
             "places whose target is padding are in the sums and in the count",
             "Which targets cost nothing?"),
        Slip("padding in the count", {"real.sum()": "real.numel()"},
             "the sums are right, but the count includes the padding: the loss per token looks "
             "better the more padding there is",
             "Count what was summed."),
        Slip("sentences counted", {"real.sum()": "real.any(-1).sum()"},
             "the count is the number of sentences", "Count tokens."),
        Slip("smoothing over padding too", {f"{_EVEN} / {_WORDS}": "costs.mean(-1)[real]"},
             "the padding gets its share of the smoothing: ε/V; the model is taught to say padding",
             "Over how many ids is it to be spread, once the padding is out?"),
        Slip("smoothing over all other ids", {_EVEN: "(costs.sum(-1)[real] - plain)"},
             "the smoothing is spread over all ids but the target, the padding among them",
             "Here the target gets its even share as well, and the padding none."),
        Slip("probabilities without a logarithm", {"log_softmax": "softmax"},
             "the wanted probabilities are multiplied by probabilities, not by their logarithms",
             "-Σ wanted · log p."),
        families.log_of_a_softmax({"log_softmax(-1)": "softmax(-1).log()"}),
        families.axis_of_one_left({".squeeze(-1)[real]": "[real]"}),
    ),
)
