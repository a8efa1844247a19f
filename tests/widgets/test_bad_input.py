"""What views refuse to show, and what cannot be chosen in them."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type,list-item"

import math
from dataclasses import replace
from typing import Any

import torch
import traitlets
from torch import ones

from tests.tables import Refused, refusing
from tests.widgets.test_gap import CATS, DOGS
from tests.widgets.test_generation import FIRST, SECOND
from tests.widgets.test_training import HISTORY, SIX, snapshots, weights
from tests.widgets.tile_walks import explorer
from transformer_lesson.widgets import (
    AttentionExplorer,
    GapExplorer,
    GenerationExplorer,
    HeadsExplorer,
    MaskExplorer,
    PositionExplorer,
    ScheduleExplorer,
    TileExplorer,
    TrainingExplorer,
)
from transformer_lesson.widgets.attention_maps import checked_maps

WORDS, FOUR, EYE = SIX[:3], SIX[:4], torch.eye(3)
MAPS = AttentionExplorer(weights(2, 4, 6, 6), SIX)
HEADS = HeadsExplorer(weights(2, 4, 6, 6), SIX)
SCHEDULE = ScheduleExplorer(200, 0.01, 50)


def with_weight(weight: float) -> torch.Tensor:
    maps = torch.tensor([[0.25, 0.5, 0.25]]).repeat(2, 4, 3, 1)
    maps[1, 2, 0, 1] = weight
    return maps


def generation(**values: Any) -> Any:
    return GenerationExplorer([replace(FIRST, **values)])


def gaps(**values: Any) -> Any:
    return GapExplorer([replace(CATS, **values)])


def guesses(**of_model: Any) -> Any:
    return gaps(guesses={**CATS.guesses, **of_model})


def training(history: Any, given: Any = None) -> Any:
    return TrainingExplorer(history, snapshots() if given is None else given, SIX)


def tiles(**values: Any) -> Any:
    return TileExplorer(torch.ones(4, 4), **values)


def chosen(view: Any, **values: Any) -> None:
    [(name, value)] = values.items()
    before = getattr(view, name)
    try:
        setattr(view, name, value)
    finally:
        assert getattr(view, name) == before


VALUES: Refused = [
    # maps of weights
    (lambda: checked_maps(None, WORDS), "weights is None: fused attention returns none"),
    (lambda: checked_maps(ones(3), WORDS), "has shape (3,); expected …pass weights[0]"),
    (
        lambda: checked_maps(ones(2, 2, 1, 3, 3), WORDS),
        "has shape (2, 2, 1, 3, 3); expected …pass weights[0]",
    ),
    (lambda: checked_maps(ones(513, 513), [""] * 513), "1 to 512 queries and keys"),
    (lambda: checked_maps(ones(0, 3, 3), WORDS), "1 to 512 queries and keys"),
    (lambda: checked_maps(with_weight(-0.25), WORDS), "layer 1, head 2, query 0, key 1 is -0.25"),
    (lambda: checked_maps(with_weight(math.nan), WORDS), "layer 1, head 2, query 0, key 1 is nan"),
    (
        lambda: checked_maps(with_weight(0.4), WORDS),
        "layer 1, head 2, row 0 sums to 0.9000; …dim=-1",
    ),
    (lambda: checked_maps(EYE, WORDS[:2]), "query_tokens has 2 tokens and weights has 3 queries"),
    (lambda: checked_maps(EYE, WORDS, FOUR), "key_tokens has 4 tokens and weights has 3 keys"),
    (lambda: checked_maps(EYE[:2], WORDS[:2]), "2 queries and 3 keys; …pass key_tokens"),
    (lambda: AttentionExplorer(ones(6, 6), SIX), "layer 0, head 0, row 0 sums to 6"),
    (lambda: HeadsExplorer(weights(17, 6, 6), SIX), "at most 16 heads and 128 queries…Pass a part"),
    (
        lambda: HeadsExplorer(weights(1, 129, 6), ["x"] * 129, SIX),
        "at most 16 heads and 128 queries…Pass a part",
    ),
    # masks
    (lambda: MaskExplorer(None, FOUR), "scores is None; pass query @ key.T"),
    (
        lambda: MaskExplorer(ones(1, 4, 4), FOUR),
        "scores has shape (1, 4, 4); expected (queries, keys)",
    ),
    (
        lambda: MaskExplorer(ones(4, 3), WORDS),
        "4 queries and 3 keys; this view shows 1 to 32 keys and no",
    ),
    (lambda: MaskExplorer(ones(33, 33), ["x"] * 33), "Pass a part, such as scores[:32, :32]"),
    (
        lambda: MaskExplorer(ones(4, 4).triu().log().T, FOUR),
        "query 0 and key 1 is -inf; scores are finite numbers. Pass the scores",
    ),
    (lambda: MaskExplorer(ones(4, 4), WORDS), "tokens has 3 tokens and scores has 4 keys"),
    (
        lambda: MaskExplorer(ones(4, 4), FOUR, 5),
        "num_padding=5 is out of range; pass a whole number from 0 to 4",
    ),
    # positions and learning rates
    (lambda: PositionExplorer(1), "max_tokens=1 is out of range; …2 to 256"),
    (lambda: PositionExplorer(d_model=3), "d_model=3 is out of range; …4 to 128"),
    (lambda: ScheduleExplorer(steps=1), "steps=1 is out of range; …2 to 1000000"),
    (lambda: ScheduleExplorer(learning_rate=0.0), "learning_rate=0.0; expected a positive number"),
    (
        lambda: ScheduleExplorer(learning_rate=100.0),
        "learning_rate=100.0 is out of range; pass 1e-07",
    ),
    (
        lambda: ScheduleExplorer(warmup_steps=0),
        "schedule='paper' …needs warmup_steps of at least 1",
    ),
    (lambda: ScheduleExplorer(warmup_steps=-1), "warmup_steps=-1; expected a whole number"),
    (
        lambda: ScheduleExplorer(100, warmup_steps=100, schedule="cosine"),
        "warmup_steps=100 leaves none of the steps=100 for the cosine",
    ),
    (lambda: ScheduleExplorer(schedule="linear"), "schedule='linear'"),
    (lambda: ScheduleExplorer(decay_steps=0), "decay_steps=0 is out of range"),
    (
        lambda: ScheduleExplorer(100, schedule="stable", warmup_steps=50, decay_steps=51),
        "decay_steps=51 with schedule='stable', warmup_steps=50 and steps=100",
    ),
    (lambda: ScheduleExplorer(d_model=4), "d_model=4 is out of range; …8 to 4096"),
    # a generation
    (lambda: GenerationExplorer([]), "there are 0 steps; this view shows 1 to 256"),
    (lambda: GenerationExplorer([SECOND, FIRST]), "steps[1] has 2 tokens and the step before 3"),
    (
        lambda: GenerationExplorer([FIRST, replace(SECOND, tokens=["A", "cat", "sat"])]),
        "steps[1] do not begin with those of steps[0]",
    ),
    (lambda: generation(candidates=[]), "pass the 1 to 12 most probable"),
    (lambda: generation(candidates=[("sat", 3.2)]), "Pass them after the softmax"),
    (
        lambda: generation(candidates=[("sat", 0.8), ("ran", 0.7)]),
        "sums to 1.5000; probabilities of different next tokens sum to at most 1",
    ),
    (lambda: generation(cached=1), "computed 2 rows and read 1 from the cache for 2"),
    (lambda: generation(computed=-1), "steps[0].computed=-1 is out of range"),
    (lambda: GenerationExplorer([FIRST], num_layers=0), "num_layers=0 is out of range"),
    # gaps
    (lambda: GapExplorer([]), "there are 0 sentences; this view shows 1 to 64"),
    (lambda: gaps(tokens=[]), "sentences[0] has 0 tokens; pass 1 to 64"),
    (
        lambda: gaps(guesses={"masked": []}),
        "sentences[0] has guesses of ['masked']; pass those of the two models",
    ),
    (
        lambda: guesses(causal=[[]]),
        "has 3 tokens and guesses of the causal model for 1; pass a list for each token",
    ),
    (lambda: guesses(causal=[[], [("eat", 3.0)], []]), "gives 'eat' the probability 3.0"),
    (
        lambda: guesses(masked=[[("eat", 0.1)] * 13, [], []]),
        "has 13 tokens; pass the 0 to 12 most probable",
    ),
    # a training
    (lambda: training([]), "there are 0 losses; this view shows 1 to 100000"),
    (lambda: training([1.0, math.nan]), "losses[1] is nan; pass the steps before"),
    (lambda: training({"loss": [1.0]}), "history has no losses, but ['loss']"),
    (
        lambda: training({"losses": [1.0] * 4, "learning_rates": [1.0]}),
        "there are 1 learning_rates and 4 losses",
    ),
    (
        lambda: training({"losses": [1.0] * 4, "evaluations": [(9, {"a": 1.0})]}),
        "the evaluation {'a': 1.0} at step 9 cannot be shown: steps are 0 to 4",
    ),
    (lambda: training(HISTORY, []), "there are no snapshots"),
    (lambda: training(HISTORY, [(5, weights(3, 6, 6))]), "at step 5; snapshots are in order"),
    (lambda: training(HISTORY, [(2, weights(3, 6, 6))] * 2), "snapshots[1] is at step 2"),
    (
        lambda: training(HISTORY, [(0, -weights(3, 6, 6))]),
        "snapshots[0], at step 0: the weight at layer 0",
    ),
    (
        lambda: training(HISTORY, [(0, weights(3, 6, 6)), (1, weights(2, 6, 6))]),
        "snapshots[1] has shape (1, 2, 6, 6) and the first (1, 3, 6, 6)",
    ),
    (
        lambda: training(HISTORY, [(0, weights(7, 7, 6, 6))]),
        "at most 48 maps of at most 64 queries",
    ),
    (
        lambda: training([1.0] * 200, [(step, weights(1, 6, 6)) for step in range(101)]),
        "more than 100 snapshots; …such as snapshots[::2]",
    ),
    # tiles
    (lambda: TileExplorer(ones(1, 4, 4)), "scores has shape (1, 4, 4); expected two axes"),
    (
        lambda: TileExplorer(ones(33, 4)),
        "scores has 33 queries and 4 keys; this view shows 1 to 32",
    ),
    (lambda: TileExplorer(ones(0, 4)), "scores has 0 queries"),
    (
        lambda: TileExplorer(ones(4, 4).triu().log()),
        "scores[1, 0] is -inf; all numbers must be finite",
    ),
    (lambda: tiles(value=ones(3, 1)), "value has shape (3, 1); expected (4, 1 to 4)"),
    (lambda: tiles(value=ones(4, 5)), "Pass a part, such as value[:4, :4]"),
    (lambda: tiles(value=ones(4)), "value has shape (4,); expected two axes"),
    (lambda: tiles(key=ones(4, 300)), "key has shape (4, 300); expected (4, 1 to 256)"),
    (lambda: tiles(scale=0.0), "scale=0.0 is not a positive finite number"),
    (lambda: tiles(capacity=0), "capacity=0 is out of range"),
]

TYPES: Refused = [
    (lambda: checked_maps(EYE, set(WORDS)), "is a set; pass a list of strings"),
    (lambda: checked_maps(EYE, iter(WORDS)), "is a list_iterator; pass a list of strings"),
    (lambda: checked_maps(EYE, "abc"), "'abc'; pass a list, such as query_tokens.split()"),
    (lambda: checked_maps(EYE, ["The", 7, "sat"]), "holds 7; …str(token)"),
    (lambda: MaskExplorer(ones(4, 4), "The cat sat"), "tokens is the string"),
    (lambda: PositionExplorer(64.0), "max_tokens=64.0; pass a whole number"),
    (lambda: PositionExplorer(d_model=True), "d_model=True; pass a whole number"),
    (lambda: ScheduleExplorer(steps=10.0), "steps=10.0; pass a whole number"),
    (lambda: GenerationExplorer(FIRST), "pass a list of GenerationStep"),
    (
        lambda: GenerationExplorer([FIRST, {"tokens": []}]),
        "steps[1] is a dict; pass a GenerationStep",
    ),
    (lambda: generation(tokens="ab"), "steps[0].tokens is 'ab'; pass a list"),
    (lambda: generation(candidates=["sat"]), "pass a list of (token, probability)"),
    (lambda: GapExplorer(CATS), "sentences is a Sentence; pass a list of Sentence"),
    (lambda: GapExplorer([CATS, ["a"]]), "sentences[1] is a list; pass a Sentence"),
    (lambda: gaps(tokens="cats"), "sentences[0].tokens is 'cats'; pass a list"),
    (
        lambda: guesses(causal=["cats", [], []]),
        "sentences[0].guesses['causal'][0] is 'cats'; pass a list of (token, probability)",
    ),
    (lambda: training([[1.0]]), "losses has shape (1, 1)"),
    (lambda: training("no"), "losses is 'no'; pass a list of numbers"),
    (lambda: training(HISTORY, weights(2, 3, 6, 6)), "snapshots is a Tensor; pass a list of (step"),
    (lambda: training(HISTORY, [weights(3, 2, 6, 6)]), "pass (step, weights)"),
    (lambda: training(HISTORY, [(0.5, weights(3, 6, 6))]), "snapshots[0] has the step 0.5"),
    (lambda: TileExplorer(None), "scores is None; pass numbers: query @ key.T / sqrt(d_head)"),
    (lambda: TileExplorer("ones"), "scores is 'ones'; pass numbers"),
    (lambda: tiles(causal=1), "causal=1; pass True or False"),
    (lambda: tiles(scale="1"), "scale='1'; pass a positive number"),
    (lambda: tiles(capacity=1.5), "capacity=1.5; pass a whole number"),
]

CHOICES: Refused = [
    (lambda: chosen(MAPS, layer=2), "layer=2 is out of range; choose 0 to 1"),
    (lambda: chosen(MAPS, layer=-1), "layer=-1 is out of range; choose 0 to 1"),
    (lambda: chosen(MAPS, head=4), "head=4 is out of range; choose -1 to 3"),
    (lambda: chosen(MAPS, pinned=6), "pinned=6 is out of range; choose 0 to 5"),
    (
        lambda: chosen(MaskExplorer(ones(2, 4), FOUR), pinned=2),
        "pinned=2 is out of range; choose 0 to 1",
    ),
    (
        lambda: chosen(PositionExplorer(16, 8), base=5.0),
        "base=5.0 is out of range; choose 10 to 100000",
    ),
    (
        lambda: chosen(PositionExplorer(16, 8), second=16),
        "second=16 is out of range; choose 0 to 15",
    ),
    (lambda: chosen(PositionExplorer(16, 8), pair=4), "pair=4 is out of range; choose 0 to 3"),
    (lambda: chosen(PositionExplorer(16, 8), shift=-1), "shift=-1 is out of range; choose 0 to 15"),
    (lambda: chosen(SCHEDULE, step=201), "step=201 is out of range; choose 1 to 200"),
    (
        lambda: chosen(SCHEDULE, learning_rate=20.0),
        "learning_rate=20.0 is out of range; choose 1e-07 to 10",
    ),
    (
        lambda: chosen(GenerationExplorer([FIRST, SECOND]), step=2),
        "step=2 is out of range; choose 0 to 1",
    ),
    (lambda: chosen(GapExplorer([CATS, DOGS]), gap=3), "gap=3 is out of range; choose 0 to 2"),
    (
        lambda: chosen(GapExplorer([CATS, DOGS]), sentence=2),
        "sentence=2 is out of range; choose 0 to 1",
    ),
    (
        lambda: chosen(training(HISTORY), checkpoint=3),
        "checkpoint=3 is out of range; choose 0 to 2",
    ),
    (lambda: chosen(explorer(), step=3), "step=3 is out of range; choose 0 to 2"),
    (lambda: chosen(explorer(), row=8), "row=8 is out of range; choose 0 to 7"),
    (lambda: chosen(explorer(), tile_keys=0), "tile_keys=0 is out of range; choose 1 to 8"),
    (lambda: chosen(explorer(), order="rows"), "'queries', 'keys'"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
test_choices = refusing(traitlets.TraitError, CHOICES)
