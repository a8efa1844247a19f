"""Lesson 08: does pre-training help most where labels are fewest?"""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import PAD, Model, Parts, bert, encode, known, unseen
from evidence.interval import interval
from transformer_lesson import seeded
from transformer_lesson.training import TrainingConfig, train
from transformer_lesson.training.losses import Loss

BERT, FRESH, LEAD = "BERT's body", "a fresh body", "lead of BERT's body"
FEW, MORE, MOST = "4 labels", "16 labels", "64 labels"
LONGER = "4 labels, 160 steps"


class Classifier(nn.Module):
    """A copy of a body, and a head on the mean of the states of real tokens."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model, self.head = copy.deepcopy(model), nn.Linear(48, 2)
        nn.init.zeros_(self.head.weight), nn.init.zeros_(self.head.bias)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits ``(texts, 2)``."""
        real = (tokens != PAD)[..., None]
        head: Tensor = self.head((self.model.hidden(tokens) * real).sum(1) / real.sum(1))
        return head


def labeled(chosen: list[Parts]) -> tuple[Tensor, Tensor]:
    """Second parts ``(texts, tokens)``, and 1 where the weather was that of outside."""
    texts = torch.tensor([encode(then) for _, then in chosen])
    return texts, torch.tensor([int(first[1] in ("sunny", "windy")) for first, _ in chosen])


def accuracy(model: Model, texts: Tensor, labels: Tensor, steps: int) -> float:
    """Share of the 400 new texts that are labeled rightly, after some steps on a few labels."""

    def objective(classifier: nn.Module, batch: None) -> Loss:
        return F.cross_entropy(classifier(texts), labels, reduction="sum"), len(labels)

    classifier = Classifier(model)
    config = TrainingConfig(steps=steps, learning_rate=1e-3)
    train(classifier, objective, lambda number: None, config, progress=False)
    new_texts, new_labels = labeled(unseen)
    with torch.no_grad():
        return (classifier(new_texts).argmax(-1) == new_labels).float().mean().item()


def measure(seed: int, labels: int, steps: int = 40) -> Numbers:
    """Accuracy of a pre-trained and of a fresh body on the same draw of labels."""
    order = torch.randperm(len(known), generator=seeded(seed)).tolist()
    drawn = [known[k] for k in order]
    sides: tuple[list[Parts], list[Parts]] = ([], [])
    for parts in drawn:
        sides[parts[0][1] in ("sunny", "windy")].append(parts)
    texts, wanted = labeled([parts for side in sides for parts in side[: labels // 2]])
    pre_trained = accuracy(bert(seed), texts, wanted, steps)
    fresh = accuracy(Model(causal=False, seed=1000 + seed), texts, wanted, steps)
    return {BERT: pre_trained, FRESH: fresh, LEAD: pre_trained - fresh}


def decide(runs: Runs) -> Verdict:
    """Each run has its own pre-training, fresh start and draw of labels, paired. By the 95 %
    interval of the mean lead of BERT's body over 20 runs, with four labels, after 40 steps and
    after 160: true if both lie above 0, false if both lie below 0.05.
    """
    few, longer = (interval(runs.values(name, LEAD)) for name in (FEW, LONGER))
    numbers = (
        f"With four labels BERT's body is {few:.2f} ahead in accuracy, and {longer:.2f} after 160 "
        f"steps; with 16 labels {interval(runs.values(MORE, LEAD)):.2f}. With 64 both are right "
        f"nearly always ({runs.median(MOST, FRESH):.2f} for a fresh body), and no lead could show."
    )
    both = (few, longer)
    return Verdict.of(
        numbers, true=min(i.low for i in both) > 0, false=max(i.high for i in both) < 0.05
    )


CLAIM = Claim(
    name="bert.labels",
    lesson="08_bert_and_gpt",
    conditions=(
        Condition(FEW, {"labels": 4}),
        Condition(LONGER, {"labels": 4, "steps": 160}, "longer"),
        Condition(MORE, {"labels": 16}),
        Condition(MOST, {"labels": 64}, "control"),
    ),
    different=((FEW, MOST),),
    runs=20,
    first=200,
    metric=LEAD,
    label="accuracy of BERT's body less that of a fresh one, the same labels",
    along="labels",
    axis="labels",
)
