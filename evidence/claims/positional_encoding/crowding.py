"""Lab 04: why do rotary positions fade beyond the trained length?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.positional_encoding.word_before import (
    FOUR,
    LONGEST,
    STEPS,
    TRAINED,
    texts,
    trained,
)
from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask
from transformer_lesson.models import DecoderOnly

ALL, NEAR = "all 64 keys", "64 keys, all within 15 places"
ONE, OUT = "nine near keys and one at this distance", "all keys but those at this distance"
FEW, WITHOUT = "nine near keys, and 20 and 39", "all keys but those at 20 and 39"
GUESS = "untrained"
CLOSE = 9  # keys at distances 0 to 8
DISTANCES = range(16, 57)  # beyond the trained length, and not beyond the first of all words


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


def aliases() -> list[int]:
    """Return the two distances at which the two fastest pairs are nearest to their phase at 1.

    They turn by 1 and by 10,000^(-1/8) a place (heads of width 16), and are searched for there
    alone: no model is asked.
    """
    fastest = torch.tensor([1.0, 10_000 ** (-2 / 16)])
    beyond = torch.tensor(DISTANCES)
    same = ((beyond[:, None] - 1) * fastest).cos().sum(-1)
    return sorted(beyond[same.topk(2).indices].tolist())


def right_with(model: DecoderOnly, seen: Tensor, seed: int) -> float:
    """Return how often words 57 to 64 are right if keys are seen at some distances (65,) alone."""
    batch = texts(200, LONGEST, seeded(1_000_000 + seed))
    places = torch.arange(LONGEST)
    back = (places[:, None] - places).clamp(min=-1)  # (queries, keys); -1 is ahead
    assert model.output is not None
    logits = model.output(model.decoder(model.embedding(batch, 0), seen[back]))
    return (logits[:, -8:].argmax(-1) == batch[:, -9:-1]).float().mean().item()


def measure(seed: int, keys: str = ALL, steps: int = STEPS) -> Numbers:
    """One run: a model that was trained on texts of 16 words reads 64, and sees some keys alone.

    Where the keys do not depend on a distance, all distances get the same number.
    """
    model = trained("rotary", seed, steps=steps)
    every, near = torch.arange(LONGEST + 1) < LONGEST, torch.arange(LONGEST + 1) < CLOSE
    if keys in (ONE, OUT):
        shares = [
            right_with(model, near.index_fill(0, at, True), seed)
            if keys == ONE
            else right_with(model, every.index_fill(0, at, False), seed)
            for at in torch.tensor(DISTANCES)
        ]
        named = dict(zip(map(str, DISTANCES), shares, strict=True))
        return {FOUR: min(shares) if keys == ONE else max(shares), **named}
    two = torch.tensor(aliases())
    share = {
        ALL: lambda: right_with(model, every, seed),
        NEAR: lambda: right_at(model, crowded(), seed=seed),
        FEW: lambda: right_with(model, near.index_fill(0, two, True), seed),
        WITHOUT: lambda: right_with(model, every.index_fill(0, two, False), seed),
    }[keys]()
    return {FOUR: share, **dict.fromkeys(map(str, DISTANCES), share)}


def decide(runs: Runs) -> Verdict:
    """By medians the models fade where fewer than 0.9 are right. The two distances beyond the
    trained length at which the two fastest pairs are nearest to their phase at distance 1 are found
    from the angles alone. False where fewer than 0.9 are right with nine near keys and those two,
    and taking the two out of all keys brings back at least half of what is lost. True where nine
    near keys and the two do no harm (0.95) and taking them out brings back less than 0.05. Half
    true between.
    """
    full, few, without = (runs.median(name, FOUR) for name in (ALL, FEW, WITHOUT))
    alone = {d: runs.median(ONE, str(d)) for d in DISTANCES}
    two = aliases()
    other = min(alone[d] for d in DISTANCES if d not in two)
    numbers = (
        f"Of words 57 to 64 {full:.0%} are right. With nine near keys and one at a single distance "
        + ", ".join(f"it is {alone[d]:.0%} at {d}" for d in two)
        + f" and at least {other:.0%} at every other from {DISTANCES[0]} to {DISTANCES[-1]}. Near "
        f"keys and these two distances give {few:.0%}, all other keys {without:.0%}."
    )
    if full >= 0.9:
        return Verdict("not decided", numbers)
    harm = few < 0.9 and without >= (1 + full) / 2
    none = few > 0.95 and without < full + 0.05
    return Verdict.of(numbers, false=harm, true=none, half_true=True)


CLAIM = Claim(
    name="positions.crowding",
    lesson="labs/04_positions_in_use",
    conditions=(
        Condition(ALL, {}),
        Condition(ONE, {"keys": ONE}),
        Condition(OUT, {"keys": OUT}, "control"),
        Condition(FEW, {"keys": FEW}, "control"),
        Condition(WITHOUT, {"keys": WITHOUT}, "control"),
        Condition(NEAR, {"keys": NEAR}, "control"),
        Condition(GUESS, {"steps": 0}, "chance"),
    ),
    first=200,
    metric=FOUR,
    label="share right at words 57 to 64 (of single distances the worst alone, the best left out)",
    along={distance: str(distance) for distance in DISTANCES},
    axis="distance of the key that is put in or left out, in words",
    shown=(ONE, OUT, GUESS),
    height="share right at words 57 to 64",
)
