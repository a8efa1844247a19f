"""training.label_smoothing: a little probability for every word, and none for the padding."""

from functools import partial

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.training.cross_entropy import (
    certain_of_one,
    nearly_flat,
    padding_between,
    smoothed,
)
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    case = partial(smoothed, generator)

    def long() -> Case:
        lengths = torch.randint(1, 20, (17,), generator=generator).tolist()
        label = "17 texts of up to 19 words of 24, padding id 20, smoothing 0.25"
        return case(label, (*lengths,), 24, 0.25, 20, draw=tidy)

    return [
        case("two words out of three, smoothing 0.3", (2,), 4, 0.3, draw=tidy),
        case("no smoothing", (3, 1), 5, 0.0),
        case("two texts, the second with padding", (3, 1), 5, 0.1),
        case("one text with padding", (1,), 4, 0.2, least=3),
        case("padding id 4", (2, 5, 3), 7, 0.2, 4),
        case("smoothing 0.5, a vocabulary of 12", (4, 2), 12, 0.5),
        case("logits with a spread of 100", (3, 2), 6, 0.1, spread=100.0),
        case("gradients", (4, 2, 3), 6, 0.3, gradients=True),
        case("two texts of one token, one of them padding", (1, 0), 5, 0.2),
        nearly_flat(case("logits below a thousandth", (3,), 4, 0.1)), long(),
        Case("padding on the left and between words",
             {**padding_between(generator), "padding_id": 3, "smoothing": 0.1}),
        certain_of_one(case("a word of which the model is certain, no smoothing", (3,), 5, 0.0)),
    ]


_EVEN = "(costs.sum(-1) - costs[..., padding_id]) / (logits.shape[-1] - 1)"
_MEAN = "losses[real].sum() / real.sum().clamp(min=1)"

CHECK = Check(
    name="training.label_smoothing", lesson="07_training", title="Label smoothing",
    answer="smoothed_loss", returns=("loss",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15, rtol=1e-4,
    slips=(
        Slip("mass to the padding", {_EVEN: "costs.mean(-1)"},
             "the padding gets its share of the smoothing: the model is taught to say padding",
             "Over how many words is it to be spread, and over which?"),
        Slip("target left out", {"- costs[..., padding_id]": "- target_cost"},
             "the smoothing is spread over all *other* ids, the padding among them: ε/(V - 1) each",
             "Here the target gets its even share as well, and the padding none."),
        Slip("target and padding left out",
             {"padding_id])": "padding_id] - target_cost)", "shape[-1] - 1": "shape[-1] - 2"},
             "the smoothing is spread over all words but the target: ε/(V - 2) each",
             "Here the target gets its even share as well. What does it add up to there?"),
        families.smaller_ids_are_padding({"!= padding_id": "> padding_id"}),
        Slip("the divergence", {
                 "    real =":
                     "    words = logits.shape[-1] - 1\n"
                     "    wanted = torch.full((words,), smoothing / words)\n"
                     "    wanted[0] += 1 - smoothing  # the target\n"
                     "    losses = losses + torch.xlogy(wanted, wanted).sum()\n"
                     "    real =",
             },
             "this is the Kullback-Leibler divergence: the entropy of the wanted probabilities is "
             "missing; the gradient is the same, the loss is not",
             "Cross-entropy is -Σ wanted · log p, and nothing is added to it."),
        Slip("probabilities without a logarithm", {".log_softmax(-1)": ".softmax(-1)"},
             "the wanted probabilities are multiplied by probabilities; it must be their "
             "logarithms",
             "-Σ wanted · log p."),
        families.log_of_a_softmax({".log_softmax(-1)": ".softmax(-1).log()"}),
        Slip("padding counted", {_MEAN: "losses.mean()"},
             "places whose target is padding count as well",
             "Which rows of the wanted probabilities should cost nothing?"),
        families.axis_of_one_left({".squeeze(-1)": ""}),
        Slip("not divided", {" / real.sum().clamp(min=1)": ""},
             "this is the sum over the tokens, not their mean",
             "Divide by the number of places that count."),
        Slip("divided by all places", {"real.sum().clamp(min=1)": "real.numel()"},
             "padding costs nothing, but the sum is divided by all places",
             "Divide by the number of places that count."),
        families.padding_id_fixed(
            {"!= padding_id": "!= 0", "costs[..., padding_id]": "costs[..., 0]"}),
    ),
)
