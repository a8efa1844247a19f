"""Lesson 08: is a body that was pre-trained ahead of a fresh one, when labels are few?"""

import copy
import random

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import (
    Model,
    Parts,
    bert,
    encode,
    gpt,
    known,
    unseen,
)
from transformer_lesson.training import TrainingConfig, train

COUNTS, DRAWS = (4, 16), 2
BERT, GPT = "BERT", "GPT"
FRESH, CAUSAL, LONGER = "fresh, both sides", "fresh, causal", "fresh, both sides, 120 steps"


class Classifier(nn.Module):
    """A copy of a body, and a head on the mean of its states."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model, self.head = copy.deepcopy(model), nn.Linear(48, 2)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.model.hidden(tokens).mean(1))


def outside(parts: Parts) -> int:
    """Return the label: 1 where the story happens outside, as its first part's weather tells."""
    return int(parts[0][1] in ("sunny", "windy"))


def tokens_of(chosen: list[Parts]) -> Tensor:
    """Return second parts alone, ``(stories, tokens)``."""
    return torch.tensor([encode(then) for _, then in chosen])


def few_labels(model: Model, count: int, seed: int, steps: int) -> float:
    """Return the accuracy on 400 texts after training on ``count``, half of each kind."""
    kinds = [[p for p in known if outside(p) == kind] for kind in (0, 1)]
    drawn = [p for kind in kinds for p in random.Random(seed).sample(kind, count // 2)]
    texts, labels = tokens_of(drawn), torch.tensor([outside(parts) for parts in drawn])

    def objective(classifier: nn.Module, batch: None) -> tuple[Tensor, int]:
        return F.cross_entropy(classifier(texts), labels, reduction="sum"), count

    classifier = Classifier(model)
    config = TrainingConfig(steps=steps, learning_rate=1e-3)
    train(classifier, objective, lambda number: None, config, progress=False)
    with torch.no_grad():
        said = classifier(tokens_of(unseen)).argmax(-1)
    return (said == torch.tensor([outside(parts) for parts in unseen])).float().mean().item()


def measure(seed: int, body: str, steps: int = 40) -> Numbers:
    """Accuracy with few labels, the mean of two draws of them."""
    match body:
        case "bert":
            model = bert(seed)
        case "gpt":
            model = gpt(seed)
        case _:
            model = Model(causal=body == "fresh, causal", seed=100 + seed)
    return {
        f"{count} labels": sum(
            few_labels(model, count, DRAWS * seed + draw, steps) for draw in range(DRAWS)
        )
        / DRAWS
        for count in COUNTS
    }


def decide(runs: Runs) -> Verdict:
    def ahead(count: int, fresh: str) -> int:
        metric = f"{count} labels"
        pairs = zip(runs.values(BERT, metric), runs.values(fresh, metric), strict=True)
        return sum(own > other for own, other in pairs)

    few, more = ahead(4, FRESH), ahead(16, FRESH)
    number = len(runs.values(BERT, "4 labels"))
    numbers = "; ".join(
        f"with {count} labels BERT {runs.median(BERT, f'{count} labels'):.0%}, GPT "
        f"{runs.median(GPT, f'{count} labels'):.0%}, fresh bodies "
        f"{runs.median(FRESH, f'{count} labels'):.0%} and (causal) "
        f"{runs.median(CAUSAL, f'{count} labels'):.0%}, BERT ahead of the fresh one in "
        f"{ahead(count, FRESH)} of {number} runs"
        for count in COUNTS
    )
    numbers = f"{numbers[0].upper()}{numbers[1:]} (of one with 120 steps: {ahead(16, LONGER)})."
    if min(few, more) >= number - 1:
        return Verdict("true", numbers)
    if max(few, more) >= number - 1:
        return Verdict("half true", numbers)
    return Verdict("false" if max(few, more) <= number / 2 else "not decided", numbers)


CLAIM = Claim(
    name="bert.labels",
    lesson="08_bert_and_gpt",
    says="Where labels are few, a pre-trained BERT is ahead of a body that begins fresh.",
    source="Howard and Ruder 2018; Devlin et al. 2019, section 4.1",
    measure=measure,
    conditions=(
        Condition(BERT, {"body": "bert"}),
        Condition(FRESH, {"body": "fresh"}, "control"),
        Condition(GPT, {"body": "gpt"}),
        Condition(CAUSAL, {"body": "fresh, causal"}, "control"),
        Condition(LONGER, {"body": "fresh", "steps": 120}, "longer"),
    ),
    runs=5,
    metric="16 labels",
    label="accuracy on new texts after 16 labels",
    criterion=(
        "True where BERT is ahead in all paired runs but one, of two draws of labels each, "
        "with 4 labels and with 16; half true where it is so with one of the two; false where it "
        "is ahead in at most half of the runs with either."
    ),
    decide=decide,
)
