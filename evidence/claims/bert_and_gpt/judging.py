"""Lab 08, section 6: must a model be asked in training whether B follows A, to judge it?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import Model, bert_of_pairs, encode, gpt, stories, unseen
from transformer_lesson import seeded

AREA = "area under the curve"
GPT, ASKED = "GPT, never asked, by its surprise", "BERT, asked in training"


def pairs_to_judge() -> tuple[Tensor, Tensor]:
    """Return 800 new pairs ``(800, 26)``, the second half of them random, and which follow."""
    firsts, thens = [encode(a) for a, _ in unseen], [encode(b)[1:] for _, b in unseen]
    other = torch.randint(len(unseen), (len(unseen),), generator=seeded(3)).tolist()
    true = [a + b for a, b in zip(firsts, thens, strict=True)]
    random_pairs = [a + thens[o] for a, o in zip(firsts, other, strict=True)]
    return torch.tensor(true + random_pairs), torch.arange(800) < 400


def area(scores: Tensor, follows: Tensor) -> float:
    """Return how often a true pair scores above a random one; a tie counts a half."""
    higher = scores[follows][:, None] - scores[~follows]
    return ((higher > 0).float() + (higher == 0).float() / 2).mean().item()


@torch.no_grad()
def judged(model: Model, pairs: Tensor) -> Tensor:
    """Return a score ``(pairs,)``: BERT's answer, or minus GPT's surprise over B."""
    if not model.causal:
        logits = model.hidden(pairs)[:, 0] @ model.follows
        return logits[:, 1] - logits[:, 0]
    logp = model(pairs[:, :-1]).log_softmax(-1).gather(-1, pairs[:, 1:, None])[..., 0]
    return logp[:, 11:].sum(-1)  # of B, which begins at place 12


def measure(seed: int, who: str) -> Numbers:
    """Area under the curve of one judge."""
    pairs, follows = pairs_to_judge()
    match who:
        case "perfect reader":
            possible = {tuple(encode(*parts)) for parts in stories}
            scores = torch.tensor([float(tuple(row) in possible) for row in pairs.tolist()])
        case "gpt":
            scores = judged(gpt(seed), pairs)
        case "asked":
            scores = judged(bert_of_pairs(seed), pairs)
        case _:
            scores = judged(Model(causal=True, seed=seed), pairs)
    return {AREA: area(scores, follows)}


def decide(runs: Runs) -> Verdict:
    """Of a true pair and a random one, how often does the true one score higher (the area under the
    ROC curve)? False where a model that was never asked reaches 0.9 in all runs but one, true where
    it stays below 0.7 in as many.
    """
    number = len(runs.values(GPT, AREA))
    good = runs.count(lambda value: value >= 0.9, GPT, AREA)
    poor = runs.count(lambda value: value < 0.7, GPT, AREA)
    learned = runs.count(lambda value: value >= 0.9, ASKED, AREA)
    never, asked, perfect = (runs.median(who, AREA) for who in (GPT, ASKED, "perfect reader"))
    numbers = (
        f"GPT, which was never asked, reaches {never:.2f}, and 0.9 in {good} of {number} runs. "
        f"BERT, which was asked 9,600 times, reaches {asked:.2f}, and 0.9 in {learned} of "
        f"{number}; a perfect reader {perfect:.2f}."
    )
    return Verdict.of(numbers, false=good >= number - 1, true=poor >= number - 1)


CLAIM = Claim(
    name="bert.judging",
    lesson="labs/08_objectives",
    conditions=(
        Condition(GPT, {"who": "gpt"}),
        Condition(ASKED, {"who": "asked"}, "control"),
        Condition("perfect reader", {"who": "perfect reader"}, "ideal"),
        Condition("untrained", {"who": "untrained"}, "chance"),
    ),
    first=5000,
    metric=AREA,
    label="share of (true, random) pairs put in the right order",
)
