"""Lesson 08: can BERT go on with a text?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import (
    GAPS,
    MASK,
    PRONOUNS,
    SEP,
    STEPS,
    Model,
    bert,
    bert_of_pairs,
    go_on,
    gpt,
    guesses,
    id_of,
    share_possible,
    unseen_ids,
)
from transformer_lesson import seeded

PROMPTS = 200
SHORT, WHOLE, EXCLUDED = "last sentence", "from the first sentence on", "on excluded actors"
LEFT, SUREST = "BERT, left to right", "BERT, surest first"
PAIRS_LEFT, PAIRS_SUREST = "BERT of pairs, left to right", "BERT of pairs, surest first"
NOT_ASKED, GPT = "the same, not asked whether B follows", "GPT"


@torch.no_grad()
def surest_first(
    model: Model, tokens: Tensor, generator: torch.Generator, total: int = 25
) -> Tensor:
    """Append all masks and [sep]; again and again fill the one whose drawn word is likeliest."""
    holes = tokens.new_full((len(tokens), total - tokens.shape[1]), MASK)
    tokens = torch.cat([tokens, holes, tokens.new_full((len(tokens), 1), SEP)], dim=1)
    for _ in range(holes.shape[1]):
        chances = model(tokens).softmax(-1)
        words = torch.multinomial(chances.flatten(0, 1), 1, generator=generator)
        words = words.view_as(tokens)
        sure = chances.gather(-1, words[..., None])[..., 0].masked_fill(tokens != MASK, -1)
        place = sure.argmax(-1, keepdim=True)
        tokens = tokens.scatter(1, place, words.gather(1, place))
    return tokens[:, :total]


def measure(seed: int, kind: str, order: str = "left") -> Numbers:
    """Share of continuations that make a possible story, and what is spent on wrong actors."""
    model = _model(kind, seed)
    way = surest_first if order == "surest" else go_on
    written = {
        name: share_possible(way(model, unseen_ids[:PROMPTS, :given], seeded(1)))
        for name, given in ((SHORT, 19), (WHOLE, 12))
    }
    return {**written, EXCLUDED: on_excluded_actors(model)}


def _model(kind: str, seed: int) -> Model:
    match kind:
        case "stories":
            return bert(seed)
        case "stories, longer":
            return bert(seed, steps=3 * STEPS)
        case "pairs":
            return bert_of_pairs(seed)
        case "pairs, not asked":
            return bert_of_pairs(seed, asked=False)
        case "gpt":
            return gpt(seed)
    return Model(causal=False, seed=seed)


def on_excluded_actors(model: Model) -> float:
    """Return the probability, at the gap of the actor, of those that the pronoun rules out."""
    probabilities = guesses(model, GAPS["actor"]).softmax(-1)
    said = unseen_ids[:, GAPS["pronoun"]]
    wrong = [probabilities[:, id_of[w]] * (said != id_of[p]) for w, p in PRONOUNS.items()]
    return sum(part.mean().item() for part in wrong)


def decide(runs: Runs) -> Verdict:
    """A way of writing succeeds in a run where at least half of the continuations from the first
    sentence on make a possible story. True where none succeeds in more than one run, false where
    one does in all but one, after the lesson's training or three times as much.
    """
    number = len(runs.values(LEFT, WHOLE))
    left_longer, surest_longer = (f"{way}, 3 times the training" for way in (LEFT, SUREST))
    ways = (LEFT, SUREST, left_longer, surest_longer)
    good = {way: runs.count(lambda share: share >= 0.5, way, WHOLE) for way in ways}
    numbers = (
        f"From the first sentence on BERT writes a possible story in {runs.median(LEFT, WHOLE):.0%}"
        f" of the cases from left to right and in {runs.median(SUREST, WHOLE):.0%} surest first; "
        f"after three times the training in {runs.median(left_longer, WHOLE):.0%} and "
        f"{runs.median(surest_longer, WHOLE):.0%}. Trained on pairs, half of them random, it falls "
        f"to {runs.median(PAIRS_LEFT, WHOLE):.0%} and {runs.median(PAIRS_SUREST, WHOLE):.0%}."
    )
    return Verdict.of(numbers, true=max(good.values()) <= 1, false=max(good.values()) >= number - 1)


CLAIM = Claim(
    name="bert.writing",
    lesson="08_bert_and_gpt",
    conditions=(
        Condition(LEFT, {"kind": "stories"}),
        Condition(SUREST, {"kind": "stories", "order": "surest"}),
        Condition(f"{LEFT}, 3 times the training", {"kind": "stories, longer"}, "longer"),
        Condition(
            f"{SUREST}, 3 times the training",
            {"kind": "stories, longer", "order": "surest"},
            "longer",
        ),
        Condition(PAIRS_LEFT, {"kind": "pairs"}, "control"),
        Condition(PAIRS_SUREST, {"kind": "pairs", "order": "surest"}, "control"),
        Condition(NOT_ASKED, {"kind": "pairs, not asked", "order": "surest"}, "control"),
        Condition(GPT, {"kind": "gpt"}, "ideal"),
        Condition("untrained", {"kind": "untrained"}, "chance"),
    ),
    shown=(
        LEFT,
        SUREST,
        f"{LEFT}, 3 times the training",
        f"{SUREST}, 3 times the training",
        GPT,
        "untrained",
    ),
    first=5000,
    metric=WHOLE,
    label="share of whole continuations that make a possible story",
)
