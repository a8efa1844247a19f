"""training.label_smoothing: a little probability for every word, and none for the padding."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.training.cross_entropy import (
    certain_of_one,
    drawn,
    nearly_flat,
    padding_between,
)
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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
        least: int = 1,
    ) -> Case:
        inputs = drawn(
            generator, lengths, vocabulary, padding_id, draw=draw, spread=spread, least=least
        )
        return Case(label, {**inputs, "padding_id": padding_id, "smoothing": smoothing}, gradients)

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
        nearly_flat(case("logits below a thousandth", (3,), 4, 0.1)),
        long(),
        Case(
            "padding on the left and between words",
            {**padding_between(generator), "padding_id": 3, "smoothing": 0.1},
        ),
        certain_of_one(case("a word of which the model is certain, no smoothing", (3,), 5, 0.0)),
    ]


_EVEN = "(costs.sum(-1) - costs[..., padding_id]) / (logits.shape[-1] - 1)"
_BOTH = "(1 - smoothing) * target_cost + smoothing * even_cost"
_MEAN = "losses[real].sum() / real.sum().clamp(min=1)"

# fmt: off
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
        Slip("does not sum to one", {"(logits.shape[-1] - 1)": "logits.shape[-1]"},
             "the padding gets nothing, but the share is still ε/V: the wanted probabilities sum "
             "to less than one",
             "How many words share it, once the padding is out?"),
        Slip("no even share for the target",
             {_BOTH: f"{_BOTH} - smoothing * target_cost / (logits.shape[-1] - 1)"},
             "the target gets 1 - ε without its even share: the wanted probabilities sum to less "
             "than one",
             "In the example the target has 0.85, not 0.8."),
        Slip("the padding's column is always 0", {"costs[..., padding_id]": "costs[..., 0]"},
             "the word that gets no share is the one with id 0, whatever padding_id says",
             "Use the argument."),
        Slip("smaller ids taken for padding", {"!= padding_id": "> padding_id"},
             "targets below the padding id do not count",
             "Padding is one id. Which comparison says so?"),
        Slip("target keeps everything", {"(1 - smoothing) * target_cost": "target_cost"},
             "the target keeps its 1 and the smoothing comes on top: more than one in sum",
             "What is given to the others must be taken from the target."),
        Slip("smoothing swapped", {_BOTH: "smoothing * target_cost + (1 - smoothing) * even_cost"},
             "the two shares are swapped: smoothing 0 spreads everything evenly",
             "With smoothing 0 this is the plain cross-entropy."),
        Slip("no smoothing", {_BOTH: "target_cost"},
             "the smoothing is not used",
             "What does a word that is not the target contribute?"),
        Slip("the divergence", {
                 "    real =":
                     "    words = logits.shape[-1] - 1\n"
                     "    wanted = torch.full((words,), smoothing / words)\n"
                     "    wanted[0] += 1 - smoothing  # the target\n"
                     "    losses = losses + torch.xlogy(wanted, wanted).sum()\n"
                     "    real =",
             },
             "this is the Kullback-Leibler divergence: the entropy of the wanted probabilities is "
             "missing. The gradient is the same, the loss is not",
             "Cross-entropy is -Σ wanted · log p, and nothing is added to it."),
        Slip("probabilities without a logarithm", {".log_softmax(-1)": ".softmax(-1)"},
             "the wanted probabilities are multiplied by probabilities; it must be their "
             "logarithms",
             "-Σ wanted · log p."),
        Slip("log of a softmax", {".log_softmax(-1)": ".softmax(-1).log()"},
             "a probability too small for float32 becomes 0, and its logarithm infinite",
             "Take `log_softmax`, or log-sum-exp, in one go."),
        Slip("padding left out of the softmax",
             {"logits.log_softmax(-1)":
                  "logits.masked_fill(torch.arange(logits.shape[-1]) == padding_id, -1e30)"
                  ".log_softmax(-1)",
              "costs.sum(-1) - costs[..., padding_id]":
                  "costs.masked_fill(torch.arange(logits.shape[-1]) == padding_id, 0.0).sum(-1)"},
             "padding is left out of the softmax: its probability goes to the other words",
             "Padding is no *target*. Among the ids that the model may name it stays."),
        Slip("padding counted", {_MEAN: "losses.mean()"},
             "places whose target is padding count as well",
             "Which rows of the wanted probabilities should cost nothing?"),
        Slip("padding costs its smoothing",
             {"target_cost +": "target_cost * (targets != padding_id) +", "losses[real]": "losses"},
             "where the target is padding, the smoothing is still charged",
             "Such a place costs nothing at all."),
        Slip("an axis of one left", {".squeeze(-1)": ""},
             "the targets' costs keep an axis of one: beside (batch, tokens) they are repeated",
             "Print the shapes of both before you subtract."),
        Slip("not divided", {" / real.sum().clamp(min=1)": ""},
             "this is the sum over the tokens, not their mean",
             "Divide by the number of places that count."),
        Slip("divided by all places", {"real.sum().clamp(min=1)": "real.numel()"},
             "padding costs nothing, but the sum is divided by all places",
             "Divide by the number of places that count."),
        Slip("a mean of sentences",
             {_MEAN: "((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()"},
             "each text gets the same weight: a token of a short one counts more",
             "One sum over all real tokens of the batch, one division."),
        Slip("softmax over the tokens", {".log_softmax(-1)": ".log_softmax(1)"},
             "the probabilities sum to one over the tokens of a text, not over the vocabulary",
             "Each token has a row of logits. Which axis holds it?"),
        Slip("padding is always 0",
             {"!= padding_id": "!= 0", "costs[..., padding_id]": "costs[..., 0]"},
             "padding is taken to be id 0, whatever padding_id says",
             "Use the argument."),
    ),
    hints=(
        "Build the wanted probabilities of one token by hand: V = 5, padding 0, target 2, "
        "smoothing 0.2. Four words share 0.2. What does each have? They sum to 1.",
        "The loss of a token is -Σ wanted · log p. That is (1 - ε) times the plain loss, plus ε "
        "times the mean of -log p over all words but the padding.",
        "As in the exercise before: sum where the target is real, divided by their number.",
    ),
)
