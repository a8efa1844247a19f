"""Lab 04: why do rotary positions fade beyond the trained length?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.positional_encoding.word_before import (
    FOUR,
    LONGEST,
    STEPS,
    TRAINED,
    shares,
    texts,
    trained,
)
from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask
from transformer_lesson.models import DecoderOnly

BOTH, FEW, NEAR = "64 keys, far and near", "16 keys, far and near", "64 keys, all within 15 places"
GUESS = "untrained"


def right_at(model: DecoderOnly, places: Tensor, *, seed: int = 0) -> float:
    """Return how often the last 8 of 64 words are answered rightly, read at given places (64,)."""
    batch = texts(400, LONGEST, seeded(1_000_000 + seed))
    x, mask = model.embedding(batch), causal_mask(LONGEST)
    for layer in model.decoder.layers:
        x = layer(x, mask=mask, positions=places)
    assert model.output is not None
    answers = model.output(model.decoder.final_norm(x))[:, 1:].argmax(-1)
    return (answers == batch[:, :-1])[:, -8:].float().mean().item()


def crowded() -> Tensor:
    """Return places (64,) at which no two words are more than 15 apart: 0, 0, … 0, 1, 2, … 15."""
    return (torch.arange(LONGEST) - (LONGEST - TRAINED)).clamp(min=0)


def measure(seed: int, keys: str = "all", near: bool = False, steps: int = STEPS) -> Numbers:
    """One run: a model that was trained on texts of 16 words reads 64."""
    model = trained("rotary", seed, steps=steps)
    if near:
        return {FOUR: right_at(model, crowded(), seed=seed)}
    return {FOUR: shares(model, keys=keys, seed=seed)[FOUR]}


def decide(runs: Runs) -> Verdict:
    middle = runs.median
    numbers = (
        f"Of words 57 to 64 {middle(BOTH, FOUR):.0%} are right. With 16 keys for each query, up to "
        f"63 places away, it is {middle(FEW, FOUR):.0%}. With 64 keys, none of them more than 15 "
        f"places away, it is {middle(NEAR, FOUR):.0%}."
    )
    fades = max(runs.values(BOTH, FOUR)) < 0.9
    few, near = (min(runs.values(name, FOUR)) > 0.95 for name in (FEW, NEAR))
    if fades and few:
        return Verdict("half true" if near else "true", numbers)
    return Verdict("false" if fades and near else "not decided", numbers)


CLAIM = Claim(
    name="positions.crowding",
    lesson="labs/04_positions_in_use",
    says="Rotary positions fade on longer texts because more keys share the attention.",
    title="Neither far keys alone nor many keys alone make rotary positions fade",
    source="the first explanation that comes to mind",
    measure=measure,
    conditions=(
        Condition(BOTH, {}),
        Condition(FEW, {"keys": "spread"}, "control"),
        Condition(NEAR, {"near": True}, "control"),
        Condition(GUESS, {"steps": 0}, "chance"),
    ),
    metric=FOUR,
    label="share right at words 57 to 64",
    criterion=(
        "The models fade where fewer than 0.9 are right in every run. True where, in all 10 runs, "
        "more than 0.95 are right with few keys that lie as far apart, and not with many keys that "
        "are all near; half true where either change alone brings more than 0.95, so that it takes "
        "many keys and new distances; false where many near keys alone do."
    ),
    revised="Two runs with other seeds had been seen before this was written.",
    decide=decide,
)
